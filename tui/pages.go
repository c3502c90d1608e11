package tui

import "kubarium/server/flow"

// A page is a screen with a list above and what there is to say about the chosen row below. It is the pane of its
// list. What the frame, the mouse and the keys need of such a screen they ask of the page; a further one is a further
// line in newPages, with its numbers in layout.go and its keys in keys.go.
type page interface {
	pane
	fold(flows []*flow.Flow)         // takes what came
	refilter()                       // lists anew what the filter lets through
	detail() pane                    // the pane below the list
	tab() (name, badge string)       // "5 Conflicts", "!1"
	titles() (list, note, of line)   // of the list, with a note for its right end, and of what is below
	draw(c *canvas, main, side rect) // into the rects of the two panes; one may be empty
	point(row int)                   // puts the cursor on a visible row of the list, counted from the first
	pointDetail(row int)             // the same below
	restless() bool                  // whether what is drawn changes as time goes by
	legend() []string                // how to read it, a sentence an element
}

// newPages makes the pages, by their numbers.
func newPages(u *env) map[screenID]page {
	return map[screenID]page{
		pageObjects:   newObjects(u),
		pageVersions:  newVersions(u),
		pageConflicts: newConflicts(u),
		pageLists:     newLists(u),
		pageDeletes:   newDeletes(u),
	}
}

func (u *ui) versions() *versions { return u.pages[pageVersions].(*versions) }

func (u *ui) objects() *objectsPage { return u.pages[pageObjects].(*objectsPage) }

// showCause shows the request that made the change of the selected frame.
func (u *ui) showCause() { u.jump(u.watches.frames.cause()) }

// press does what a key does on the page.
func (u *ui) press(k string) { u.run(u.bound(k, u.pane().context())) }

// openObject shows an object on the screen Objects, at its history.
func (u *ui) openObject(s subject, revision int64) {
	u.chose(s, revision)
	o := u.objects()
	o.object.tab = tabHistory
	o.wanted = 2
	u.show(pageObjects)
}

// page is the page that is shown; nil if the screen is none.
func (u *ui) page() page { return u.pages[u.screen] }

// foldPages hands to each page what came.
func (u *ui) foldPages(flows []*flow.Flow) {
	for _, p := range u.pages {
		p.fold(flows)
	}
}

// refiltered lists anew what the filter lets through, on every page.
func (u *ui) refiltered() {
	u.streams.fold()
	u.watches.fold()
	for _, p := range u.pages {
		p.refilter()
	}
}

// drawPage draws a page and the rule between its panes.
func (u *ui) drawPage(c *canvas, p page) {
	l := &u.lay
	if !l.split.empty() {
		_, _, of := p.titles()
		c.rule(l.split, 0, sBorder, of, nil)
	}
	p.draw(c, l.main, l.side)
}

// jump shows a request in Traffic; one that is not held any more is said to be gone.
func (u *ui) jump(f *flow.Flow) {
	if f == nil {
		u.say("that request is not held any more")
		return
	}
	u.show(pageTraffic)
	u.traffic.jumpTo(f)
}
