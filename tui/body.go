package tui

import (
	"fmt"
	"strings"

	"kubarium/server/flow"
	"kubarium/server/flow/object"
)

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
