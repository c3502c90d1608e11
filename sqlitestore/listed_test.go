package sqlitestore_test

import (
	"path/filepath"
	"testing"

	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// TestList_Bytes proves that a value which somebody outside has written as a BLOB is listed as what it is, and that the
// values of one list stay what they were while another is read.
func TestList_Bytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubarium.db")
	s := mustOpen(t, sqlitestore.Options{Path: path})
	for name, value := range map[string]string{"a": `{"n":1}`, "b": `{"n":2}`} {
		w := storage.Write{Op: storage.OpCreate, Key: storage.Key{Resource: "configmaps", Name: name}, Value: []byte(value)}
		if _, err := s.Write(t.Context(), w); err != nil {
			t.Fatal(err)
		}
	}
	first, err := s.List(t.Context(), storage.ListOptions{Resource: "configmaps"})
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, plain(t, path), `UPDATE objects SET value = CAST('{"n":3}' AS BLOB) WHERE key = 'a'`)
	second, err := s.List(t.Context(), storage.ListOptions{Resource: "configmaps"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		page storage.Page
		want []string
	}{{second, []string{`{"n":3}`, `{"n":2}`}}, {first, []string{`{"n":1}`, `{"n":2}`}}} {
		for i, want := range c.want {
			if got := string(c.page.Records[i].Value); got != want {
				t.Errorf("record %d is %s, want %s", i, got, want)
			}
		}
	}
}
