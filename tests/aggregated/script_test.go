package aggregated_test

import (
	"fmt"
	"net/http"
	"net/textproto"
	"strings"
)

// A step is one request of a script.
type step struct {
	line       int // in the script's file, from 1
	title      string
	verb, rest string // "GET", "/api"; "WATCH", "NAME PATH"
	header     http.Header
	until      string      // the status and the texts of the answer to wait for; "" takes any answer
	keep       [][2]string // name and path of fields of the answer
	only       string
	body       string // YAML
}

// parse parses a script.
func parse(text string) ([]*step, error) {
	var steps []*step
	inBody := false
	for i, line := range strings.Split(text, "\n") {
		var last *step
		if len(steps) > 0 {
			last = steps[len(steps)-1]
		}
		switch title, begins := strings.CutPrefix(line, "### "); {
		case begins:
			steps = append(steps, &step{line: i + 1, title: title, header: http.Header{}})
			inBody = false
		case inBody:
			last.body += line + "\n"
		case strings.HasPrefix(line, "#"), line == "" && (last == nil || last.verb == ""):
		case line == "":
			inBody = true
		case last == nil:
			return nil, fmt.Errorf("line %d: there is no step", i+1)
		case last.verb == "":
			last.verb, last.rest, _ = strings.Cut(line, " ")
		default:
			if err := last.take(line); err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
		}
	}
	for _, s := range steps {
		if s.body = strings.TrimSpace(s.body); s.verb == "" {
			return nil, fmt.Errorf("line %d: a step without a verb", s.line)
		}
	}
	return steps, nil
}

// take parses a header, or an instruction to the player in the same form.
func (s *step) take(line string) error {
	name, value, ok := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	switch name = textproto.CanonicalMIMEHeaderKey(name); {
	case !ok:
		return fmt.Errorf("%q is not a header", line)
	case name == "Until":
		s.until = value
	case name == "Only":
		s.only = value
	case name == "Keep":
		name, path, _ := strings.Cut(value, " ")
		s.keep = append(s.keep, [2]string{name, path})
	default:
		s.header.Add(name, value)
	}
	return nil
}
