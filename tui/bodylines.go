package tui

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff/myers"
	"sigs.k8s.io/yaml"

	"kubarium/server/flow/object"
)

// A bodyFormat is how a body is shown. All but wire and hex are made anew from what was sent, a
// Table by the server.
type bodyFormat int

const (
	asJSON bodyFormat = iota
	asYAML
	asWire // of Protobuf and CBOR: what each field says beside its bytes
	asRows // as a Table
	asHex
	bodyFormats
)

func (b bodyFormat) String() string { return [...]string{"json", "yaml", "fields", "table", "hex"}[b] }

// bodyLines lays a body out: Protobuf and CBOR as what they say. What is in no format that can be read is shown as it is, or
// as hex if it is no text.
func bodyLines(b []byte, f bodyFormat, w int) []line {
	if f == asHex {
		return hexLines(b, w)
	}
	if f == asWire {
		if ls := wireLines(b, w); ls != nil {
			return ls
		}
	}
	if !object.IsText(b) {
		text := object.Readable(b)
		if text == nil {
			return hexLines(b, w)
		}
		b = text
	}
	asObject, err := yaml.YAMLToJSON(b)
	if json.Valid(b) {
		asObject, err = b, nil
	}
	if err != nil || len(asObject) == 0 || asObject[0] != '{' && asObject[0] != '[' {
		return plainLines(clip(b), w)
	}
	if f == asYAML {
		y, err := yaml.JSONToYAML(asObject)
		if err == nil {
			return yamlLines(clip(y), w)
		}
	}
	var out bytes.Buffer
	if json.Indent(&out, asObject, "", "  ") != nil {
		return plainLines(clip(b), w)
	}
	return jsonLines(clip(out.Bytes()), w)
}

func plainLines(b []byte, w int) []line {
	var out []line
	for _, l := range strings.Split(strings.TrimRight(string(b), "\n"), "\n") {
		out = append(out, wrapLines(sPlain, l, w)...)
	}
	return out
}

// jsonLines colours indented JSON, a line at a time.
func jsonLines(b []byte, w int) []line {
	var out []line
	for _, l := range strings.Split(strings.TrimRight(string(b), "\n"), "\n") {
		out = append(out, jsonLine(l, w))
	}
	return out
}

func jsonLine(s string, w int) line {
	body := strings.TrimLeft(s, " ")
	l := line{{sPlain, s[:len(s)-len(body)]}}
	if strings.HasPrefix(body, `"`) {
		if end := stringEnd(body); end < len(body) && body[end] == ':' {
			l = append(l, span{sName, body[:end]}, span{sDim, ": "})
			body = strings.TrimPrefix(body[end+1:], " ")
		}
	}
	return fitLine(append(l, span{valueStyle(body), body}), w)
}

// stringEnd is the index after the JSON string that s begins with.
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

func valueStyle(v string) style {
	switch {
	case v == "":
		return sPlain
	case v[0] == '"':
		return sStr
	case v[0] == '-' || v[0] >= '0' && v[0] <= '9':
		return sNum
	case v[0] == 't' || v[0] == 'f' || v[0] == 'n':
		return sNum
	}
	return sDim
}

func yamlLines(b []byte, w int) []line {
	var out []line
	for _, s := range strings.Split(strings.TrimRight(string(b), "\n"), "\n") {
		body := strings.TrimLeft(s, " -")
		l := line{{sDim, s[:len(s)-len(body)]}}
		if k, v, ok := strings.Cut(body, ":"); ok && (v == "" || v[0] == ' ') {
			l = append(l, span{sName, k}, span{sDim, ":"}, span{yamlStyle(v), v})
		} else {
			l = append(l, span{sStr, body})
		}
		out = append(out, fitLine(l, w))
	}
	return out
}

// hexLines shows bytes with their offsets, as many a line as fit.
func hexLines(b []byte, w int) []line {
	n := 16
	if w < 76 {
		n = 8
	}
	b = clip(b)
	var out []line
	for at := 0; at < len(b); at += n {
		part := b[at:min(len(b), at+n)]
		h := hex.EncodeToString(part)
		var spaced strings.Builder
		for i := 0; i < len(h); i += 2 {
			spaced.WriteString(h[i:i+2] + " ")
		}
		out = append(out, line{{sDim, fmt.Sprintf("%06x  ", at)}, {sPlain, pad(spaced.String(), 3*n)}, {sStr, " " + printable(part)}})
	}
	return out
}

// pretty indents JSON; other text stays as it is.
func pretty(b []byte) []string {
	if len(b) == 0 {
		return nil
	}
	var out bytes.Buffer
	if json.Indent(&out, b, "", "  ") != nil {
		return strings.Split(string(clip(b)), "\n")
	}
	return strings.Split(out.String(), "\n")
}

// diffLines shows what changed from a to b: + added, - removed, and some lines around.
func diffLines(a, b []string, w int) []line {
	ops := diff(a, b)
	near := make([]bool, len(ops))
	changed := false
	for i, o := range ops {
		if o.sign == ' ' {
			continue
		}
		changed = true
		for k := max(0, i-around); k <= min(len(ops)-1, i+around); k++ {
			near[k] = true
		}
	}
	if !changed {
		return []line{text(sDim, "  no difference")}
	}
	var out []line
	for i, o := range ops {
		if !near[i] {
			if i > 0 && near[i-1] {
				out = append(out, text(sDim, "  ⋮"))
			}
			continue
		}
		st := map[byte]style{' ': sDim, '+': sAdd, '-': sDel}[o.sign]
		l := line{{st, string(o.sign) + " " + o.text}}
		if o.sign == '-' { // the line under what is gone is not drawn under what was blank
			words := strings.TrimLeft(o.text, " ")
			l = line{{sWarn, "-"}, {sPlain, o.text[:len(o.text)-len(words)] + " "}, {st, words}}
		}
		out = append(out, fitLine(l, w))
	}
	return out
}

type diffOp struct {
	sign byte // ' ', '+' or '-'
	text string
}

// diff is what leads from a to b, line by line, in as few changes as possible (Myers).
func diff(a, b []string) []diffOp {
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

// lined is a text of lines, as many as are compared.
func lined(lines []string) string {
	var b strings.Builder
	for _, l := range lines[:min(len(lines), mostDiffed)] {
		b.WriteString(l)
		b.WriteByte('\n')
	}
	return b.String()
}

// Differing counts the lines of b that a does not have, and those of a that b does not have.
func differing(a, b []string) (more, less int) {
	for _, o := range diff(a, b) {
		switch o.sign {
		case '+':
			more++
		case '-':
			less++
		}
	}
	return more, less
}

// mostShown is how many bytes of a body the screen lays out; more is there to be copied.
const mostShown = 64 << 10

func clip(b []byte) []byte { return b[:min(len(b), mostShown)] }

// around is how many unchanged lines are shown beside a change.
const around = 2

// mostDiffed is how many lines a side is compared up to; the time that it takes grows with how much differs.
const mostDiffed = 1500

func yamlStyle(v string) style {
	v = strings.TrimSpace(v)
	if st := valueStyle(v); st == sNum && strings.IndexFunc(v, func(r rune) bool { return r > '9' || r < '-' }) < 0 {
		return sNum
	}
	return sStr
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
