// Package body formats bodies as lines: as JSON, YAML, hex, or as the fields of Protobuf and CBOR next to their bytes.
// It also compares two texts.
package body

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff/myers"
	"sigs.k8s.io/yaml"

	"kubarium/flow"
	"kubarium/flow/bodies"
	"kubarium/tui/term"
)

// A Format is how a body is shown. Except for Wire and Hex, it is converted from the bytes sent; a Table by the server.
type Format int

// The formats.
const (
	JSON Format = iota
	YAML
	Wire // the fields of Protobuf and CBOR next to their bytes
	Rows // as a Table
	Hex
	Formats // their number
)

// String returns the name of the format on the screen.
func (b Format) String() string { return [...]string{"json", "yaml", "fields", "table", "hex"}[b] }

// Lines formats a body. Protobuf and CBOR are decoded. A body in no known format is shown as it is, or as hex if it is
// not text.
func Lines(b []byte, f Format, w int) []term.Line {
	if f == Hex {
		return HexLines(b, w)
	}
	if f == Wire {
		if ls := wireLines(b, w); ls != nil {
			return ls
		}
	}
	text, form := textOf(b, f)
	switch form {
	case JSON:
		return jsonLines(Clip(text), w)
	case YAML:
		return YAMLLines(Clip(text), w)
	case Hex:
		return HexLines(text, w)
	}
	return Plain(Clip(text), w)
}

// textOf is a body as indented JSON or as YAML, and which of these it is; Hex for bytes that are no text, and Formats for
// other text.
func textOf(b []byte, f Format) (text []byte, form Format) {
	if !bodies.LooksText(b) {
		decoded := bodies.JSON(flow.Body{Kept: b})
		if decoded == nil {
			return b, Hex
		}
		b = decoded
	}
	asObject, err := yaml.YAMLToJSON(b)
	if json.Valid(b) {
		asObject, err = b, nil
	}
	if err != nil || len(asObject) == 0 || asObject[0] != '{' && asObject[0] != '[' {
		return b, Formats
	}
	if f == YAML {
		if y, err := yaml.JSONToYAML(asObject); err == nil {
			return y, YAML
		}
	}
	var out bytes.Buffer
	if json.Indent(&out, asObject, "", "  ") != nil {
		return b, Formats
	}
	return out.Bytes(), JSON
}

// Plain shows text as it is, wrapped.
func Plain(b []byte, w int) []term.Line {
	var out []term.Line
	for _, l := range strings.Split(strings.TrimRight(string(b), "\n"), "\n") {
		out = append(out, term.WrapLines(term.Plain, l, w)...)
	}
	return out
}

// jsonLines colours indented JSON.
func jsonLines(b []byte, w int) []term.Line {
	var out []term.Line
	for _, l := range strings.Split(strings.TrimRight(string(b), "\n"), "\n") {
		out = append(out, jsonLine(l, w))
	}
	return out
}

func jsonLine(s string, w int) term.Line {
	body := strings.TrimLeft(s, " ")
	l := term.Line{term.Plain.Of(s[:len(s)-len(body)])}
	if strings.HasPrefix(body, `"`) {
		if end := stringEnd(body); end < len(body) && body[end] == ':' {
			l = append(l, term.Name.Of(body[:end]), term.Dim.Of(": "))
			body = strings.TrimPrefix(body[end+1:], " ")
		}
	}
	return term.FitLine(append(l, valueStyle(body).Of(body)), w)
}

// stringEnd returns the index after the JSON string at the beginning of s.
func stringEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

func valueStyle(v string) term.Style {
	switch {
	case v == "":
		return term.Plain
	case v[0] == '"':
		return term.Str
	case v[0] == '-' || v[0] >= '0' && v[0] <= '9':
		return term.Num
	case v[0] == 't' || v[0] == 'f' || v[0] == 'n':
		return term.Num
	}
	return term.Dim
}

// YAMLLines colours YAML.
func YAMLLines(b []byte, w int) []term.Line {
	var out []term.Line
	for _, s := range strings.Split(strings.TrimRight(string(b), "\n"), "\n") {
		body := strings.TrimLeft(s, " -")
		l := term.Line{term.Dim.Of(s[:len(s)-len(body)])}
		if k, v, ok := strings.Cut(body, ":"); ok && (v == "" || v[0] == ' ') {
			l = append(l, term.Name.Of(k), term.Dim.Of(":"), yamlStyle(v).Of(v))
		} else {
			l = append(l, term.Str.Of(body))
		}
		out = append(out, term.FitLine(l, w))
	}
	return out
}

// HexLines shows bytes with their offsets, as many in a line as fit.
func HexLines(b []byte, w int) []term.Line {
	n := 16
	if w < 76 {
		n = 8
	}
	b = Clip(b)
	var out []term.Line
	for at := 0; at < len(b); at += n {
		part := b[at:min(len(b), at+n)]
		h := hex.EncodeToString(part)
		var spaced strings.Builder
		for i := 0; i < len(h); i += 2 {
			spaced.WriteString(h[i:i+2] + " ")
		}
		text := term.Pad(spaced.String(), 3*n)
		l := term.Line{term.Dim.Of(fmt.Sprintf("%06x  ", at)), term.Plain.Of(text), term.Str.Of(" " + printable(part))}
		out = append(out, l)
	}
	return out
}

