package tui

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"kubarium/server/flow"
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

// body adds a body in the chosen format under a line that says which of the formats was on the wire.
func (in *inspector) body(p *inspectorPage, b flow.Body, contentType, none string) {
	if b.Total == 0 && len(b.Kept) == 0 {
		p.add(span{sDim, none})
		return
	}
	plain, packed := object.Unpacked(b.Kept)
	wire := object.WireName(contentType, plain)
	p.more(wireLine(b, plain, packed, wire, p.w)...)
	p.more(in.formatLine(plain))
	if b.Cut {
		p.add(span{sWarn, fmt.Sprintf("only the first %s of %s were kept", bytesText(int64(len(b.Kept))), bytesText(b.Total))})
	}
	if in.format == asRows {
		in.tableForm(p, plain)
		return
	}
	shown := plain
	if in.format == asHex {
		shown = b.Kept
	}
	p.more(in.folded(bodyLines(shown, in.format, p.w), p.w)...)
	if int64(len(shown)) > mostShown {
		p.add(span{sWarn, fmt.Sprintf("… %s of %s shown", bytesText(mostShown), bytesText(int64(len(shown))))})
	}
}

// formatLine names the formats in which b shows the body.
func (in *inspector) formatLine(plain []byte) line {
	l := line{{sDim, "shown as"}}
	for f := asJSON; f < bodyFormats; f++ {
		if f == asWire && object.IsText(plain) {
			continue
		}
		st := sDim
		if f == in.format {
			st = sTab
		}
		l = append(l, span{sDim, "  "}, span{st, f.String()})
	}
	return append(l, span{sDim, "  "}, span{sKey, "b"}, span{sDim, " changes"})
}

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

func yamlStyle(v string) style {
	v = strings.TrimSpace(v)
	if st := valueStyle(v); st == sNum && strings.IndexFunc(v, func(r rune) bool { return r > '9' || r < '-' }) < 0 {
		return sNum
	}
	return sStr
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

func (in *inspector) nextFormat() {
	in.format = (in.format + 1) % bodyFormats
	if f := in.u.shown(); in.format == asWire && f != nil && !hasFields(f.RequestBody) && !hasFields(f.ResponseBody) {
		in.format++
	}
	in.askTable()
	in.u.say("bodies as %s", in.format)
}

// shortPath cuts a path from its left, where it is least telling.
func shortPath(path string, w int) string {
	path = strings.TrimPrefix(path, ".")
	n := text(sPlain, path).width()
	if n <= w || w < 4 {
		return fit(path, w)
	}
	rs := []rune(path)
	return "…" + string(rs[len(rs)-(w-1):])
}
