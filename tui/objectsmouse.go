package tui

// clicked gives the keys to the pane that was clicked, and puts its cursor on the row.
func (o *objectsPage) clicked(x, y int) bool {
	for i, r := range o.rects {
		if !r.has(x, y) {
			continue
		}
		o.enter(i)
		switch row := y - r.y - 1; {
		case i == 2:
			o.object.clicked(x-r.x, y-r.y)
		case row < 0:
		case i == 0:
			o.resources.point(o.resources.top+row, 1)
		default:
			o.table.point(o.table.top + row)
		}
		return true
	}
	return false
}

// wheeled scrolls the pane under the pointer.
func (o *objectsPage) wheeled(x, y, lines int) {
	for i, r := range o.rects {
		if r.has(x, y) {
			o.at(i).move(lines)
		}
	}
}

// A click is told by clicked, which knows all three panes.
func (o *objectsPage) point(int)       {}
func (o *objectsPage) pointDetail(int) {}
