package filter

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"kubarium/server/nearest"
)

// An Error says what is wrong in the text of a filter, and where.
type Error struct {
	Column     int    // characters before the error, from 0
	Message    string // `unknown field "cod"`
	Suggestion string // the nearest known word, "code"; "" if there is none
}

// Error returns the message with the suggestion.
func (e *Error) Error() string {
	if e.Suggestion == "" {
		return e.Message
	}
	return e.Message + ", did you mean " + e.Suggestion + "?"
}

// maxDepth limits how deep parentheses and negations nest.
const maxDepth = 100

// Parse reads a filter. Blank text gives the filter that shows everything. An error is always an *Error.
func Parse(text string) (*Filter, error) {
	p := &parser{text: text}
	p.space()
	if p.done() {
		return &Filter{}, nil
	}
	root, err := p.any(0)
	if err != nil {
		return nil, err
	}
	if !p.done() {
		return nil, p.fail(p.at, "this parenthesis closes nothing")
	}
	return &Filter{root: root}, nil
}

// parseTerm returns the term for a field with exactly this value.
func parseTerm(name, text string) (*term, error) {
	f := byName[name]
	if f == nil {
		return nil, &Error{Message: fmt.Sprintf("unknown field %q", name)}
	}
	v, err := f.value(equals, text, false)
	if err != nil {
		return nil, &Error{Message: err.Error()}
	}
	return &term{field: f, values: []value{v}}, nil
}

type parser struct {
	text string
	at   int // byte offset of the next byte
}

func (p *parser) done() bool { return p.at >= len(p.text) }

// next returns the next byte, 0 at the end.
func (p *parser) next() byte {
	if p.done() {
		return 0
	}
	return p.text[p.at]
}

func (p *parser) space() {
	for !p.done() {
		r, n := utf8.DecodeRuneInString(p.text[p.at:])
		if !unicode.IsSpace(r) {
			return
		}
		p.at += n
	}
}

func (p *parser) fail(at int, format string, args ...any) *Error {
	return &Error{Column: utf8.RuneCountInString(p.text[:at]), Message: fmt.Sprintf(format, args...)}
}

// any reads terms up to the end or a closing parenthesis.
func (p *parser) any(depth int) (node, error) {
	var members []node
	for {
		n, err := p.all(depth)
		if err != nil {
			return nil, err
		}
		members = append(members, n)
		if p.next() != '|' {
			return joined[some](members), nil
		}
		p.at++
	}
}

func (p *parser) all(depth int) (node, error) {
	var members []node
	for {
		p.space()
		if c := p.next(); p.done() || c == '|' || c == ')' {
			break
		}
		n, err := p.not(depth)
		if err != nil {
			return nil, err
		}
		members = append(members, n)
	}
	if len(members) == 0 {
		return nil, p.fail(p.at, "a term is missing here")
	}
	return joined[all](members), nil
}

func (p *parser) not(depth int) (node, error) {
	if depth > maxDepth {
		return nil, p.fail(p.at, "nested too deeply")
	}
	switch p.next() {
	case '!':
		p.at++
		p.space()
		if c := p.next(); p.done() || c == '|' || c == ')' {
			return nil, p.fail(p.at, "a term is missing after !")
		}
		n, err := p.not(depth + 1)
		if err != nil {
			return nil, err
		}
		return not{n}, nil
	case '(':
		return p.group(depth)
	}
	return p.term()
}

func (p *parser) group(depth int) (node, error) {
	opened := p.at
	p.at++
	n, err := p.any(depth + 1)
	if err != nil {
		return nil, err
	}
	if p.next() != ')' {
		return nil, p.fail(opened, "this parenthesis is not closed")
	}
	p.at++
	return n, nil
}

func (p *parser) term() (node, error) {
	start := p.at
	for c := lower(p.next()); 'a' <= c && c <= 'z'; c = lower(p.next()) {
		p.at++
	}
	if !strings.ContainsRune(":~<>", rune(p.next())) || p.done() {
		p.at = start
		return p.bare()
	}
	name := strings.ToLower(p.text[start:p.at])
	if name == "" && p.next() == '~' {
		return p.bare()
	}
	if name == "" {
		return nil, p.fail(start, "a field is missing here")
	}
	f := byName[name]
	if f == nil {
		err := p.fail(start, "unknown field %q", name)
		err.Suggestion = nearest.Word(name, Fields())
		return nil, err
	}
	values, err := p.values(f)
	if err != nil {
		return nil, err
	}
	return &term{field: f, values: values}, nil
}

