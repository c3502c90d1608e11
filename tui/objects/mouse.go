package objects

// Click moves the cursor to a row of a pane.
func (o *Page) Click(i, x, y int) {
	if !o.env.Titled {
		y-- // below the row of crumbs
	}
	switch row := y - 1; {
	case i == 2:
		o.Object.clicked(x, y)
	case row < 0:
	case i == 0:
		o.resources.moved(o.resources.cursor.Click(row))
	default:
		o.table.moved(o.table.cursor.Click(row))
	}
}
