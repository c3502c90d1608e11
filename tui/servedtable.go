package tui

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"kubarium/server/flow/object"
)

// A servedTable is a Table as the server answered it.
type servedTable struct {
	columns  []tableColumn
	rows     []tableRow
	revision int64
	more     bool
}

// table lists up to limit objects of a resource.
func (a *api) table(r *resource, limit int) (*servedTable, error) {
	return a.readTable(r.path("", ""), url.Values{"limit": {strconv.Itoa(limit)}})
}

// tableRows reads the rows of some objects; those that are not there any more are gone.
func (a *api) tableRows(r *resource, keys []objectKey) (rows []tableRow, gone []objectKey, err error) {
	for _, k := range keys {
		one, err := a.readTable(r.path(k.namespace, k.name), nil)
		var no *refusal
		switch {
		case errors.As(err, &no) && no.Code == 404:
			gone = append(gone, k)
		case err != nil:
			return nil, nil, err
		default:
			rows = append(rows, one.rows...)
		}
	}
	return rows, gone, nil
}

func (a *api) readTable(path string, query url.Values) (*servedTable, error) {
	body, err := a.get(path, query, asTable)
	if err != nil {
		return nil, err
	}
	t, err := parseTable(body)
	if err != nil {
		return nil, fmt.Errorf("read the table of %s: %w", path, err)
	}
	return t, nil
}

// parseTable reads a Table in JSON.
func parseTable(body []byte) (*servedTable, error) {
	var raw struct {
		Kind              string
		Metadata          struct{ ResourceVersion, Continue string }
		ColumnDefinitions []tableColumn
		Rows              []struct {
			Cells  []any
			Object struct {
				Metadata struct {
					Namespace, Name   string
					CreationTimestamp time.Time
					DeletionTimestamp *time.Time
					Finalizers        []string
				}
			}
		}
	}
	if err := json.Unmarshal(body, &raw); err != nil {
		return nil, err
	}
	if raw.Kind != "Table" {
		return nil, fmt.Errorf("the answer is a %s instead", raw.Kind)
	}
	out := &servedTable{columns: raw.ColumnDefinitions, more: raw.Metadata.Continue != ""}
	out.revision, _ = strconv.ParseInt(raw.Metadata.ResourceVersion, 10, 64) // opaque: another server's need not be a number
	for _, r := range raw.Rows {
		m := &r.Object.Metadata
		row := tableRow{key: objectKey{m.Namespace, m.Name}, created: m.CreationTimestamp, deleting: m.DeletionTimestamp != nil, finalizers: m.Finalizers}
		for _, c := range r.Cells {
			row.cells = append(row.cells, cellText(c))
		}
		out.rows = append(out.rows, row)
	}
	return out, nil
}

// cellText is a cell as kubectl prints it.
func cellText(c any) string {
	switch c := c.(type) {
	case nil:
		return "<none>"
	case string:
		return object.OneLine(c)
	}
	return fmt.Sprint(c)
}

// A tableColumn is a column as the server defines it.
type tableColumn struct {
	Name     string
	Priority int // above 0 only with -o wide
}

// A tableRow is an object's cells, and what of its metadata matters here.
type tableRow struct {
	key        objectKey
	cells      []string
	created    time.Time
	deleting   bool
	finalizers []string
}

// An objectKey names an object of a resource.
type objectKey struct{ namespace, name string }

func (k objectKey) String() string { return k.namespace + "/" + k.name }

const (
	tablePage = 500                    // objects that are asked for at first, as kubectl does
	mostRows  = 20 * tablePage         // and at most
	eachByOne = 32                     // changed objects up to which each is asked for by itself
	tableRest = 700 * time.Millisecond // between two looks at what has changed
)

// cell is the i-th cell, "" if there is none.
func (r *tableRow) cell(i int) string {
	if i < len(r.cells) {
		return r.cells[i]
	}
	return ""
}