// bare reads a word without a field, or after "~" a regular expression for path and name.
func (p *parser) bare() (node, error) {
	o := equals
	start := p.at
	if p.next() == '~' {
		o = matches
		p.at++
	}
	text, quoted, err := p.word("|()")
	if err != nil {
		return nil, err
	}
	v, verr := newValue(o, text, !quoted)
	if verr != nil {
		return nil, p.fail(start, "%s", verr)
	}
	return &term{values: []value{v}}, nil
}

// values reads the operator and the values after a field's name.
func (p *parser) values(f *field) ([]value, error) {
	o := p.operator()
	var vs []value
	for {
		at := p.at
		one := o
		if o == equals {
			one = p.comparison()
		}
		stop := "|(),"
		if one == matches {
			stop = "|)"
		}
		text, quoted, err := p.word(stop)
		if err != nil {
			return nil, err
		}
		v, verr := f.value(one, text, !quoted)
		if verr != nil {
			e := p.fail(at, "%s", verr)
			e.Suggestion = nearest.Word(text, f.only)
			return nil, e
		}
		vs = append(vs, v)
		if p.next() != ',' || one == matches {
			return vs, nil
		}
		p.at++
	}
}

// operator reads ":", "~" or a comparison.
func (p *parser) operator() op {
	switch p.next() {
	case ':':
		p.at++
		return equals
	case '~':
		p.at++
		return matches
	}
	return p.comparison()
}

// comparison reads one of > >= < <=, or nothing, which is equality.
func (p *parser) comparison() op {
	rest := p.text[p.at:]
	for _, o := range []op{atLeast, atMost, greater, less} {
		if strings.HasPrefix(rest, opText[o]) {
			p.at += len(opText[o])
			return o
		}
	}
	return equals
}

// word reads a quoted or a plain word, which ends before white space or a byte of stop.
func (p *parser) word(stop string) (text string, quoted bool, err error) {
	if p.next() == '"' {
		text, err = p.quoted()
		return text, true, err
	}
	start := p.at
	for !p.done() {
		r, n := utf8.DecodeRuneInString(p.text[p.at:])
		if unicode.IsSpace(r) || strings.ContainsRune(stop, r) {
			break
		}
		p.at += n
	}
	if start == p.at {
		return "", false, p.fail(start, "a value is missing here")
	}
	return p.text[start:p.at], false, nil
}

// quoted reads a word in double quotes, in which \" and \\ stand for a quote and a backslash.
func (p *parser) quoted() (string, error) {
	opened := p.at
	p.at++
	var b strings.Builder
	for !p.done() {
		c := p.next()
		p.at++
		switch {
		case c == '"':
			return b.String(), nil
		case c == '\\' && (p.next() == '"' || p.next() == '\\'):
			c = p.next()
			p.at++
		}
		b.WriteByte(c)
	}
	return "", p.fail(opened, "this quote is not closed")
}

// value makes a value for the field; globs says whether * and ? in text are wildcards.
func (f *field) value(o op, text string, globs bool) (value, error) {
	ordered := o != equals && o != matches
	if f.read == nil {
		if ordered {
			return value{}, fmt.Errorf("%s has no order, use : or ~", f.name)
		}
		if f.only != nil && (o == matches || !slices.Contains(f.only, text)) {
			return value{}, fmt.Errorf("%s is %s", f.name, strings.Join(f.only, " or "))
		}
		return newValue(o, text, globs)
	}
	if o == matches {
		return value{}, fmt.Errorf("%s is compared with : or > >= < <=, not with ~", f.name)
	}
	if f.name == "since" && ordered {
		return value{}, fmt.Errorf("since takes a duration alone, such as since:10s")
	}
	low, high, err := f.read(text)
	if err != nil {
		return value{}, err
	}
	return value{op: o, text: text, low: low, high: high}, nil
}

func newValue(o op, text string, globs bool) (value, error) {
	v := value{op: o, text: text, low: -1, high: -1}
	if o == matches {
		re, err := regexp.Compile(text)
		if err != nil {
			return value{}, fmt.Errorf("not a regular expression: %s",
				strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
		v.re, v.path = re, true
		return v, nil
	}
	v.glob = globs && strings.ContainsAny(text, "*?")
	if v.glob {
		v.wide = "*" + text + "*"
	}
	v.path = strings.ContainsAny(text, "./")
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= 0 {
		v.low, v.high = n, n
	}
	return v, nil
}
