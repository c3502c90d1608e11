package traffic

import "kubarium/flow"

// folded is the run of the selected line, nil if it is a line of one request.
func (t *Page) folded() *run {
	if r := t.runs.of(t.env.Sel); r != nil && !r.open {
		return r
	}
	return nil
}

// unfolded is the run that the selected request belongs to, if its requests are listed one by one.
func (t *Page) unfolded() *run {
	if r := t.runs.of(t.env.Sel); r != nil && r.open {
		return r
	}
	return nil
}

// meant is the request that is selected with a row.
func (t *Page) meant(row int) *flow.Flow {
	if of := t.foldedAt(row); of != nil {
		return of.verdict()
	}
	return t.Rows[row]
}

// reveal lists the requests of a folded run one by one, unless the run's line shows the request.
func (t *Page) reveal(f *flow.Flow) {
	if r := t.runs.of(f); r != nil && !r.open && !(r.single() && r.row() == f) {
		t.unfold(r)
	}
}

// unfold lists the requests of a run one by one.
func (t *Page) unfold(r *run) { t.setOpen(r, true) }

// refold shows a run as one line again and selects it.
func (t *Page) refold(r *run) {
	t.setOpen(r, false)
	t.env.SelectFlow(r.verdict())
	t.relocate()
}

func (t *Page) setOpen(r *run, open bool) {
	if open {
		t.env.Pin()
		t.runs.open[r.key] = true
	} else {
		delete(t.runs.open, r.key)
	}
	t.arrange()
}

// Group folds all kubectl runs, or lists every request by itself.
func (t *Page) Group(on bool) {
	t.runs = newRuns(!on, map[string]bool{})
	t.arrange()
	if t.env.Follow {
		t.toNewest()
	}
	if on {
		t.env.Say("each kubectl run is one line now: → unfolds it, ← folds it")
	} else {
		t.env.Say("every request has a line of its own")
	}
}

// enterRequest unfolds the run of several requests that is selected in the list, or moves the keys to the pane next to
// the list.
func (t *Page) enterRequest() {
	if r := t.folded(); r != nil && !r.single() {
		t.unfold(r)
		return
	}
	t.env.Enter(1)
}

// goRight unfolds the run that is selected in the list, or moves the keys to the pane next to it.
func (t *Page) goRight() {
	if r := t.folded(); r != nil {
		t.unfold(r)
		return
	}
	t.env.Enter(1)
}

// goLeft folds the run of the selected request.
func (t *Page) goLeft() {
	if r := t.unfolded(); r != nil {
		t.refold(r)
	}
}
