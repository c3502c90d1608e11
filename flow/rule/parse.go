package rule

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"kubarium/flow/filter"
	"kubarium/server/nearest"
)

// MaxRules is how many rules a Set or a gate may have.
const MaxRules = 1000

// Limits of the values in a rule.
const (
	longest  = 24 * time.Hour
	maxCount = 1_000_000
	maxLine  = 4096 // bytes
	maxName  = 60   // bytes
)

// Parse reads a rule. An error is one line, for the user.
func Parse(line string) (Rule, error) {
	if len(line) > maxLine {
		return Rule{}, fmt.Errorf("a rule can have at most %d bytes", maxLine)
	}
	if strings.ContainsFunc(line, unicode.IsControl) {
		return Rule{}, errors.New("a rule is one line, without control characters")
	}
	head, terms, hasOn := cutOn(strings.TrimSpace(comment(line)))
	words, err := split(head)
	if err != nil {
		return Rule{}, err
	}
	if len(words) == 0 {
		return Rule{}, fmt.Errorf("a rule begins with what it does: %s", list(Actions))
	}
	p := &parser{words: words[1:], rule: Rule{Action: Action(words[0])}}
	if err := p.action(); err != nil {
		return Rule{}, err
	}
	if err := p.modifiers(); err != nil {
		return Rule{}, err
	}
	if hasOn && strings.TrimSpace(terms) == "" {
		return Rule{}, errors.New(`"on" needs a filter: on verb:update res:pods`)
	}
	if p.rule.On, err = filter.Parse(terms); err != nil {
		return Rule{}, fmt.Errorf("the filter of a rule: %w", err)
	}
	for w := range strings.FieldsSeq(p.rule.On.String()) {
		if slices.Contains(modifierWords, w) {
			return Rule{}, fmt.Errorf(`%s must come before "on"; to search for that word in paths, use ~%s`, w, w)
		}
	}
	return p.rule, p.rule.check()
}

// cutOn splits a rule where its filter begins.
func cutOn(line string) (head, terms string, found bool) {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '"':
			quoted = !quoted
		case !quoted && isSpace(line[i]) && strings.HasPrefix(line[i+1:], "on") &&
			(i+3 == len(line) || isSpace(line[i+3])):
			return line[:i], line[i+3:], true
		}
	}
	return line, "", false
}

func isSpace(c byte) bool { return c == ' ' }

// split splits a text into words; a word in double quotes may contain spaces.
func split(text string) (words []string, err error) {
	for text = strings.TrimLeft(text, " "); text != ""; text = strings.TrimLeft(text, " ") {
		if text[0] == '"' {
			inner, rest, closed := strings.Cut(text[1:], `"`)
			if !closed {
				return nil, errors.New("a quote is not closed")
			}
			words, text = append(words, inner), rest
			continue
		}
		end := strings.IndexAny(text, " \"")
		if end < 0 {
			end = len(text)
		}
		words, text = append(words, text[:end]), text[end:]
	}
	return words, nil
}

// A parser reads the words of a rule after its action.
type parser struct {
	words []string
	rule  Rule
}

func (p *parser) peek() string {
	if len(p.words) == 0 {
		return ""
	}
	return p.words[0]
}

// next takes a word; what describes it if it is missing.
func (p *parser) next(what string) (string, error) {
	if len(p.words) == 0 {
		return "", fmt.Errorf("%s needs %s", p.rule.Action, what)
	}
	w := p.words[0]
	p.words = p.words[1:]
	return w, nil
}

// take takes the next word if it is this one.
func (p *parser) take(word string) bool {
	if p.peek() != word {
		return false
	}
	p.words = p.words[1:]
	return true
}

// action reads the values of the action.
func (p *parser) action() (err error) {
	r := &p.rule
	if !slices.Contains(Actions, r.Action) {
		return fmt.Errorf("unknown action %q%s; the actions are %s",
			r.Action, nearest.Hint(string(r.Action), names(Actions)), list(Actions))
	}
	r.Before = r.Action.own()
	switch r.Action {
	case Hold:
		if p.take("for") {
			r.Most, err = p.duration("a time, as in hold for 30s")
		}
	case Delay:
		r.Least, r.Most, err = p.between()
	case Coalesce:
		r.Most, err = p.duration("a time, as in coalesce 500ms")
	case Refuse:
		err = p.refusal()
	case Cut:
		r.Client = p.take("client")
	case Lag:
		err = p.lag()
	}
	return err
}

func (p *parser) refusal() (err error) {
	w, err := p.next("a status, as in refuse 409")
	if err != nil {
		return err
	}
	code, err := strconv.Atoi(w)
	if err != nil || code < 400 || code > 599 {
		return fmt.Errorf("refuse needs a status between 400 and 599, not %q", w)
	}
	p.rule.Code = code
	if p.take("retry-after") {
		p.rule.RetryAfter, err = p.duration("a time, as in retry-after 3s")
		if err == nil && p.rule.RetryAfter%time.Second != 0 {
			err = fmt.Errorf("retry-after must be in whole seconds, not %s", p.rule.RetryAfter)
		}
	}
	return err
}

