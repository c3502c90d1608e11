package inspect

import (
	"fmt"

	"kubarium/flow"
	"kubarium/flow/bodies"
	"kubarium/tui/body"
	"kubarium/tui/term"
)

// body adds a body in the chosen format, below a line that says which format was on the wire.
func (in *Inspector) body(p *term.Column, b flow.Body, contentType, none string) {
	if b.Total == 0 && len(b.Kept) == 0 {
		p.Add(term.Dim.Of(none))
		return
	}
	plain, packed := bodies.Unpacked(b.Kept)
	wire := bodies.Encoding(contentType, plain)
	if in.made.whole {
		p.More(body.WireLine(b, plain, packed, wire, p.W)...)
	}
	if in.made.whole || in.Format != body.JSON {
		p.More(in.formatLine(plain))
	}
	if b.Cut {
		p.Add(term.Warn.Of(fmt.Sprintf("only the first %s of %s were kept", term.BytesText(int64(len(b.Kept))),
			term.BytesText(b.Total))))
	}
	if in.Format == body.Rows {
		in.tableForm(p, plain)
		return
	}
	shown := plain
	if in.Format == body.Hex {
		shown = b.Kept
	}
	lines := body.Lines(shown, in.Format, p.W)
	at := in.findIn(shown, lines)
	keep := at
	if at < 0 {
		keep = in.env.Point.LineOf(lines)
	}
	lines, keep = in.folded(lines, p.W, keep)
	if at >= 0 {
		lines = in.placeField(p, lines, keep)
	}
	p.More(lines...)
	if int64(len(shown)) > body.MostShown {
		p.Add(term.Warn.Of(fmt.Sprintf("… %s of %s shown", term.BytesText(body.MostShown),
			term.BytesText(int64(len(shown))))))
	}
}

// formatLine names the formats; b changes the format.
func (in *Inspector) formatLine(plain []byte) term.Line {
	l := term.Line{term.Dim.Of("shown as")}
	for f := body.JSON; f < body.Formats; f++ {
		if f == body.Wire && bodies.LooksText(plain) {
			continue
		}
		st := term.Dim
		if f == in.Format {
			st = term.Tab
		}
		l = append(l, term.Dim.Of("  "), st.Of(f.String()))
	}
	return append(l, term.Dim.Of("  "), term.Key.Of("b"), term.Dim.Of(" changes"))
}

// NextFormat shows bodies in the next format.
func (in *Inspector) NextFormat() {
	in.Format = (in.Format + 1) % body.Formats
	if f := in.env.Shown(); in.Format == body.Wire && f != nil && !body.HasFields(f.RequestBody) &&
		!body.HasFields(f.ResponseBody) {
		in.Format++
	}
	in.askTable()
	in.env.Say("bodies as %s", in.Format)
}
