package traffic

import (
	"kubarium/flow"
	"kubarium/tui/body"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// A beside is the third pane of Traffic: the text of the loaded lesson, or the object of the selected request as YAML.
type beside struct {
	t *Page
	term.Viewport
	of    *flow.Flow // that the object was made of, in this width
	width int
}

func (b *beside) Name() string { return "object" }

func (b *beside) Legend() []string {
	return []string{
		"The object of the selected request: as this request stored it, or as it was answered; of a refused write, " +
			"as it was stored then.",
		"While a lesson is loaded it is shown here instead, step by step.",
	}
}

func (b *beside) Keys() []page.Binding { return b.t.keysOfPage() }

func (b *beside) drawIn(c *term.Canvas, r term.Rect) {
	b.build(r.W - 2)
	b.Draw(c, r.Inset(1), r)
}

func (b *beside) build(w int) {
	u := b.t.env
	if u.LessonText != nil {
		b.Lines, b.of = u.LessonText(w), nil
		return
	}
	f := u.Shown()
	if f == nil {
		b.Lines = nil
		return
	}
	if b.of != f || b.width != w {
		b.Lines, b.of, b.width, b.Top = objectText(f, w), f, w, 0
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

func objectText(f *flow.Flow, w int) []term.Line {
	b := objectBody(f)
	if len(b) == 0 {
		return []term.Line{term.Text(term.Dim, "This request has no object.")}
	}
	return body.Lines(b, body.YAML, w)
}
