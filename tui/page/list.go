package page

import (
	"fmt"
	"slices"

	"kubarium/flow"
	"kubarium/tui/term"
)

// A List is a page of rows, each with a request, and with a sheet about the selected row. It has the cursor, draws,
// and speaks in plain mode. A page embeds it, and states in a ListSpec only what is its own.
type List[T any, K comparable] struct {
	Env    *Env
	Rows   []*T // what the filter lets through
	Cursor term.List[K]
	Sheet  Sheet
	Head   int // lines above the first row, as drawn last

	spec ListSpec[T, K]
	made made[K] // what the sheet was made of
}

// A ListSpec is what a page of rows states of its own. T is a row, and K what identifies it from one set of rows to the
// next.
type ListSpec[T any, K comparable] struct {
	Name   string // of the pane: "lists"
	Row    string // what a row is: "list"
	Sheet  string // the title of the sheet; "" is Row
	Form   Form
	Legend []string
	Keys   func() []Binding // nil is Env.RowKeys
	Tail   bool             // the cursor follows the newest row

	Key     func(t *T) K
	Request func(t *T) *flow.Flow // nil if it is not held
	All     func() int            // rows without the filter; nil for a list that is never filtered
	Last    func() bool           // whether older rows were let go of; nil is never
	Chosen  func()                // called when the reader has chosen a row; nil does nothing

	Note    func() term.Line                   // the right end of the title
	Above   func(r term.Rect) []term.Line      // lines above the heading; nil for none
	Columns func(w int) []term.TableColumn[*T] // of a table that is w cells wide
	Draw    func(c *term.Canvas, r term.Rect)  // draws the rows in another way than as that table; nil for the table
	Notice  func(w int) []term.Line            // shown where there are no rows; nil is the sentence Nothing
	Heading func(t *T) term.Line               // the title of the sheet about a row
	Detail  func(l *LineList, t *T)            // adds the lines of the sheet about a row
	Depends func(t *T) any                     // what Detail depends on except the row's key; nil makes it at each draw

	Word     string            // by which plain mode calls the page: "lists"
	Number   func(t *T) uint64 // by which plain mode calls a row; nil is its place from 1
	Sentence func(t *T) string // about a row, with its full stop; "" leaves the row out
	Nothing  func() string     // what is said where there are no rows
	Update   func()            // brings the rows up to date for plain mode; nil where they always are
}

// made is all that the lines of a sheet depend on.
type made[K comparable] struct {
	key      K
	depends  any
	width    int
	unmasked bool
}

// NewList makes a list without rows.
func NewList[T any, K comparable](e *Env, spec ListSpec[T, K]) List[T, K] {
	l := List[T, K]{Env: e, spec: spec}
	if spec.Tail {
		l.Cursor = term.Tailing[K]()
	}
	if spec.Keys == nil {
		l.spec.Keys = e.RowKeys
	}
	title := term.Pick(spec.Sheet == "", spec.Row, spec.Sheet)
	l.Sheet = Sheet{Title: title, Words: func() []string { return spec.Legend }, Bound: l.spec.Keys}
	return l
}

// TakePlace takes over cursor and sheet of the same list at another moment.
func (l *List[T, K]) TakePlace(o *List[T, K]) {
	newest, skip := l.Cursor.Newest, l.Cursor.Skip
	l.Cursor = o.Cursor.Emptied()
	l.Cursor.Newest, l.Cursor.Skip = newest, skip
	l.Sheet.Stand(&o.Sheet)
}

// Set shows other rows, and keeps the cursor on its row.
func (l *List[T, K]) Set(rows []*T) {
	l.Rows = rows
	l.Cursor.Keep(len(rows), func(i int) K { return l.spec.Key(l.Rows[i]) })
}

// Selected is the row under the cursor, nil if there is none.
func (l *List[T, K]) Selected() *T {
	i := l.Cursor.At()
	if i < 0 || i >= len(l.Rows) {
		return nil
	}
	return l.Rows[i]
}

// Chosen is the request of the row under the cursor, nil if it is not held.
func (l *List[T, K]) Chosen() *flow.Flow {
	if t := l.Selected(); t != nil {
		return l.spec.Request(t)
	}
	return nil
}

func (l *List[T, K]) Name() string     { return l.spec.Name }
func (l *List[T, K]) Legend() []string { return l.spec.Legend }
func (l *List[T, K]) Keys() []Binding  { return l.spec.Keys() }
func (l *List[T, K]) Form() Form       { return l.spec.Form }
func (l *List[T, K]) Panes() []Pane    { return []Pane{l, &l.Sheet} }
func (l *List[T, K]) Height() int      { return l.Cursor.Height() }
func (l *List[T, K]) Restless() bool   { return false }