// Pretty indents JSON; other text stays as it is.
func Pretty(b []byte) []string {
	if len(b) == 0 {
		return nil
	}
	var out bytes.Buffer
	if json.Indent(&out, b, "", "  ") != nil {
		return strings.Split(string(Clip(b)), "\n")
	}
	return strings.Split(out.String(), "\n")
}

// Diff shows the changes from a to b: + added, - removed, and some lines around.
func Diff(a, b []string, w int) []term.Line {
	ops := lineDiff(a, b)
	near := make([]bool, len(ops))
	changed := false
	for i, o := range ops {
		if o.Sign == ' ' {
			continue
		}
		changed = true
		for k := max(0, i-around); k <= min(len(ops)-1, i+around); k++ {
			near[k] = true
		}
	}
	if !changed {
		return []term.Line{term.Text(term.Dim, "  no difference")}
	}
	shortenPairs(ops, w-2)
	var out []term.Line
	for i, o := range ops {
		if !near[i] {
			if i > 0 && near[i-1] {
				out = append(out, term.Text(term.Dim, "  ⋮"))
			}
			continue
		}
		st := map[byte]term.Style{' ': term.Dim, '+': term.Add, '-': term.Del}[o.Sign]
		l := term.Line{st.Of(string(o.Sign) + " " + o.Text)}
		if o.Sign == '-' { // the underline of removed text does not cover its indentation
			words := strings.TrimLeft(o.Text, " ")
			l = term.Line{term.Warn.Of("-"), term.Plain.Of(o.Text[:len(o.Text)-len(words)] + " "), st.Of(words)}
		}
		out = append(out, term.FitLine(l, w))
	}
	return out
}

// shortenPairs leaves out the beginning that a removed line has in common with the line that takes its place, so far
// that the difference is in the first w cells.
func shortenPairs(ops []diffOp, w int) {
	for i := 0; i < len(ops); i++ {
		first := i
		for i < len(ops) && ops[i].Sign == '-' {
			i++
		}
		removed := i - first
		for k := 0; k < removed && i+k < len(ops) && ops[i+k].Sign == '+'; k++ {
			shortenPair(&ops[first+k].Text, &ops[i+k].Text, w)
		}
	}
}

func shortenPair(a, b *string, w int) {
	x, y := []rune(*a), []rune(*b)
	same := 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	before, after := w/3, w/4 // cells of the common beginning that stay: its first, and its last
	if same < w*3/4 || before+after >= same {
		return
	}
	short := func(r []rune) string { return string(r[:before]) + " … " + string(r[same-after:]) }
	*a, *b = short(x), short(y)
}

// A diffOp is a line of a difference.
type diffOp struct {
	Sign byte // ' ', '+' or '-'
	Text string
}

// lineDiff returns the changes from a to b, line by line, as few as possible (Myers).
func lineDiff(a, b []string) []diffOp {
	before, after := lined(a), lined(b)
	var ops []diffOp
	add := func(sign byte, text string) {
		for s := range strings.Lines(text) {
			ops = append(ops, diffOp{sign, strings.TrimSuffix(s, "\n")})
		}
	}
	at := 0
	for _, e := range myers.ComputeEdits(before, after) {
		add(' ', before[at:e.Start])
		add('-', before[e.Start:e.End])
		add('+', e.New)
		at = e.End
	}
	add(' ', before[at:])
	return ops
}

// lined joins lines, at most mostDiffed.
func lined(lines []string) string {
	var b strings.Builder
	for _, l := range lines[:min(len(lines), mostDiffed)] {
		b.WriteString(l)
		b.WriteByte('\n')
	}
	return b.String()
}

// Differing counts the lines that only b has, and those that only a has.
func Differing(a, b []string) (more, less int) {
	for _, o := range lineDiff(a, b) {
		switch o.Sign {
		case '+':
			more++
		case '-':
			less++
		}
	}
	return more, less
}

// MostShown is how many bytes of a body the screen formats; all of it can be copied.
const MostShown = 64 << 10

// Clip returns the part of a body that is shown.
func Clip(b []byte) []byte { return b[:min(len(b), MostShown)] }

// around is how many unchanged lines are shown next to a change.
const around = 2

// mostDiffed is how many lines are compared; the cost grows with the number of differences.
const mostDiffed = 1500

func yamlStyle(v string) term.Style {
	v = strings.TrimSpace(v)
	if st := valueStyle(v); st == term.Num &&
		strings.IndexFunc(v, func(r rune) bool { return r > '9' || r < '-' }) < 0 {
		return term.Num
	}
	return term.Str
}

func printable(b []byte) string {
	out := make([]byte, len(b))
	for i, c := range b {
		out[i] = '.'
		if c >= 0x20 && c < 0x7f {
			out[i] = c
		}
	}
	return string(out)
}
