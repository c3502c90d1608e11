package sqlitestore_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// damagePage makes nonsense of the page of a table or an index of a closed database that has a text, and returns how many
// there are.
func damagePage(t *testing.T, path, tree, text string) {
	t.Helper()
	db := plain(t, path)
	found, err := db.Query("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'", tree)
	if err != nil {
		t.Fatal(err)
	}
	var pages []int64
	for found.Next() {
		var n int64
		if err := found.Scan(&n); err != nil {
			t.Fatal(err)
		}
		pages = append(pages, n)
	}
	if err := found.Close(); err != nil {
		t.Fatal(err)
	}
	mustExec(t, db, "PRAGMA wal_checkpoint(TRUNCATE)")
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, n := range pages {
		page := make([]byte, 4096)
		if _, err := f.ReadAt(page, (n-1)*4096); err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(page, []byte(text)) {
			if _, err := f.WriteAt(bytes.Repeat([]byte{0xA5}, 4096), (n-1)*4096); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("none of %d pages of %s has %s", len(pages), tree, text)
}

// TestList_Damaged proves that where a page cannot be read, the objects on other pages can, those on it are still told by
// their keys, the store says that it is damaged, and takes no more writes.
func TestList_Damaged(t *testing.T) {
	for _, c := range []struct {
		tree    string
		damaged bool // whether there are objects that cannot be read
	}{{"objects", true}, {"sqlite_autoindex_objects_1", true}} {
		t.Run(c.tree, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "kubarium.db")
			all := manyObjects(t, path, 200)
			damagePage(t, path, c.tree, "default/n-100")
			s, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			page, err := s.List(t.Context(), storage.ListOptions{Resource: "configmaps"})
			if err != nil {
				t.Fatal(err)
			}
			whole := 0
			for i, r := range page.Records {
				if r.Key != all[i].Key || r.Revision != all[i].Revision {
					t.Fatalf("record %d is %s at %d, want %s at %d", i, r.Key, r.Revision, all[i].Key, all[i].Revision)
				}
				if len(r.Value) > 0 {
					whole++
					if !bytes.Equal(r.Value, all[i].Value) {
						t.Errorf("%s is %.40s", r.Key, r.Value)
					}
				}
			}
			if len(page.Records) != len(all) || whole == len(all) || whole < len(all)/2 {
				t.Errorf("%d of %d records, %d whole", len(page.Records), len(all), whole)
			}
			refuses(t, s.Healthy(), storage.ErrDamaged, "kubarium check --db")
			_, err = s.Write(t.Context(), storage.Write{Op: storage.OpCreate, Key: key("new"), Value: []byte(`1`)})
			refuses(t, err, storage.ErrDamaged, "kubarium check --db")
		})
	}
}

// manyObjects makes a database with so many objects, four of which fill a page.
func manyObjects(t *testing.T, path string, n int) (all []storage.Record) {
	t.Helper()
	s, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path, Sync: "off"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		all = append(all, create(t, s, fmt.Sprintf("n-%d", i), `"`+strings.Repeat("x", 900)+`"`))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b storage.Record) int { return strings.Compare(a.Key.Name, b.Key.Name) })
	return all
}
