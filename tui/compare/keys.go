package compare

import (
	"kubarium/tui/page"
)

func (x *Page) Keys() []page.Binding {
	return []page.Binding{
		{Keys: []string{"enter"}, Hint: "request", Help: "show the request of this row in Traffic, which is of run A", Off: x.needsLeft, Do: func() { x.Env.Jump(x.Env.UnderCursor()) }},
		{Keys: []string{"n"}, Hint: "next difference", Help: "to the next row that differs", Off: x.needsDifference, Do: func() { x.seek(1) }},
		{Keys: []string{"N"}, Help: "to the row before that differs", Off: x.needsDifference, Do: func() { x.seek(-1) }},
		{Keys: []string{"y"}, Hint: "copy", Help: "copy this row's request in A: kubectl, curl, body, headers, " + x.Env.Store().Copy + ", rv, line", Off: x.needsLeft, Do: x.Env.OnRow(x.Env.AskCopy)},
	}
}

func (x *Page) needsLeft() string {
	r := x.Selected()
	switch {
	case r == nil:
		return "there is no request under the cursor"
	case r.Left == nil:
		return "this request is in run B alone, which the other pages do not show; the details show it"
	}
	return ""
}

func (x *Page) needsDifference() string {
	return page.Unless(x.differences() > 0, "no row differs by more than timing")
}

// seek goes to the next row that differs by more than timing, in the direction of by.
func (x *Page) seek(by int) {
	for i := x.Cursor.At() + by; i >= 0 && i < len(x.Rows); i += by {
		if x.Rows[i].Hard() {
			x.Point(i)
			return
		}
	}
	x.Env.Say("there is no further difference in this direction")
}

func (x *Page) legend() []string {
	return []string{
		"Each line is a request: on the left as it is in run A, on the right as it is in run B. " +
			"The title names the files. Pages 1 to 9 show run A.",
		"≠ is another answer, body or user; ← a request of A alone, → one of B alone. ≈ differs by timing alone: " +
			"sent in another order, read or tried again, a watch begun again. Everything else is the same in both.",
		"The sentence above the list says where the runs part: at the first row that differs by more than timing. n " +
			"and N go from one such row to the next. +s is the time since the first request of the run.",
		"resourceVersions, uids, times and random parts of names differ in any two runs, and do not count.",
	}
}
