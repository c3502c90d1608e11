package tui

import "kubarium/server/flow"

// newPages makes the pages, by their numbers.
func newPages(u *env, l *learn) map[screenID]page {
	pages := map[screenID]page{
		pageTraffic:   newTraffic(u),
		pageWatches:   newWatches(u),
		pageLists:     newLists(u),
		pageVersions:  newVersions(u),
		pageConflicts: newConflicts(u),
		pageDeletes:   newDeletes(u),
		pageObjects:   newObjects(u),
	}
	if len(l.lessons) > 0 {
		pages[pageLearn] = l
	}
	return pages
}

// page is the page that is shown.
func (u *ui) page() page { return u.pages[u.screen] }

// screens are those that can be shown, in the order of their keys.
func (u *ui) screens() []screenID {
	var out []screenID
	for s := pageTraffic; s <= pageLearn; s++ {
		if u.pages[s] != nil {
			out = append(out, s)
		}
	}
	return out
}

// foldPages hands to each page what came.
func (u *ui) foldPages(flows []*flow.Flow) {
	for _, s := range u.screens() {
		u.pages[s].fold(flows)
	}
}

// refiltered lists anew what the filter lets through, on every page.
func (u *ui) refiltered() {
	u.streams.Fold()
	for _, s := range u.screens() {
		u.pages[s].refilter()
	}
}

// show changes the page.
func (u *ui) show(s screenID) {
	u.screen, u.at, u.first, u.zoom = s, 0, 0, false
	if p, ok := u.page().(opener); ok {
		p.opened()
	}
	u.relayout()
}

// pane is what has the keys.
func (u *ui) pane() pane {
	ps := u.page().panes()
	return ps[max(0, min(u.at, len(ps)-1))]
}

// enter moves the keys to the i-th pane of the page. A request that is being read is pinned: nothing moves under the reader's eyes.
func (u *ui) enter(i int) {
	u.at = max(0, min(i, len(u.page().panes())-1))
	if u.at > 0 && u.screen == pageTraffic {
		u.pin()
	}
	if p, ok := u.page().(focuser); ok {
		p.entered(u.at)
	}
	u.relayout()
}

// cycle moves the keys to the next pane, or to the one before.
func (u *ui) cycle(by int) {
	n := len(u.page().panes())
	u.enter((u.at + by + n) % n)
}

// underCursor is the request that the row, or the line below it, stands for; nil for none.
func (u *ui) underCursor() *flow.Flow {
	if s, ok := u.pane().(*sheet); ok && s.chosen() > 0 {
		return u.log.Get(s.chosen())
	}
	if p, ok := u.page().(pointer); ok {
		return p.chosen()
	}
	return nil
}

// jump shows a request in Traffic; one that is not held any more is said to be gone.
func (u *ui) jump(f *flow.Flow) {
	if f == nil {
		u.Say("that request is not held any more")
		return
	}
	u.show(pageTraffic)
	u.traffic().jumpTo(f)
}

// press does what a key does on the page.
func (u *ui) press(k string) { u.run(u.bound(k)) }

// openObject shows an object on the screen Objects, at its history.
func (u *ui) openObject(s subject, revision int64) {
	u.chose(s, revision)
	o := u.objects()
	o.object.tab = tabHistory
	o.wanted = 2
	u.show(pageObjects)
}

func (u *ui) traffic() *traffic { return u.pages[pageTraffic].(*traffic) }

func (u *ui) versions() *versions { return u.pages[pageVersions].(*versions) }

func (u *ui) deletes() *deletes { return u.pages[pageDeletes].(*deletes) }

func (u *ui) objects() *objectsPage { return u.pages[pageObjects].(*objectsPage) }

// typist is the page at the front if a line of it is being typed, else nil.
func (u *ui) typist() typist {
	if t, ok := u.page().(typist); ok && t.typing() {
		return t
	}
	return nil
}

// showOwn shows Kubarium's own requests and watches, or hides them.
func (u *ui) showOwn(yes bool) { u.traffic().showOwn(yes) }
