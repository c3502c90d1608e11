package sqlitestore

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"kubarium/server/storage"
)

// A Report is what Examine finds in a database.
type Report struct {
	Revision storage.Revision // the newest one; 0 if it cannot be read
	Problems []string         // what is wrong with the files and between them, a line each
	Damaged  []DamagedObject  // in order of their keys
	Whole    map[string]int   // how many objects of each storage resource are sound
}

// A DamagedObject is one that cannot be served as it is stored.
type DamagedObject struct {
	Key      storage.Key
	Revision storage.Revision
	Why      string
}

// sqlChange reads what the log has of a version of an object, and which its newest is.
const sqlChange = `SELECT (SELECT value FROM changes WHERE revision = ?1 AND resource = ?2 AND key = ?3),
	(SELECT max(revision) FROM changes INDEXED BY changes_by_key WHERE resource = ?2 AND key = ?3)`

// Examine reads a whole database and reports what is wrong with it. It writes nothing, and may be used while a
// Kubarium has the database open. The error says why it cannot be examined at all.
func Examine(ctx context.Context, path string) (*Report, error) {
	report, err := examine(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("check database %s: %w", path, err)
	}
	return report, nil
}

func examine(ctx context.Context, path string) (*Report, error) {
	path, err := resolve(path)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	if err := inspect(path); err != nil {
		return nil, err
	}
	x := examiner{Report: &Report{Whole: map[string]int{}}, Store: &Store{Options: Options{Path: path}}}
	if err := x.complete(); err != nil {
		return nil, err
	}
	name, err := x.dsn(ctx)
	if err != nil {
		return nil, err
	}
	if x.readers, err = sql.Open("sqlite", name); err != nil {
		return nil, err
	}
	x.run(ctx)
	return x.Report, x.readers.Close()
}

// An examiner reads through a Store that has connections to read, and nothing else.
type examiner struct {
	*Store
	*Report
	tx *sql.Tx
}

// dsn says how to open the database: its file alone, when there is no log that belongs to it, and it is not in use.
func (x *examiner) dsn(ctx context.Context) (string, error) {
	note, inUse, err := readNote(x.Path + ".lock")
	if err != nil {
		return "", err
	}
	log, _ := os.Stat(x.Path + "-wal") // what is wrong with it, the comparison says
	alone := !inUse && (log == nil || log.Size() == 0)
	if !inUse {
		x.side = &sideFile{note: note}
		if err := x.compare(ctx); err != nil {
			x.problem(err.Error())
			alone = alone || errors.Is(err, errForeignLog)
		}
	}
	name := dsn(x.Path, "ro", "busy_timeout(5000)", "query_only(ON)")
	if alone {
		name += "&immutable=1"
	}
	return name, nil
}

func (x *examiner) problem(text string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "***") { // a heading
			x.Problems = append(x.Problems, line)
		}
	}
}

// run reads everything at one revision.
func (x *examiner) run(ctx context.Context) {
	if err := notFilling(ctx, x.readers); errors.Is(err, errFilling) {
		x.problem(err.Error())
		return
	}
	if err := x.reads.prepare(ctx, x.readers); err != nil {
		x.problem(err.Error())
		return
	}
	tx, err := x.readers.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		x.problem(err.Error())
		return
	}
	defer tx.Rollback() // it has nothing to commit
	x.tx = tx
	if err := tx.QueryRowContext(ctx, "SELECT revision FROM store").Scan(&x.Revision); err != nil {
		x.problem(err.Error())
	}
	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		x.problem(err.Error())
	}
	questions := slices.Concat([]string{checkIntegrity}, checks)
	if version > 1 {
		questions = append(questions, checkSnapshots)
	}
	for _, question := range questions {
		answers, err := ask(ctx, tx, question)
		for _, text := range answers {
			x.problem(text)
		}
		if err != nil {
			x.problem("not all could be compared: " + err.Error())
		}
	}
	for _, resource := range x.resources(ctx) {
		x.objects(ctx, resource)
	}
}

// resources returns the resources that have objects, or had.
func (x *examiner) resources(ctx context.Context) (found []string) {
	for _, text := range []string{
		"SELECT resource FROM objects INDEXED BY sqlite_autoindex_objects_1 GROUP BY resource",
		"SELECT resource FROM changes INDEXED BY changes_by_key GROUP BY resource",
	} {
		names, err := ask(ctx, x.tx, text)
		if err != nil {
			x.problem(err.Error())
		}
		found = append(found, names...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// objects reads all objects of a resource.
func (x *examiner) objects(ctx context.Context, resource string) {
	const most = 1000
	l := lister{Store: x.Store, ctx: ctx, tx: x.tx, trace: trace{}, ListOptions: storage.ListOptions{Resource: resource, Limit: most - 1}}
	for {
		records, err := l.records(true)
		if err != nil {
			x.problem(fmt.Sprintf("%s: %v", resource, err))
			return
		}
		for _, r := range records {
			if why := x.wrong(ctx, r); why != "" {
				x.Damaged = append(x.Damaged, DamagedObject{r.Key, r.Revision, why})
			} else {
				x.Whole[resource]++
			}
		}
		if len(records) < most {
			return
		}
		l.After = records[most-1].Key.Name
	}
}

// wrong says what is wrong with an object; "" if nothing is.
func (x *examiner) wrong(ctx context.Context, r storage.Record) string {
	var logged []byte
	var newest sql.NullInt64
	err := x.tx.QueryRowContext(ctx, sqlChange, r.Revision, r.Key.Resource, r.Key.Name).Scan(&logged, &newest)
	why := illegible(r.Value)
	switch {
	case why != "" && err == nil && illegible(logged) == "" && newest.Int64 == int64(r.Revision):
		return why + "; the change log has it whole"
	case why != "":
		return why
	case err != nil:
		return "the change log cannot be read: " + oneLine(err.Error())
	case logged == nil:
		return "the change log does not have its revision"
	case !bytes.Equal(logged, r.Value):
		return "it differs from what the change log has at its revision"
	case newest.Int64 != int64(r.Revision):
		return fmt.Sprintf("the change log has a newer one at revision %d", newest.Int64)
	}
	return ""
}

// illegible says why a value cannot be served; "" if it can.
func illegible(value []byte) string {
	switch {
	case len(value) == 0:
		return "it is on a page that cannot be read"
	case !utf8.Valid(value):
		return "it is not UTF-8"
	case !json.Valid(value):
		return "it is not JSON"
	}
	return ""
}
