package tui

import (
	"fmt"
	"strings"

	"kubarium/server/flow"
	"kubarium/server/flow/redact"
)

// otherMark is the newest marked request that is not the selected one.
func (u *env) otherMark() *flow.Flow {
	for i := len(u.marks) - 1; i >= 0; i-- {
		if u.marks[i] != u.sel {
			return u.marks[i]
		}
	}
	return nil
}

// compare shows what differs between the marked request and the selected one.
func (u *env) compare() {
	a, b := u.otherMark(), u.sel
	if !u.unmasked {
		a, b = redact.Flow(a), redact.Flow(b)
	}
	u.over = &reader{title: fmt.Sprintf("#%d compared with #%d", a.Seq, b.Seq), lines: func(w int) []line {
		p := &inspectorPage{w: w}
		p.title("Request line")
		p.more(diffLines([]string{requestLine(a)}, []string{requestLine(b)}, w)...)
		p.title("Answer")
		p.more(diffLines([]string{answerLine(a)}, []string{answerLine(b)}, w)...)
		p.title("Request body")
		p.more(diffLines(pretty(a.RequestBody.Kept), pretty(b.RequestBody.Kept), w)...)
		p.title("Response body")
		p.more(diffLines(pretty(a.ResponseBody.Kept), pretty(b.ResponseBody.Kept), w)...)
		return p.lines
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
