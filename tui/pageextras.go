package tui

// What a page may do beside what every page does.
type (
	// An opener is told that its page came to the front.
	opener interface{ opened() }
	// A focuser has more than two panes, and says which of them has the keys.
	focuser interface {
		focused() pane
		focus(side bool)
		columnTitle(i int) (title, note line) // of the i-th pane from the left
		clicked(x, y int) bool                // a press on the screen; false if it is in none of the panes
		wheeled(x, y, lines int)              // the wheel, over the pane at x and y
	}
	// A returner goes back by itself, one step; it says false if it has nothing to go back from.
	returner interface{ back() bool }
	// A typist has a line that is being typed, which takes all keys meanwhile.
	typist interface {
		typing() bool
		typed(k string)
		pasted(s string)
	}
	// A narrower has a filter of its own, and draws the line of it.
	narrower interface{ drawNarrow(c *canvas, r rect) }
)

// typist is the page at the front if a line of it is being typed, else nil.
func (u *ui) typist() typist {
	if t, ok := u.page().(typist); ok && t.typing() {
		return t
	}
	return nil
}

// returned lets the page at the front go back one step, if it has one.
func (u *ui) returned() bool {
	r, ok := u.page().(returner)
	return ok && r.back()
}

// shortTabs are the names of the screens where there is no room for all of them in full.
var shortTabs = map[screenID]string{
	pageTraffic: "1Traffic", pageWatches: "2Watch", pageLists: "3Lists", pageVersions: "4Vers",
	pageConflicts: "5Confl", pageDeletes: "6Del", pageObjects: "7Obj", pageLearn: "8Learn",
}

// crowded reports whether the tabs in full, and the note beside them, are wider than the screen.
func (u *ui) crowded() bool {
	x := 1 + text(sPlain, u.tabNote()).width() + 1
	for _, s := range u.screens() {
		name, badge := u.screenTab(s)
		x += text(sPlain, name+badge).width() + 3 + pick(badge == "", 0, 1)
	}
	return x > u.w
}
