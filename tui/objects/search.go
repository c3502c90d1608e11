package objects

import (
	"fmt"
	"slices"
	"time"

	"kubarium/tui/client"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// A tableSearch looks for words in the objects that come after those of the table: page after page, of which only the
// rows with the words are kept. It pauses while the page Objects is hidden.
type tableSearch struct {
	found   []client.Row // in the server's order, at most client.MostRows
	next    string       // the token of the page to read next; "" at the end
	read    int          // objects that were looked at, with those of the table
	busy    bool         // a page is being read
	err     error        // why it has ended too early
	number  int          // counts searches: answers to an earlier one are dropped
	started time.Time
	took    time.Duration // how long the last search took: objects are not read again more often
}

// narrowed begins another search, since the words have changed, once they stay as they are for a moment.
func (t *objectTable) narrowed() {
	t.search.found = nil
	t.searchFromTable()
	t.arrange()
	number := t.search.number
	t.o.env.Do(page.Later{After: page.SettleTime, Do: func() {
		if number == t.search.number {
			t.searchOn()
		}
	}})
}

// searchFromTable puts the search back to the end of the table. Rows found before stay until it gets there again.
func (t *objectTable) searchFromTable() {
	s := &t.search
	*s = tableSearch{found: s.found, next: t.next, read: len(t.all), number: s.number + 1, started: time.Now(),
		took: s.took}
}

// searchOn reads the next page.
func (t *objectTable) searchOn() {
	s := &t.search
	if t.words == "" || s.next == "" || s.busy || s.err != nil || t.loading || !t.o.shown() {
		return
	}
	s.busy = true
	number, words, token := s.number, t.words, s.next
	a, r, namespace := t.o.env.API, *t.of, t.o.env.Namespace
	t.o.env.Do(page.Work{Run: func() func() {
		got, err := a.TablePageAfter(&r, namespace, token)
		var found []client.Row
		if err == nil {
			found = slices.DeleteFunc(slices.Clone(got.Rows), func(x client.Row) bool { return !hasWords(&x, words) })
		}
		return func() {
			if number == t.search.number {
				t.searched(got, found, err)
			}
		}
	}})
}

// searched handles the answer of searchOn.
func (t *objectTable) searched(got *client.Table, found []client.Row, err error) {
	s := &t.search
	s.busy = false
	if s.err = err; err == nil {
		s.read += len(got.Rows)
		s.next = got.Continue
		s.replace(got, found)
		t.arrange()
		t.searchOn()
	}
	if s.err != nil {
		t.o.env.Say("the search has stopped: %s", s.err)
	}
	if !s.busy {
		s.took = time.Since(s.started)
		t.updateSoon()
	}
	t.o.objectMoved()
}

// replace puts what was found in a page in the place of what an earlier search had found there.
func (s *tableSearch) replace(got *client.Table, found []client.Row) {
	after := len(s.found)
	if len(got.Rows) > 0 && got.More {
		last := got.Rows[len(got.Rows)-1]
		at, same := slices.BinarySearchFunc(s.found, last, compareRows)
		after = at + term.Pick(same, 1, 0)
	}
	before := 0
	if len(got.Rows) > 0 {
		before, _ = slices.BinarySearchFunc(s.found, got.Rows[0], compareRows)
	}
	s.found = slices.Concat(s.found[:min(before, after)], found, s.found[after:])
	if len(s.found) >= client.MostRows {
		s.found, s.next = s.found[:client.MostRows], ""
		s.err = fmt.Errorf("only the first %s are shown", term.Count(client.MostRows))
	}
}

// put takes a row that has changed, after those of the table.
func (s *tableSearch) put(r client.Row, words string) {
	s.remove(r.Key)
	if words != "" && hasWords(&r, words) {
		i, _ := slices.BinarySearchFunc(s.found, r, compareRows)
		s.found = slices.Insert(s.found, i, r)
	}
}

func (s *tableSearch) remove(k client.Key) {
	s.found = slices.DeleteFunc(slices.Clone(s.found), func(x client.Row) bool { return x.Key == k })
}

// total is how many objects there are: as the list of resources counts them, or as the answer said.
func (t *objectTable) total() int {
	n := len(t.all) + t.rest
	if r := t.o.resources.find(t.of.ID()); r != nil && r.Counted {
		n = int(r.N)
	}
	return max(n, t.search.read, len(t.all))
}

// searching reports whether the search has not got to the last object.
func (t *objectTable) searching() bool {
	return t.words != "" && t.more && (t.search.next != "" || t.search.err != nil)
}

// count is the number of objects for the title.
func (t *objectTable) count() string {
	n := term.Count(len(t.rows))
	switch {
	case t.words == "" && t.more:
		return fmt.Sprintf("first %s of %s", n, term.Count(t.total()))
	case t.words != "":
		return fmt.Sprintf("%s of %s%s", n, term.Pick(t.searching(), "the first ", ""), term.Count(t.reach()))
	}
	return n
}

// reach is how many objects were looked at for the words.
func (t *objectTable) reach() int {
	return term.Pick(t.searching(), max(t.search.read, len(t.all)), max(t.search.read, t.total()))
}

// extent says how far the rows and the search go.
func (t *objectTable) extent() string {
	all := term.Count(t.total())
	switch {
	case t.words == "":
		return fmt.Sprintf("first %s of %s · %s", term.Count(len(t.all)), all,
			term.Pick(t.limit < client.MostRows, "G reads on", "words search all"))
	case t.searching():
		return fmt.Sprintf("%s found · searched %s of %s%s", term.Count(len(t.rows)), term.Count(t.reach()), all,
			term.Pick(t.search.err != nil, ": stopped", " …"))
	}
	return fmt.Sprintf("%s of %s shown", term.Count(len(t.rows)), all)
}

// notFound says that no object has the words, or how far that is known.
func (t *objectTable) notFound(w int) []term.Line {
	first := term.Pick(t.searching(), fmt.Sprintf("the first %s of ", term.Count(t.reach())), "")
	none := fmt.Sprintf("0 of %s%s objects have %q.", first, term.Count(t.total()), t.words)
	out := []term.Line{term.Text(term.Bold, none)}
	if !t.searching() {
		return out
	}
	if t.search.err == nil {
		return append(out, term.Text(term.Plain, "The others are being searched …"))
	}
	out = append(out, term.WrapLines(term.Err, "✗ "+t.search.err.Error(), w)...)
	return append(out, term.Line{term.Key.Of("u"), term.Plain.Of(" asks again")})
}
