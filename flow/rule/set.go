package rule

import (
	"fmt"
	"strconv"
	"strings"
)

// A Set is the contents of a file of rules: rules in the order in which they are tried, and the seed of random choices.
type Set struct {
	Seed  uint64 // 0 if not given
	Rules []Rule
}

// ParseSet reads rules, one a line, with comments and empty lines between them. Errors name the line.
func ParseSet(text string) (s Set, err error) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(comment(line))
		if line == "" {
			continue
		}
		if err := s.add(line); err != nil {
			return Set{}, fmt.Errorf("line %d: %w", number, err)
		}
	}
	return s, nil
}

func (s *Set) add(line string) error {
	if rest, ok := strings.CutPrefix(line, "seed"); ok && (rest == "" || isSpace(rest[0])) {
		n, err := strconv.ParseUint(strings.TrimSpace(rest), 10, 64)
		if err != nil || n == 0 {
			return fmt.Errorf("a seed is a number above 0, not %q", strings.TrimSpace(rest))
		}
		s.Seed = n
		return nil
	}
	if len(s.Rules) == MaxRules {
		return fmt.Errorf("there can be at most %d rules", MaxRules)
	}
	r, err := Parse(line)
	if err != nil {
		return err
	}
	s.Rules = append(s.Rules, r)
	return nil
}

// comment removes a comment from a line. It begins with a # at the start of the line or after a space.
func comment(line string) string {
	quoted := false
	for i := range len(line) {
		switch {
		case line[i] == '"':
			quoted = !quoted
		case line[i] == '#' && !quoted && (i == 0 || isSpace(line[i-1])):
			return line[:i]
		}
	}
	return line
}

// String returns the text of the Set, which ParseSet reads back as the same Set.
func (s Set) String() string {
	var b strings.Builder
	if s.Seed != 0 {
		fmt.Fprintf(&b, "seed %d\n", s.Seed)
	}
	for _, r := range s.Rules {
		b.WriteString(r.String())
		b.WriteByte('\n')
	}
	return b.String()
}
