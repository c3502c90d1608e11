package objects

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"kubarium/flow"
	"kubarium/tui/body"
	"kubarium/tui/client"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// storedRows are an object's row of the table objects, and its rows of the change log. The UI reads them under /debug,
// which returns what plain SQL would.
type storedRows struct {
	value   []byte // as stored, secrets masked; nil if there is no row
	line    string // the line above it in etcd; "" if there is none, or it is not known
	sealed  bool   // line is known
	bytes   int    // of the value
	changes []logRow
	err     error
	came    int // counts the answers
	asked   int // counts the reads, so that only the last one is taken
}

// A logRow is a row of the change log, without the object.
type logRow struct {
	flow.Commit
	before, bytes int64
}

// loadRows reads the rows.
func (p *Object) loadRows() {
	p.rows.asked++
	asked, a, of, k, mask := p.rows.asked, p.o.env.API, *p.Of, p.key, p.o.env.MaskerOf(p.Of.Name)
	p.o.env.Do(page.Work{Run: func() func() {
		r := readRows(a, of, k, mask)
		return func() {
			if asked == p.rows.asked {
				r.asked, r.came = asked, p.rows.came+1
				p.rows = r
			}
		}
	}})
}

// readRows does I/O and is called off the loop.
func readRows(a *client.Client, of client.Resource, k client.Key, mask func([]byte) []byte) (r storedRows) {
	which := url.Values{"resource": {of.Name}, "name": {k.Name}}
	if of.Group != "" {
		which.Set("group", of.Group)
	}
	if k.Namespace != "" {
		which.Set("namespace", k.Namespace)
	}
	if a.At > 0 {
		return rowsThen(a, which, of.Name, mask)
	}
	value, header, err := a.Answer("/debug/rows", which, client.JSON)
	var no *client.Refusal
	if r.err = err; errors.As(err, &no) && no.Code == 404 {
		r.err = nil // a deleted object has only rows of the change log
	}
	r.value, r.bytes = mask(value), len(value)
	r.line, r.sealed = header.Get(envelopeHeader), len(header[envelopeHeader]) > 0
	var log flow.ChangeLog
	if r.err == nil {
		r.err = a.Read("/debug/changes", which, client.JSON, &log)
	}
	r.take(log)
	return r
}

// take takes rows of the change log.
func (r *storedRows) take(log flow.ChangeLog) {
	for _, c := range log.Changes {
		r.changes = append(r.changes, logRow{c.Commit(), c.BeforeRevision, c.Bytes})
	}
}

// rowsThen is readRows for a revision in the past: the rows of the change log up to it, and the value of the newest of
// them. The table objects only has the present row, so it is left out.
func rowsThen(a *client.Client, which url.Values, resource string, mask func([]byte) []byte) (r storedRows) {
	var log flow.ChangeLog
	which.Set("before", strconv.FormatInt(a.At, 10))
	if r.err = a.Read("/debug/changes", which, client.JSON, &log); r.err != nil || len(log.Changes) == 0 {
		return r
	}
	r.take(log)
	stored := client.ReadChange(a, log.Changes[0].Revision, resource, mask)
	r.value, r.bytes, r.err = stored.After, int(log.Changes[0].Bytes), stored.Err
	return r
}

// rowLines show the rows.
func (p *Object) rowLines(w int) []term.Line {
	r := &p.rows
	switch {
	case r.err != nil:
		return term.WrapLines(term.Err, "✗ "+r.err.Error(), w)
	case r.came == 0:
		return []term.Line{term.Text(term.Dim, "asking for the "+p.o.env.Store().Unit+"s …")}
	case p.o.env.Store() == label.Etcd:
		return p.etcdLines(w)
	case r.value == nil && len(r.changes) == 0:
		return term.WrapLines(term.Plain, "The database has no row with this name. Objects of this resource are not "+
			"stored, or are stored as another resource.", w)
	}
	out := []term.Line{{term.Head.Of("table objects"),
		term.Dim.Of(term.Pick(r.value == nil, "  no row: it is deleted", "  the object as it is, 1 row"))}}
	switch {
	case p.o.env.Moment != nil:
		then := "  has only the present state; " + p.o.env.Then() + " it had " + term.Pick(r.value == nil,
			"no row: it was deleted", "the value below")
		out = append(out[:0], term.Line{term.Head.Of("table objects"), term.Dim.Of(then)})
	case r.value != nil:
		out = append(out, p.objectRow(w)...)
	}
	out = append(out, nil, term.Line{term.Head.Of("table changes"),
		term.Dim.Of(fmt.Sprintf("  how it came to be, %s, newest first", term.Plural(len(r.changes), "row")))},
		term.Text(term.Name, fmt.Sprintf("  %8s type %15s %-8s %7s %s", "revision", "before_revision", "at", "bytes",
			"outside")))
	for _, c := range r.changes {
		l := term.Line{
			term.Num.Of(fmt.Sprintf("  %8d ", c.Revision)),
			label.CommitStyle(c.Commit).Of(fmt.Sprintf("%-4c", c.Type)),
			term.Dim.Of(fmt.Sprintf(" %15d %s %7d ", c.before, c.At.Format("15:04:05"), c.bytes)),
		}
		l = append(l, term.Pick(c.Outside, term.Warn.Of("1 "+label.SQLite.X), term.Dim.Of("0")))
		out = append(out, term.FitLine(l, w))
	}
	if r.value != nil {
		out = append(out, nil, term.Line{term.Head.Of("value"),
			term.Dim.Of("  as stored: the resourceVersion is set when it is read")})
		out = append(out, body.Lines(body.Clip(r.value), body.JSON, w)...)
	}
	out = append(out, nil)
	return append(out, term.WrapLines(term.Dim, "A trigger writes a row of changes with each change of objects, from "+
		"any writer: a request, or your own SQL. Its revision becomes the resourceVersion. Compaction removes old "+
		"ones.", w)...)
}

// objectRow is the row of the table objects, one line for each column, except its value.
func (p *Object) objectRow(w int) []term.Line {
	var out []term.Line
	key := p.key.Name
	if p.key.Namespace != "" {
		key = p.key.Namespace + "/" + key
	}
	for _, column := range [][2]string{
		{"resource", p.Of.ID()}, {"key", key}, {"revision", label.Revision(p.newestChange()) + ", its resourceVersion"},
		{"value", term.BytesText(int64(p.rows.bytes)) + " of JSON, below"},
	} {
		line := term.Line{term.Name.Of("  " + term.Pad(column[0], 10)), term.Plain.Of(column[1])}
		out = append(out, term.FitLine(line, w))
	}
	return out
}

func (p *Object) newestChange() int64 {
	if len(p.rows.changes) == 0 {
		return 0
	}
	return p.rows.changes[0].Revision
}

// RowSQL returns a command that reads the object's row from the database file.
func (o *Page) RowSQL(r *client.Resource, k client.Key) string {
	if k.Name == "" || o.env.DB == ":memory:" {
		return ""
	}
	key := k.Name
	if k.Namespace != "" {
		key = k.Namespace + "/" + key
	}
	if m := o.env.Moment; m != nil { // the table objects has only the present row
		return fmt.Sprintf("sqlite3 -readonly %s \"SELECT revision, type, value FROM changes WHERE resource = '%s' "+
			"AND key = '%s' AND revision <= %d ORDER BY revision DESC LIMIT 1\"", o.env.DB, r.ID(), key, m.Revision)
	}
	return fmt.Sprintf("sqlite3 -readonly %s \"SELECT revision, value FROM objects WHERE resource = '%s' AND key = "+
		"'%s'\"",
		o.env.DB, r.ID(), key)
}
