package learn

import (
	"slices"

	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// A row is a line of the list: a lesson, or the heading of the road or of a course.
type row struct {
	course string // the heading
	i      int    // index into Lessons; -1 for a heading
}

// rows returns the lines of the list: the lessons that match all words, below the names of their courses.
func (l *Page) rows() []row {
	var out []row
	course := ""
	for i := range l.Lessons {
		le := &l.Lessons[i]
		if !l.listed(le, l.words) {
			continue
		}
		if le.Heading() != course {
			course = le.Heading()
			out = append(out, row{course, -1})
		}
		out = append(out, row{i: i})
	}
	return out
}

// listed reports whether a lesson has all words in its texts or its state.
func (l *Page) listed(le *Lesson, words string) bool {
	_, _, word := l.Standing(le)
	return label.HasWords(words, le.Title, le.Name, le.Road, le.Course, le.Summary, le.Also, word)
}

// Search returns the lessons that have all words.
func (l *Page) Search(words string) []*Lesson {
	var out []*Lesson
	for i := range l.Lessons {
		if le := &l.Lessons[i]; l.listed(le, words) {
			out = append(out, le)
		}
	}
	return out
}

// visible are the indexes of the lessons that are listed.
func (l *Page) visible() []int {
	var out []int
	for i := range l.Lessons {
		if l.listed(&l.Lessons[i], l.words) {
			out = append(out, i)
		}
	}
	return out
}

// chosen returns the index of the lesson under the cursor, -1 if none is listed. It keeps the cursor on a listed
// lesson.
func (l *Page) chosen() int {
	all := l.visible()
	if len(all) == 0 {
		return -1
	}
	if !slices.Contains(all, l.cursor) {
		l.cursor = all[0]
	}
	return l.cursor
}

func (l *Page) needsChosen() string { return page.Unless(l.chosen() >= 0, "no lesson has these words") }

// Move moves the cursor by n lessons.
func (l *Page) Move(n int) {
	all := l.visible()
	if i := slices.Index(all, l.chosen()); i >= 0 {
		l.cursor = all[max(0, min(i+n, len(all)-1))]
	}
}

// End moves the cursor to the first lesson, or to the last.
func (l *Page) End(bottom bool) { l.Move(term.Pick(bottom, 1, -1) * len(l.Lessons)) }

// Click moves the cursor to a lesson.
func (l *Page) Click(i, _, y int) {
	rows := l.rows()
	if at := l.top + y - 1; i == 0 && y > 0 && at < len(rows) && rows[at].i >= 0 {
		l.cursor = rows[at].i
	}
}

// Draw draws the list of lessons, or the details of the one under the cursor.
func (l *Page) Draw(c *term.Canvas, i int, r term.Rect) {
	if i == 1 {
		l.detail.drawIn(c, r)
		return
	}
	l.tall = r.H - 1
	c.Put(r, 2, 0, term.Head, l.env.T("lesson"))
	c.Right(r, r.W-1, 0, term.Head, l.env.T("state"))
	rows, chosen := l.rows(), l.chosen()
	if chosen < 0 {
		c.Put(r, 3, 1, term.Bold, l.env.T("No lesson has these words."))
		c.Line(r, 3, 2, term.Line{term.Key.Of("*"), term.Plain.Of(l.env.T(" lists all"))})
		return
	}
	at := slices.IndexFunc(rows, func(x row) bool { return x.i == chosen })
	first := term.Pick(at == 1 && rows[0].i < 0, 0, at) // the heading above the first one
	l.top = max(0, min(l.top, first), at-l.tall+1)
	for y := 1; y < r.H && l.top+y-1 < len(rows); y++ {
		if x := rows[l.top+y-1]; x.i < 0 {
			l.drawCourse(c, r.Row(y), x.course)
		} else {
			l.drawRow(c, r.Row(y), x.i)
		}
	}
}

// drawCourse draws the name of a course, and how many of its lessons are done.
func (l *Page) drawCourse(c *term.Canvas, r term.Rect, course string) {
	done, all := 0, 0
	for i := range l.Lessons {
		if le := &l.Lessons[i]; le.Heading() == course {
			all++
			done += term.Pick(l.done(le), 1, 0)
		}
	}
	c.Put(r, 2, 0, term.Bold, term.Fit(course, r.W-20))
	c.Right(r, r.W-1, 0, term.Dim, l.env.F("%d of %d done", done, all))
}

// drawRow draws a lesson with its state, and what the server lacks for it if there is room.
func (l *Page) drawRow(c *term.Canvas, r term.Rect, i int) {
	le := &l.Lessons[i]
	st, sign, word := l.Standing(le)
	c.Put(r, 2, 0, st, sign)
	room := r.W - 6 - term.Text(term.Plain, word).Width()
	x := c.Put(r, 4, 0, term.Plain, term.Fit(le.Title, room))
	c.Right(r, r.W-1, 0, term.Dim, word)
	if left := room - x - 2; left >= leastNeeds {
		c.Put(r, x+2, 0, term.Dim, term.Fit(l.Lacking(le), left))
	}
	if i == l.cursor {
		c.Put(r, 0, 0, term.Bold, "▸")
		c.Restyle(r, l.env.RowStyle(0))
	}
}

// leastNeeds is the room that the list needs to show what the server lacks for a lesson.
const leastNeeds = 14
