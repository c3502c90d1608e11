package book

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"kubarium/flow"
	"kubarium/flow/bodies"
	"kubarium/scenarios/expr"
)

// A mark says why a line is shown.
type mark int

const (
	none  mark = iota
	shown      // it was checked, or says what the body is
	kept       // its value is used again
	meant      // the step points at it
)

// A line is one of a body, as YAML.
type line struct {
	Indent, Text string
	Gap          bool // lines were left out here
	mark         mark
}

// A body is one of a request, an answer or an event.
type body struct {
	Short []line // what the step is about
	Whole []line // all of it; nil if Short is
}

// Bounds of what is printed.
const (
	mostUnfolded = 16   // lines of an answer or an event that need no folding
	mostSent     = 48   // the same of a request, all of which its lesson has chosen
	mostBelow    = 8    // lines of a list or a map to which a path leads
	mostLines    = 300  // of a whole body
	widest       = 1000 // characters of a line
	widestShort  = 240  // the same in the short form
)

// marks are by the path of a field, as lessons write it.
type marks map[string]mark

// add marks a field, unless it has a stronger mark.
func (m marks) add(path string, as mark) {
	if path != "" {
		m[path] = max(m[path], as)
	}
}

// always are the fields that say what a body is.
var always = []string{"apiVersion", "kind", "metadata.name", "reason", "message", "code"}

// set sets a body, of which so many lines need no folding. A text that is no object is set as it is; of other bytes only the size is
// said.
func set(b []byte, m marks, unfolded int) body {
	if len(b) == 0 {
		return body{}
	}
	lines := objectLines(bodies.JSON(flow.Keep(b)), m)
	switch {
	case lines != nil:
	case bodies.LooksText(b):
		for i, text := range strings.Split(strings.TrimRight(string(b), "\n"), "\n") {
			l := lineOf(text)
			if i < unfolded {
				l.mark = shown
			}
			lines = append(lines, l)
		}
	default:
		return body{Short: []line{{Text: fmt.Sprintf("(%d bytes)", len(b))}}}
	}
	for i := range lines {
		l := &lines[i]
		l.Text = cut(expr.Printable(l.Text), widest)
	}
	return fold(lines, unfolded)
}

func cut(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + " …"
	}
	return text
}

// fold leaves out of the short form what is not marked.
func fold(lines []line, unfolded int) body {
	var short []line
	folded := false
	for _, l := range lines {
		n := len(short)
		switch {
		case l.mark != none || len(lines) <= unfolded:
			folded = folded || len(l.Text) > len(cut(l.Text, widestShort))
			l.Text = cut(l.Text, widestShort)
			short = append(short, l)
		case n == 0 || !short[n-1].Gap:
			short = append(short, line{Indent: l.Indent, Gap: true})
			folded = true
		}
	}
	if !folded {
		return body{Short: short}
	}
	whole := lines
	if len(whole) > mostLines {
		whole = append(whole[:mostLines:mostLines], line{Gap: true})
	}
	return body{Short: short, Whole: whole}
}

func lineOf(text string) line {
	bare := strings.TrimLeft(text, " ")
	return line{Indent: text[:len(text)-len(bare)], Text: bare}
}

// objectLines sets an object that came as JSON, in the order of its fields; nil if it is none.
func objectLines(b []byte, m marks) []line {
	var came, doc yaml.Node
	if len(b) == 0 || yaml.Unmarshal(b, &came) != nil {
		return nil
	}
	plain(&came, m)
	arrange(came.Content[0])
	var text bytes.Buffer
	e := yaml.NewEncoder(&text)
	e.SetIndent(2)
	var v any
	if e.Encode(&came) != nil || yaml.Unmarshal(text.Bytes(), &doc) != nil || doc.Decode(&v) != nil {
		return nil
	}
	var lines []line
	for t := range strings.SplitSeq(strings.TrimRight(text.String(), "\n"), "\n") {
		lines = append(lines, lineOf(t))
	}
	var missing []string
	for _, path := range always {
		markPath(lines, doc.Content[0], v, path, shown)
	}
	for path, as := range m {
		if !markPath(lines, doc.Content[0], v, path, as) && as == meant {
			missing = append(missing, path)
		}
	}
	for _, path := range missing {
		lines = append(lines, line{Text: "# no " + path, mark: meant})
	}
	return lines
}

// plain makes a value block style, and drops the records of field managers unless a path leads there.
func plain(n *yaml.Node, m marks) {
	n.Style = 0
	if text, err := yaml.Marshal(n.Value); err == nil && n.Tag == "!!str" && text[0] == '"' {
		n.Style = yaml.DoubleQuotedStyle // "yes" is no text for those who read YAML 1.1
	}
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == "managedFields" && !m.name("managedFields") {
				n.Content = append(n.Content[:i:i], n.Content[i+2:]...)
				i -= 2
			}
		}
		if len(n.Content) == 0 {
			n.Style = yaml.FlowStyle
		}
	}
	for _, c := range n.Content {
		plain(c, m)
	}
}

// arrange puts the fields that say what an object is first, as people write them.
func arrange(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		return
	}
	var first, rest []*yaml.Node
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == name {
				first = append(first, n.Content[i:i+2]...)
			}
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !slices.Contains(first, n.Content[i]) {
			rest = append(rest, n.Content[i:i+2]...)
		}
	}
	n.Content = append(first, rest...)
}

// name reports whether a path has a word.
func (m marks) name(word string) bool {
	for path := range m {
		if strings.Contains(path, word) {
			return true
		}
	}
	return false
}

// markPath marks the line of a field, shows those that lead to it, and some below it. It returns false if there is no such field.
func markPath(lines []line, n *yaml.Node, v any, path string, as mark) bool {
	steps, all := expr.Steps(v, path)
	at := -1
	for _, s := range steps {
		var number int
		n, number = expr.Child(n, s)
		at = number - 1
		lines[at].mark = max(lines[at].mark, shown)
	}
	if !all || at < 0 {
		return false
	}
	lines[at].mark = max(lines[at].mark, as)
	for i := at + 1; i < len(lines) && i <= at+mostBelow && len(lines[i].Indent) > len(lines[at].Indent); i++ {
		lines[i].mark = max(lines[i].mark, shown)
	}
	return true
}