func (p *parser) lag() (err error) {
	if !p.take("rv") {
		p.rule.Most, err = p.duration("a time or a version, as in lag 5s and lag rv 4100")
		return err
	}
	w, err := p.next("a resourceVersion, as in lag rv 4100")
	if err != nil {
		return err
	}
	p.rule.Revision, err = strconv.ParseInt(w, 10, 64)
	if err != nil || p.rule.Revision < 1 {
		return fmt.Errorf("lag rv needs a resourceVersion, not %q", w)
	}
	if p.take("for") {
		p.rule.Most, err = p.duration("a time, as in lag rv 4100 for 10s")
	}
	return err
}

// between reads 200ms, or 100ms-1s.
func (p *parser) between() (least, most time.Duration, err error) {
	w := p.peek()
	low, high, two := strings.Cut(w, "-")
	if !two {
		most, err = p.duration("a time, as in delay 200ms")
		return most, most, err
	}
	p.words = p.words[1:]
	if least, err = duration(low); err == nil {
		most, err = duration(high)
	}
	if err == nil && least >= most {
		err = fmt.Errorf("the first time of a delay must be less than the second, not %q", w)
	}
	return least, most, err
}

func (p *parser) duration(what string) (time.Duration, error) {
	w, err := p.next(what)
	if err != nil {
		return 0, err
	}
	return duration(w)
}

func duration(w string) (time.Duration, error) {
	d, err := time.ParseDuration(w)
	if err != nil || d <= 0 || d > longest {
		return 0, fmt.Errorf("expected a time such as 200ms or 5s, at most a day, not %q", w)
	}
	return d, nil
}

var modifierWords = []string{"before", "after", "once", "times", "chance", "name"}

// modifiers reads the rest of the words.
func (p *parser) modifiers() error {
	said := map[string]bool{}
	for len(p.words) > 0 {
		w, _ := p.next("")
		if !slices.Contains(modifierWords, w) {
			return fmt.Errorf("unknown word %q after %s%s; the words are %s, and on with a filter",
				w, p.rule.Action, nearest.Hint(w, modifierWords), strings.Join(modifierWords, ", "))
		}
		if said[w] || w == "once" && said["times"] || w == "times" && said["once"] {
			return fmt.Errorf("a rule can have %s only once", w)
		}
		said[w] = true
		if err := p.modifier(w); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) modifier(w string) (err error) {
	r := &p.rule
	switch w {
	case "before":
		r.Before, err = p.station()
	case "after":
		r.After, err = p.count(w)
	case "once":
		r.Times = 1
	case "times":
		r.Times, err = p.count(w)
	case "chance":
		var text string
		if text, err = p.next("a chance, as in chance 0.5"); err != nil {
			return err
		}
		r.Chance, err = strconv.ParseFloat(text, 64)
		if err != nil || !(r.Chance > 0 && r.Chance <= 1) {
			return fmt.Errorf("a chance is above 0 and at most 1, not %q", text)
		}
	case "name":
		r.Name, err = p.next("a word after name")
		bad := strings.ContainsAny(r.Name, " \"#") || r.Name == "" || r.Name == "on" || len(r.Name) > maxName
		if err == nil && bad {
			err = fmt.Errorf("a name is one word of at most %d letters, without quotes, not %q", maxName, r.Name)
		}
	}
	return err
}

func (p *parser) station() (string, error) {
	w, err := p.next("a station, as in before store")
	if err != nil {
		return "", err
	}
	if s := aliases[w]; s != "" {
		w = s
	}
	if !slices.Contains(Stations, w) {
		return "", fmt.Errorf("no rule can act before %q%s; the stations are %s",
			w, nearest.Hint(w, Stations), strings.Join(Stations, ", "))
	}
	return w, nil
}

func (p *parser) count(what string) (int, error) {
	w, err := p.next("a number after " + what)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(w)
	if err != nil || n < 1 || n > maxCount {
		return 0, fmt.Errorf("%s needs a number from 1 to %d, not %q", what, maxCount, w)
	}
	return n, nil
}

// check refuses combinations that cannot work.
func (r Rule) check() error {
	if own := r.Action.own(); r.Before != own && r.Action.fixed() {
		return fmt.Errorf("%s can only act before %s", r.Action, own)
	}
	if name := r.unknown(); name != "" {
		return fmt.Errorf("a rule before %s cannot know %s of a request; it knows %s",
			r.Before, name, strings.Join(known, ", "))
	}
	return nil
}

func names(as []Action) (out []string) {
	for _, a := range as {
		out = append(out, string(a))
	}
	return out
}

func list(as []Action) string { return strings.Join(names(as), ", ") }
