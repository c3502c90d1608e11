package tui

import (
	"kubarium/flow"
	"kubarium/tui/page"
	"kubarium/tui/watches"
)

// An origin is the row from which the page of a client was opened; its page is 0 if that was not done from a row.
type origin struct {
	front     page.ID
	at, first int
	zoom      bool
	sel       *flow.Flow
}

// whose is the client of the row under the cursor, or why there is none.
func (u *ui) whose() (tag, why string) {
	if s, ok := u.pane().(*page.Sheet); !ok || s.Chosen() == 0 {
		for _, of := range []any{u.pane(), u.page()} {
			if w, ok := of.(page.Whose); ok {
				return w.Whose()
			}
		}
	}
	f := u.UnderCursor()
	if u.Front == page.Traffic {
		f = u.Sel
	}
	switch {
	case f == nil:
		return "", "there is no request under the cursor"
	case f.Client.Tag == "":
		return "", "it is not known who sent this request"
	}
	return f.Client.Tag, ""
}

func (u *ui) needsWho() string {
	_, why := u.whose()
	return why
}

// showWho shows the client of the row under the cursor.
func (u *ui) showWho() {
	tag, _ := u.whose()
	if u.Front == page.Client {
		u.who().Open(tag, true)
		return
	}
	if u.Front == page.Traffic {
		u.Pin() // nothing moves while its client is looked at
	}
	u.from = origin{u.Front, u.At, u.First, u.Zoom, u.Sel}
	u.who().Open(tag, false)
	u.Show(page.Client)
}

// backToRow goes back to the row from which the page of a client was opened, and reports whether there is one.
func (u *ui) backToRow() bool {
	from := u.from
	if u.Front != page.Client || from.front == 0 {
		return false
	}
	u.from = origin{}
	u.Front, u.At, u.First, u.Zoom = from.front, from.at, from.first, from.zoom
	u.pay(u.Front)
	if from.sel != nil && from.sel != u.Sel && u.Log.Get(from.sel.Seq) != nil {
		u.Choose(u.Log.Get(from.sel.Seq))
	}
	u.arrived()
	return true
}

// open shows a page as its tab says; that of a client is of the row under the cursor, if that has one.
func (u *ui) open(id page.ID) {
	if id == page.Client && u.Front != page.Client && u.needsWho() == "" {
		u.showWho()
		return
	}
	u.Show(id)
}

// ShowWatch shows a watch, at the frame of a revision.
func (u *ui) ShowWatch(id uint64, revision int64) {
	u.Show(page.Watches)
	if !u.pages[page.Watches].(*watches.Page).Find(id, revision) {
		u.Say("that watch is no longer kept, or the filter hides it")
	}
}