// Count counts the rows.
func (l *List[T, K]) Count() Count {
	return Count{What: l.spec.Row, Shown: len(l.Rows), All: l.all(), Last: l.last()}
}

func (l *List[T, K]) last() bool { return l.spec.Last != nil && l.spec.Last() }

func (l *List[T, K]) all() int {
	if l.spec.All == nil {
		return 0
	}
	return l.spec.All()
}

// Move selects another row, and its request on every page.
func (l *List[T, K]) Move(n int) { l.share(l.Cursor.Move(n)) }

// End selects the first row, or the last one; a list with Tail follows the newest one from then on.
func (l *List[T, K]) End(bottom bool) { l.share(l.Cursor.End(bottom)) }

// Click puts the cursor on a row, or on a line of the sheet.
func (l *List[T, K]) Click(i, _, y int) {
	if i == 1 {
		l.Sheet.Click(y)
		return
	}
	l.share(l.Cursor.Click(y - l.Head))
}

// Point selects the i-th row, and its request on every page.
func (l *List[T, K]) Point(i int) { l.share(l.Cursor.Point(i)) }

// Find selects the first row that is meant, and its request on every page. It reports whether there is one.
func (l *List[T, K]) Find(meant func(t *T) bool) bool {
	i := slices.IndexFunc(l.Rows, meant)
	if i >= 0 {
		l.Point(i)
	}
	return i >= 0
}

// share selects the request of a row that was chosen on every page.
func (l *List[T, K]) share(chosen bool) {
	if !chosen {
		return
	}
	l.Env.Choose(l.Chosen())
	if l.spec.Chosen != nil {
		l.spec.Chosen()
	}
}

// Title is the page's name, or what the sheet is about.
func (l *List[T, K]) Title(i int) (title, note term.Line) {
	t := l.Selected()
	switch {
	case i == 0:
		return term.Text(l.Env.TitleStyle(0), l.Env.T(l.spec.Name)), l.spec.Note().In(l.Env.Words)
	case t == nil:
		return term.Text(term.Dim, l.Env.T(l.Sheet.Title)), nil
	}
	return l.spec.Heading(t), nil
}

// Draw shows the rows, or the sheet about the selected one.
func (l *List[T, K]) Draw(c *term.Canvas, i int, r term.Rect) {
	t := l.Selected()
	switch {
	case t == nil && (i == 0 || l.Env.HasKeys(1)):
		c.Notice(r, l.notice(r.W-6)...)
	case t == nil:
	case i == 1:
		l.build(t, r.W-3)
		l.Sheet.Lead(l.Env.Point)
		l.Sheet.Draw(c, r, l.Env.HasKeys(1), l.Env.RowStyle(1))
	case l.spec.Draw != nil:
		l.spec.Draw(c, r)
	default:
		l.drawTable(c, r)
	}
}

// notice says why there is no row.
func (l *List[T, K]) notice(w int) []term.Line {
	if n := l.all(); n > 0 && l.Env.Feed.Match != nil {
		return []term.Line{Filtered(term.Plural(n, l.spec.Row))}
	}
	if l.spec.Notice == nil {
		return term.WrapLines(term.Bold, l.spec.Nothing(), max(10, w))
	}
	return l.spec.Notice(w)
}

// Filtered says that the filter lets none of so many rows through.
func Filtered(all string) term.Line {
	return term.Line{term.Bold.Of(fmt.Sprintf("0 of %s pass the filter; ", all)), term.Key.Of("*"),
		term.Bold.Of(" clears it")}
}

func (l *List[T, K]) drawTable(c *term.Canvas, r term.Rect) {
	if r.Empty() {
		return
	}
	l.Head = 0
	if l.spec.Above != nil {
		for _, line := range l.spec.Above(r) {
			c.Line(r, 2, l.Head, line)
			l.Head++
		}
	}
	t := term.PlanTable(r.W-2, 1, l.spec.Columns(r.W-2), nil)
	c.Line(r, 2, l.Head, t.Heading())
	l.Head++
	l.Cursor.Draw(c, r.From(l.Head), l.Env.RowStyle(0),
		func(row term.Rect, i int) { c.Line(row, 2, 0, t.Row(l.Rows[i])) })
}

// build makes the lines of the sheet, unless they are still right.
func (l *List[T, K]) build(t *T, w int) {
	now := made[K]{l.spec.Key(t), nil, w, l.Env.Unmasked}
	if l.spec.Depends != nil {
		now.depends = l.spec.Depends(t)
		if now == l.made && len(l.Sheet.Lines) > 0 {
			return
		}
	}
	l.made = now
	l.Sheet.Set(now.key, l.lines(t, w))
}

// lines are the sheet about a row in a width.
func (l *List[T, K]) lines(t *T, w int) []SheetLine {
	out := &LineList{W: w}
	l.spec.Detail(out, t)
	return out.Out
}
