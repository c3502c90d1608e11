package objects

import (
	"slices"
	"strings"

	"kubarium/server/flow"
	"kubarium/tui/client"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// objectTable is the objects of one resource as the server's own Table, which follows the commits while it is open.
type objectTable struct {
	o       *Page
	of      *client.Resource
	columns []client.Column
	all     []client.Row
	rows    []client.Row      // those that have all the words
	cursor  term.List[string] // by the keys of the objects
	words   string
	wide    bool // all columns, as with -o wide

	revision   int64 // of the newest answer
	reached    int64 // what was committed up to here is in the rows: it was before they were asked for
	more       bool  // the server holds more objects than were asked for
	limit      int
	err        error
	loading    bool
	loaded     bool
	generation int
	changed    map[string]client.Key // committed since the rows were read
	updating   bool                  // a look at the changes is due, or under way
}

func (t *objectTable) Name() string { return "objects" }
func (t *objectTable) Height() int  { return t.cursor.Height() }

// show lists the objects of another resource; the same one is left as it is.
func (t *objectTable) show(r *client.Resource) {
	if t.of != nil && r != nil && t.of.FullName() == r.FullName() && t.of.Version == r.Version {
		t.of = r
		return
	}
	*t = objectTable{o: t.o, of: r, wide: t.wide, limit: client.TablePage, generation: t.generation + 1, changed: map[string]client.Key{}}
	if r != nil && r.Can("list") {
		t.load()
	}
}

// load reads the table anew.
func (t *objectTable) load() {
	t.generation++
	t.loading, t.reached = true, t.o.env.Time.Head
	t.changed = map[string]client.Key{}
	generation, a, r, limit := t.generation, t.o.env.API, *t.of, t.limit
	t.o.env.Do(page.Work{Run: func() func() {
		got, err := a.Table(&r, limit)
		return func() {
			if generation == t.generation {
				t.take(got, err)
			}
		}
	}})
}

// take is the answer of load.
func (t *objectTable) take(got *client.Table, err error) {
	t.loading, t.loaded, t.err = false, true, err
	if err != nil {
		return
	}
	t.columns, t.all, t.revision, t.more = got.Columns, got.Rows, got.Revision, got.More
	t.arrange()
	for _, c := range t.o.env.Time.Commits {
		t.committed(c) // what came while the answer was on its way
	}
	t.o.objectMoved()
}

// committed notes that an object of the table has changed, and looks at the changes soon.
func (t *objectTable) committed(c flow.Commit) {
	if t.of == nil || c.Resource != t.of.ID() || c.Revision <= max(t.revision, t.reached) || !t.loaded {
		return
	}
	k := client.Key{Namespace: c.Namespace, Name: c.Name}
	t.changed[k.String()] = k
	if t.updating {
		return
	}
	t.updating = true
	generation := t.generation
	t.o.env.Do(page.Later{After: client.TableRest, Do: func() {
		t.updating = false
		if generation == t.generation {
			t.update()
		}
	}})
}

// update reads the rows that have changed: each by itself, or the whole table where there are many.
func (t *objectTable) update() {
	if len(t.changed) > client.EachByOne || t.err != nil || !t.of.Can("get") {
		t.load()
		return
	}
	keys := make([]client.Key, 0, len(t.changed))
	for _, k := range t.changed {
		keys = append(keys, k)
	}
	t.changed = map[string]client.Key{}
	generation, a, r := t.generation, t.o.env.API, *t.of
	t.o.env.Do(page.Work{Run: func() func() {
		rows, gone, err := a.TableRows(&r, keys)
		return func() {
			if generation == t.generation && err == nil {
				t.merge(rows, gone)
			}
		}
	}})
}

// merge puts changed rows in the place of the old ones, in the order of their keys.
func (t *objectTable) merge(rows []client.Row, gone []client.Key) {
	t.all = slices.DeleteFunc(slices.Clone(t.all), func(x client.Row) bool { return slices.Contains(gone, x.Key) })
	for _, r := range rows {
		i, found := slices.BinarySearchFunc(t.all, r, compareRows)
		if found {
			t.all[i] = r
		} else {
			t.all = slices.Insert(t.all, i, r)
		}
	}
	t.arrange()
	t.o.objectMoved()
}

// compareRows orders rows as the server does: by namespace, then by name.
func compareRows(a, b client.Row) int {
	if c := strings.Compare(a.Key.Namespace, b.Key.Namespace); c != 0 {
		return c
	}
	return strings.Compare(a.Key.Name, b.Key.Name)
}

// arrange makes the rows anew and keeps the cursor on its object.
func (t *objectTable) arrange() {
	t.rows = t.rows[:0]
	for _, r := range t.all {
		if label.HasWords(t.words, r.Key.Namespace, strings.Join(r.Cells, " "), strings.Join(r.Finalizers, " "), term.Pick(r.Deleting, "terminating", "")) {
			t.rows = append(t.rows, r)
		}
	}
	t.cursor.Keep(len(t.rows), func(i int) string { return t.rows[i].Key.String() })
}

func (t *objectTable) selected() *client.Row {
	i := t.cursor.At()
	if i < 0 {
		return nil
	}
	return &t.rows[i]
}

// moved is told whether another row was chosen. At the end of what was asked for, more is asked for.
func (t *objectTable) moved(chosen bool) {
	if !chosen {
		return
	}
	if t.cursor.At() == len(t.rows)-1 && t.more && !t.loading && t.limit < client.MostRows {
		t.limit += client.TablePage
		t.load()
	}
	t.o.objectMoved()
}

// Move chooses another object.
func (t *objectTable) Move(n int) { t.moved(t.cursor.Move(n)) }

// End chooses the first object, or the last.
func (t *objectTable) End(bottom bool) { t.moved(t.cursor.End(bottom)) }
