package tui

// click puts the cursor on a row of one of the three panes.
func (o *objectsPage) click(i, x, y int) {
	if !o.u.titled {
		y-- // where the panes lie
	}
	switch row := y - 1; {
	case i == 2:
		o.object.clicked(x, y)
	case row < 0:
	case i == 0:
		o.resources.point(o.resources.top+row, 1)
	default:
		o.table.point(o.table.top + row)
	}
}
