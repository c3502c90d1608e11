package tui

import (
	"errors"
	"fmt"
	"net/url"

	"kubarium/server/flow"
)

// storedRows are what the database has of an object: its row of the table objects, and its rows of the change log. The UI
// asks for them under /debug, which answers what plain SQL would.
type storedRows struct {
	value   []byte // as stored, secrets masked; nil if there is no row
	bytes   int    // of the value
	changes []logRow
	err     error
	came    int // counts the answers
	asked   int // counts the questions, so that only the last one is answered
}

// A logRow is a row of the change log, without the object.
type logRow struct {
	flow.Commit
	before, bytes int64
}

// load asks for the rows.
func (p *objectPane) loadRows() {
	p.rows.asked++
	asked, a, of, k, mask := p.rows.asked, p.o.api, *p.of, p.key, p.o.u.maskerOf(p.of.name)
	p.o.u.do(workEffect{func() func() {
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
func readRows(a *api, of resource, k objectKey, mask func([]byte) []byte) (r storedRows) {
	which := url.Values{"resource": {of.name}, "name": {k.name}}
	if of.group != "" {
		which.Set("group", of.group)
	}
	if k.namespace != "" {
		which.Set("namespace", k.namespace)
	}
	value, err := a.get("/debug/rows", which, asPlainJSON)
	var no *refusal
	if r.err = err; errors.As(err, &no) && no.Code == 404 {
		r.err = nil // a deleted object has rows of the change log alone
	}
	r.value, r.bytes = mask(value), len(value)
	var log changeLog
	if r.err == nil {
		r.err = a.read("/debug/changes", which, asPlainJSON, &log)
	}
	for _, c := range log.Changes {
		r.changes = append(r.changes, logRow{c.commit(), c.BeforeRevision, c.Bytes})
	}
	return r
}

// rowLines show the rows as SQL would.
func (p *objectPane) rowLines(w int) []line {
	r := &p.rows
	switch {
	case r.err != nil:
		return wrapLines(sErr, "✗ "+r.err.Error(), w)
	case r.came == 0:
		return []line{text(sDim, "asking for the rows …")}
	case r.value == nil && len(r.changes) == 0:
		return wrapLines(sPlain, "The database has no row of this name. Objects of this resource are not stored, or in the form of another resource.", w)
	}
	out := []line{{{sHead, "table objects"}, {sDim, pick(r.value == nil, "  no row: it is deleted", "  the object as it is, 1 row")}}}
	if r.value != nil {
		out = append(out, p.objectRow(w)...)
	}
	out = append(out, nil, line{{sHead, "table changes"}, {sDim, fmt.Sprintf("  how it came to be, %s, newest first", plural(len(r.changes), "row"))}},
		text(sName, fmt.Sprintf("  %8s type %15s %-8s %7s %s", "revision", "before_revision", "at", "bytes", "outside")))
	for _, c := range r.changes {
		l := line{{sNum, fmt.Sprintf("  %8d ", c.Revision)}, {commitStyle(c.Commit), fmt.Sprintf("%-4c", c.Type)}, {sDim, fmt.Sprintf(" %15d %s %7d ", c.before, c.At.Format("15:04:05"), c.bytes)}}
		l = append(l, pick(c.Outside, span{sWarn, "1 by SQL"}, span{sDim, "0"}))
		out = append(out, fitLine(l, w))
	}
	if r.value != nil {
		out = append(out, nil, line{{sHead, "value"}, {sDim, "  as it is stored: the resourceVersion is stamped on the way out"}})
		out = append(out, bodyLines(clip(r.value), asJSON, w)...)
	}
	out = append(out, nil)
	return append(out, wrapLines(sDim, "A trigger writes a row of changes with each change of objects, whoever makes it: a request, or your own SQL. Its revision becomes the resourceVersion. Compaction removes old ones.", w)...)
}

// objectRow is the row of the table objects, a column a line, but for its value.
func (p *objectPane) objectRow(w int) []line {
	var out []line
	key := p.key.name
	if p.key.namespace != "" {
		key = p.key.namespace + "/" + key
	}
	for _, column := range [][2]string{{"resource", p.of.id()}, {"key", key}, {"revision", revision(p.newestChange()) + ", its resourceVersion"}, {"value", bytesText(int64(p.rows.bytes)) + " of JSON, below"}} {
		out = append(out, fitLine(line{{sName, "  " + pad(column[0], 10)}, {sPlain, column[1]}}, w))
	}
	return out
}

func (p *objectPane) newestChange() int64 {
	if len(p.rows.changes) == 0 {
		return 0
	}
	return p.rows.changes[0].Revision
}

// rowSQL is a command that reads the object's row from the database file.
func (o *objectsPage) rowSQL(r *resource, k objectKey) string {
	if k.name == "" || o.u.db == ":memory:" {
		return ""
	}
	key := k.name
	if k.namespace != "" {
		key = k.namespace + "/" + key
	}
	return fmt.Sprintf(`sqlite3 -readonly %s "SELECT revision, value FROM objects WHERE resource = '%s' AND key = '%s'"`, o.u.db, r.id(), key)
}
