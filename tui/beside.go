package tui

import "kubarium/server/flow"

// A beside is the third pane of Traffic: the text of the loaded lesson, or the object of the selected request as YAML.
type beside struct {
	t *traffic
	viewport
	of    *flow.Flow // that the object was made of, in this width
	width int
}

func (b *beside) name() string { return "object" }

func (b *beside) legend() []string {
	return []string{
		"The object of the selected request: as this request stored it, or as it was answered; of a refused write, as it was stored then.",
		"While a lesson is loaded it stands here instead, step by step.",
	}
}

func (b *beside) keys() []binding { return b.t.keysOfPage() }

func (b *beside) drawIn(c *canvas, r rect) {
	b.build(r.w - 2)
	b.draw(c, r.inset(1), r)
}

func (b *beside) build(w int) {
	u := b.t.u
	if u.lessonText != nil {
		b.lines, b.of = u.lessonText(w), nil
		return
	}
	f := u.shown()
	if f == nil {
		b.lines = nil
		return
	}
	if b.of != f || b.width != w {
		b.lines, b.of, b.width, b.top = objectText(f, w), f, w, 0
	}
}

// objectBody is the object of a request: as stored by it, or as it was answered.
func objectBody(f *flow.Flow) []byte {
	b := f.ResponseBody.Kept
	if n := len(f.Effects); n > 0 && len(f.Effects[n-1].After) > 0 {
		b = f.Effects[n-1].After
	}
	if f.Conflict != nil && len(f.Conflict.Object) > 0 {
		b = f.Conflict.Object
	}
	return b
}

func objectText(f *flow.Flow, w int) []line {
	b := objectBody(f)
	if len(b) == 0 {
		return []line{text(sDim, "This request has no object.")}
	}
	return bodyLines(b, asYAML, w)
}
