package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"kubarium/flow/object"
)

// A Table is a Table from the server.
type Table struct {
	Columns  []Column
	Rows     []Row
	Revision int64
	More     bool
	Continue string // the token of the next page; "" at the end
	Rest     int    // objects after the last row, as the server counts them; 0 if it does not
}

// Table lists up to limit objects of a resource, in one namespace or with "" in all.
func (a *Client) Table(r *Resource, namespace string, limit int) (*Table, error) {
	return a.ReadTable(r.Path(namespace, ""), a.Then(url.Values{"limit": {strconv.Itoa(limit)}}))
}

// TablePageAfter lists the page of objects that a continue token begins, as of the revision of the first page.
func (a *Client) TablePageAfter(r *Resource, namespace, token string) (*Table, error) {
	return a.ReadTable(r.Path(namespace, ""), url.Values{"limit": {strconv.Itoa(TablePage)}, "continue": {token}})
}

// TableRows reads the rows of some objects; gone are those that no longer exist.
func (a *Client) TableRows(r *Resource, keys []Key) (rows []Row, gone []Key, err error) {
	for _, k := range keys {
		one, err := a.tableRow(r, k)
		var no *Refusal
		switch {
		case errors.As(err, &no) && no.Code == 404:
			gone = append(gone, k)
		case err != nil:
			return nil, nil, err
		default:
			rows = append(rows, one.Rows...)
		}
	}
	return rows, gone, nil
}

// tableRow reads the row of an object; at an earlier revision as a list with one item.
func (a *Client) tableRow(r *Resource, k Key) (*Table, error) {
	if a.At == 0 {
		return a.ReadTable(r.Path(k.Namespace, k.Name), nil)
	}
	query := a.Then(url.Values{"fieldSelector": {"metadata.name=" + k.Name}})
	one, err := a.ReadTable(r.Path(k.Namespace, ""), query)
	if err == nil && len(one.Rows) == 0 {
		err = a.missing(r, k)
	}
	return one, err
}

// ReadTable reads a path as a Table.
func (a *Client) ReadTable(path string, query url.Values) (*Table, error) {
	body, err := a.Get(path, query, TableForm)
	if err != nil {
		return nil, err
	}
	t, err := ParseTable(body)
	if err != nil {
		return nil, fmt.Errorf("read the table of %s: %w", path, err)
	}
	return t, nil
}

// ParseTable parses a Table in JSON.
func ParseTable(body []byte) (*Table, error) {
	var raw struct {
		Kind     string
		Metadata struct {
			ResourceVersion, Continue string
			RemainingItemCount        int
		}
		ColumnDefinitions []Column
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
		return nil, fmt.Errorf("the answer is a %s, not a Table", raw.Kind)
	}
	out := &Table{Columns: raw.ColumnDefinitions, More: raw.Metadata.Continue != "", Continue: raw.Metadata.Continue,
		Rest: raw.Metadata.RemainingItemCount}
	out.Revision, _ = strconv.ParseInt(raw.Metadata.ResourceVersion, 10, 64) // another server's need not be a number
	for _, r := range raw.Rows {
		m := &r.Object.Metadata
		row := Row{
			Key: Key{m.Namespace, m.Name}, Created: m.CreationTimestamp, Deleting: m.DeletionTimestamp != nil,
			Finalizers: m.Finalizers,
		}
		for _, c := range r.Cells {
			row.Cells = append(row.Cells, cellText(c))
		}
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}

// cellText returns a cell as kubectl prints it.
func cellText(c any) string {
	switch c := c.(type) {
	case nil:
		return "<none>"
	case string:
		return object.OneLine(c)
	}
	return fmt.Sprint(c)
}

// A Column is a column as the server defines it.
type Column struct {
	Name     string
	Priority int // above 0: only with -o wide
}

// A Row is an object's cells, and the metadata that matters here.
type Row struct {
	Key        Key
	Cells      []string
	Created    time.Time
	Deleting   bool
	Finalizers []string
}

// A Key names an object of a resource.
type Key struct{ Namespace, Name string }

// String returns namespace/name.
func (k Key) String() string { return k.Namespace + "/" + k.Name }

// Sizes of reads, and their pace.
const (
	TablePage = 500                    // objects of the first read, as in kubectl
	MostRows  = 20 * TablePage         // the most objects read
	EachByOne = 32                     // changed objects up to which each is read separately
	TableRest = 700 * time.Millisecond // between two reads of changes
)

// Cell returns the i-th cell, "" if there is none.
func (r *Row) Cell(i int) string {
	if i < len(r.Cells) {
		return r.Cells[i]
	}
	return ""
}
