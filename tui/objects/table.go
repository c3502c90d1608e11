package objects

import (
	"maps"
	"slices"
	"strings"

	"kubarium/flow"
	"kubarium/tui/client"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// objectTable is the objects of one resource as the server's Table, which follows commits while it is shown.
type objectTable struct {
	o       *Page
	of      *client.Resource
	columns []client.Column
	all     []client.Row
	rows    []client.Row      // those that have all the words
	cursor  term.List[string] // by the keys of the objects
	words   string
	wide    bool // all columns, as with -o wide

	revision   int64  // of the newest answer
	reached    int64  // the rows include all commits up to this revision, which came before the read
	more       bool   // the server has more objects than were read
	next       string // the token of the page after those that were read
	rest       int    // how many objects come after them, as the answer said
	toEnd      bool   // the cursor goes to the last object once it is read
	search     tableSearch
	limit      int
	err        error
	loading    bool
	loaded     bool
	generation int
	changed    map[client.Key]int64 // committed since the rows were read, with the newest revision
	behind     bool                 // too much has changed to read it one by one, or it is not known what
	updating   bool                 // a read of changes is scheduled or in progress
}

// Name returns the name of the pane.
func (t *objectTable) Name() string { return "objects" }

// Height returns the number of visible rows.
func (t *objectTable) Height() int { return t.cursor.Height() }

// show lists the objects of another resource; the same one stays as it is.
func (t *objectTable) show(r *client.Resource) {
	if t.of != nil && r != nil && t.of.FullName() == r.FullName() && t.of.Version == r.Version {
		t.of = r
		return
	}
	*t = objectTable{o: t.o, of: r, wide: t.wide, limit: client.TablePage, generation: t.generation + 1}
	if r != nil && r.Can("list") {
		t.load()
	}
}

// load reads the whole table.
func (t *objectTable) load() {
	t.generation++
	t.loading, t.updating, t.reached = true, false, t.o.env.Time.Head
	t.settled()
	generation, a, r, limit, namespace := t.generation, t.o.env.API, *t.of, t.limit, t.o.env.Namespace
	t.o.env.Do(page.Work{Run: func() func() {
		got, err := a.Table(&r, namespace, limit)
		return func() {
			if generation == t.generation {
				t.take(got, err)
			}
		}
	}})
}

// settled drops the noted changes: they are being read.
func (t *objectTable) settled() {
	t.behind = false
	clear(t.changed)
}

// take handles the answer of load.
func (t *objectTable) take(got *client.Table, err error) {
	t.loading, t.loaded, t.err = false, true, err
	if err != nil {
		return
	}
	t.columns, t.all, t.revision, t.more = got.Columns, got.Rows, got.Revision, got.More
	t.next, t.rest = got.Continue, got.Rest
	t.searchFromTable()
	t.searchOn()
	t.arrange()
	if t.toEnd {
		t.toEnd = false
		t.cursor.End(true)
	}
	// Commits during the read may be newer.
	maps.DeleteFunc(t.changed, func(_ client.Key, rv int64) bool { return rv <= t.revision })
	t.updateSoon()
	t.o.objectMoved()
}

// committed notes that an object of the table has changed.
func (t *objectTable) committed(c flow.Commit) {
	if t.of == nil || c.Resource != t.of.ID() || c.Revision <= max(t.revision, t.reached) || t.behind ||
		!t.o.lists(t.of, c.Namespace) {
		return
	}
	if t.changed == nil {
		t.changed = map[client.Key]int64{}
	}
	t.changed[client.Key{Namespace: c.Namespace, Name: c.Name}] = c.Revision
	if len(t.changed) > client.EachByOne {
		t.missed()
		return
	}
	t.updateSoon()
}

// written is called when a client wrote to another server, which makes no commit here.
func (t *objectTable) written(of flow.Target) {
	if t.of != nil && t.of.IsElsewhere(of) {
		t.missed()
	}
}

// missed notes that the whole table must be read.
func (t *objectTable) missed() {
	if t.of == nil {
		return
	}
	clear(t.changed)
	t.behind = true
	t.updateSoon()
}

// updateSoon reads changes after a short time, several together. While the page is hidden they wait.
func (t *objectTable) updateSoon() {
	if t.updating || t.loading || t.search.busy || !t.loaded || !t.owes() || !t.o.shown() {
		return
	}
	t.updating = true
	generation := t.generation
	t.o.env.Do(page.Later{After: max(client.TableRest, t.search.took), Do: func() {
		if generation == t.generation {
			t.updating = false
			t.update()
		}
	}})
}

// owes reports whether the rows are outdated.
func (t *objectTable) owes() bool { return t.behind || len(t.changed) > 0 }

// update reads the rows that have changed, one by one or the whole table if they are many. After an error, and for
// objects of other servers, which make no commits, it reads the whole table.
func (t *objectTable) update() {
	unsure := t.loaded && (t.err != nil || t.revision == 0 || t.of.Elsewhere)
	if t.of == nil || t.updating || t.loading || t.search.busy || !t.of.Can("list") || !t.owes() && !unsure {
		return
	}
	if t.behind || unsure || !t.of.Can("get") {
		t.load()
		return
	}
	keys, upTo := slices.Collect(maps.Keys(t.changed)), slices.Max(slices.Collect(maps.Values(t.changed)))
	t.settled()
	t.updating = true
	generation, a, r := t.generation, t.o.env.API, *t.of
	t.o.env.Do(page.Work{Run: func() func() {
		rows, gone, err := a.TableRows(&r, keys)
		return func() {
			if generation == t.generation {
				t.updated(rows, gone, upTo, err)
			}
		}
	}})
}

// updated handles the answer of update, which has all changes up to a revision. If one of the rows could not be read, it
// reads all.
func (t *objectTable) updated(rows []client.Row, gone []client.Key, upTo int64, err error) {
	t.updating = false
	if err != nil {
		t.load()
		return
	}
	t.merge(rows, gone)
	if t.o.env.Moment == nil {
		t.revision = max(t.revision, upTo)
	}
	t.updateSoon()
}

// merge replaces changed rows, in the order of their keys.
func (t *objectTable) merge(rows []client.Row, gone []client.Key) {
	t.all = slices.DeleteFunc(slices.Clone(t.all), func(x client.Row) bool { return slices.Contains(gone, x.Key) })
	for _, k := range gone {
		t.search.remove(k)
	}
	for _, r := range rows {
		switch i, found := slices.BinarySearchFunc(t.all, r, compareRows); {
		case found:
			t.all[i] = r
		case i == len(t.all) && t.more: // after the rows of the table
			t.search.put(r, t.words)
		default:
			t.all = slices.Insert(t.all, i, r)
		}
	}
	t.arrange()
	t.o.objectMoved()
}

// compareRows orders rows like the server: by namespace, then by name.
func compareRows(a, b client.Row) int {
	if c := strings.Compare(a.Key.Namespace, b.Key.Namespace); c != 0 {
		return c
	}
	return strings.Compare(a.Key.Name, b.Key.Name)
}

// arrange rebuilds the rows and keeps the cursor on its object.
func (t *objectTable) arrange() {
	t.rows = t.rows[:0]
	for _, r := range t.all {
		if hasWords(&r, t.words) {
			t.rows = append(t.rows, r)
		}
	}
	if t.words != "" {
		t.rows = append(t.rows, t.search.found...)
	}
	t.cursor.Keep(len(t.rows), func(i int) string { return t.rows[i].Key.String() })
}

func hasWords(r *client.Row, words string) bool {
	return label.HasWords(words, r.Key.Namespace, strings.Join(r.Cells, " "), strings.Join(r.Finalizers, " "),
		term.Pick(r.Deleting, "terminating", ""))
}

func (t *objectTable) selected() *client.Row {
	i := t.cursor.At()
	if i < 0 {
		return nil
	}
	return &t.rows[i]
}

// moved is called after a move. At the end of the rows it reads more.
func (t *objectTable) moved(chosen bool) {
	if !chosen {
		return
	}
	if t.cursor.At() == len(t.rows)-1 && t.words == "" && t.more && !t.loading && t.limit < client.MostRows {
		t.limit += client.TablePage
		t.load()
	}
	t.o.objectMoved()
}

// Move moves the cursor by n objects.
func (t *objectTable) Move(n int) { t.moved(t.cursor.Move(n)) }

// End goes to the first object, or to the last one, which may have to be read first.
func (t *objectTable) End(bottom bool) {
	if bottom && t.words == "" && t.more && t.loaded && t.limit < client.MostRows {
		t.limit, t.toEnd = client.MostRows, true
		t.load()
		return
	}
	t.moved(t.cursor.End(bottom))
}
