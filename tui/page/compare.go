package page

import (
	"fmt"
	"strings"

	"kubarium/flow"
	"kubarium/flow/redact"
	"kubarium/tui/body"
	"kubarium/tui/term"
)

// OtherMark is the newest marked request that is not the selected one.
func (e *Env) OtherMark() *flow.Flow {
	for i := len(e.Marks) - 1; i >= 0; i-- {
		if e.Marks[i] != e.Sel {
			return e.Marks[i]
		}
	}
	return nil
}

// Compare shows what differs between the marked request and the selected one.
func (e *Env) Compare() {
	a, b := e.OtherMark(), e.Sel
	if !e.Unmasked {
		a, b = redact.Flow(a), redact.Flow(b)
	}
	e.Over = &term.Reader{Title: e.F("#%d compared with #%d", a.Seq, b.Seq), Lines: func(w int) []term.Line {
		p := &term.Column{W: w}
		p.Title("Request line")
		p.More(body.Diff([]string{requestLine(a)}, []string{requestLine(b)}, w)...)
		p.Title("Answer")
		p.More(body.Diff([]string{answerLine(a)}, []string{answerLine(b)}, w)...)
		p.Title("Request body")
		p.More(body.Diff(body.Pretty(a.RequestBody.Kept), body.Pretty(b.RequestBody.Kept), w)...)
		p.Title("Response body")
		p.More(body.Diff(body.Pretty(a.ResponseBody.Kept), body.Pretty(b.ResponseBody.Kept), w)...)
		return p.Lines
	}}
}

func requestLine(f *flow.Flow) string {
	if f.Query == "" {
		return f.Method + " " + f.Path
	}
	return f.Method + " " + f.Path + "?" + f.Query
}

func answerLine(f *flow.Flow) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s %s", f.Status, f.Reason, f.Message))
}
