package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A result is what a spec answered on one server. State is pass, fail, skip (the spec's own decision), or empty: not
// run. Message is the failure's, in one line.
type result struct {
	State   string
	Seconds int
	Message string
}

// A row is a spec with its results.
type row struct {
	Spec           string
	Real, Kubarium result
}

func (r *row) on(server string) *result {
	if server == "real" {
		return &r.Real
	}
	return &r.Kubarium
}

// A table is the file of results: a line a spec, sorted, seven columns with tabs between them.
type table struct {
	path string
	mu   sync.Mutex // guards rows and the file
	rows []*row
}

const heading = "spec\treal\tseconds\tmessage\tkubarium\tseconds\tmessage\n"

func readTable(path string) (*table, error) {
	t := &table{path: path}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	} else if err != nil {
		return nil, err
	}
	body, ok := strings.CutPrefix(string(b), heading)
	if !ok {
		return nil, fmt.Errorf("%s: the first line is not %q", path, strings.TrimSpace(heading))
	}
	for i, line := range strings.Split(strings.TrimSuffix(body, "\n"), "\n") {
		f := strings.Split(line, "\t")
		if len(f) != 7 {
			return nil, fmt.Errorf("%s:%d: %d columns, not 7", path, i+2, len(f))
		}
		one, err1 := strconv.Atoi(f[2])
		two, err2 := strconv.Atoi(f[5])
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, i+2, err)
		}
		t.rows = append(t.rows, &row{f[0], result{f[1], one, f[3]}, result{f[4], two, f[6]}})
	}
	return t, nil
}

// set replaces the rows by those of the specs; results of specs that remain are kept.
func (t *table) set(specs []string) {
	old := map[string]*row{}
	for _, r := range t.rows {
		old[r.Spec] = r
	}
	t.rows = nil
	for _, s := range specs {
		r := old[s]
		if r == nil {
			r = &row{Spec: s}
		}
		t.rows = append(t.rows, r)
	}
	slices.SortFunc(t.rows, func(a, b *row) int { return cmp.Compare(a.Spec, b.Spec) })
}

// keep stores a result, and writes the file.
func (t *table) keep(r *row, server string, got result) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	*r.on(server) = got
	var b strings.Builder
	b.WriteString(heading)
	for _, r := range t.rows {
		fmt.Fprintf(&b, "%s\t%s\t%d\t%s\t%s\t%d\t%s\n", r.Spec, r.Real.State, r.Real.Seconds, r.Real.Message,
			r.Kubarium.State, r.Kubarium.Seconds, r.Kubarium.Message)
	}
	return os.WriteFile(t.path, []byte(b.String()), 0o644)
}
