package tui

import (
	"kubarium/flow"
	"kubarium/tui/objects"
	"kubarium/tui/page"
)

// Refiltered lists again what the filter lets through, on every page.
func (u *ui) Refiltered() {
	u.payAll()
	u.Streams.Fold()
	for _, s := range u.screens() {
		u.pages[s].Refilter()
	}
}

// Show changes the page.
func (u *ui) Show(s page.ID) {
	u.Front, u.At, u.First, u.Zoom = s, 0, 0, false
	if s != page.Client {
		u.from = origin{}
	}
	u.pay(s)
	if p, ok := u.page().(page.Opener); ok {
		p.Opened()
	}
	u.Relayout()
}

// pane is what has the keys.
func (u *ui) pane() page.Pane {
	ps := u.page().Panes()
	return ps[max(0, min(u.At, len(ps)-1))]
}

// Enter moves the keys to the i-th pane of the page. A request that is being read is pinned: nothing moves under the
// reader's eyes.
func (u *ui) Enter(i int) {
	u.At = max(0, min(i, len(u.page().Panes())-1))
	if u.At > 0 && u.Front == page.Traffic {
		u.Pin()
	}
	if p, ok := u.page().(page.Focuser); ok {
		p.Entered(u.At)
	}
	u.Relayout()
}

// cycle moves the keys to the next pane, or to the one before.
func (u *ui) cycle(by int) {
	n := len(u.page().Panes())
	u.Enter((u.At + by + n) % n)
}

// UnderCursor is the request of the row, or of the line below it, under the cursor; nil for none.
func (u *ui) UnderCursor() *flow.Flow {
	if s, ok := u.pane().(*page.Sheet); ok && s.Chosen() > 0 {
		return u.Log.Get(s.Chosen())
	}
	if p, ok := u.page().(page.Pointer); ok {
		return p.Chosen()
	}
	return nil
}

// Jump shows a request in Traffic; one that is not held any more is said to be gone.
func (u *ui) Jump(f *flow.Flow) {
	if f == nil {
		u.Say("that request is no longer kept")
		return
	}
	u.Show(page.Traffic)
	u.traffic().JumpTo(f)
}

// OpenObject shows an object on the screen Objects, at its history.
func (u *ui) OpenObject(s page.Subject, revision int64) {
	u.Chose(s, revision)
	u.objects().OpenAt(objects.TabHistory)
	u.Show(page.Objects)
}

// typist is the page at the front if a line of it is being typed, else nil.
func (u *ui) typist() page.Typist {
	if t, ok := u.page().(page.Typist); ok && t.Typing() {
		return t
	}
	return nil
}

// ShowOwn shows Kubarium's own requests and watches, or hides them.
func (u *ui) ShowOwn(yes bool) {
	u.traffic().ShowOwn(yes)
}
