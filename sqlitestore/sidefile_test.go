package sqlitestore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubarium/sqlitestore"
)

// TestOpen_InUseByProcess proves that a second process is refused while the first lives and is told who that is, that the
// note in the lock file and the database can be read meanwhile, that none of this costs the first one its lock, and that
// the next process takes over once the first was killed.
func TestOpen_InUseByProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubarium.db")
	t.Run("Alive", func(t *testing.T) {
		process := startOwner(t, path)
		for range 2 {
			_, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path})
			if want := fmt.Sprintf("in use by another Kubarium (process %d)", process); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("second owner: %v, want %s", err, want)
			}
			note, err := os.ReadFile(path + ".lock")
			if first := fmt.Sprint(process); err != nil || !strings.HasPrefix(string(note), first+" ") || !strings.Contains(string(note), "state    running") {
				t.Errorf("the note is %q, %v", note, err)
			}
			report, err := sqlitestore.Examine(t.Context(), path)
			if err != nil || report.Revision == 0 || len(report.Problems) > 0 {
				t.Errorf("examined: %+v, %v", report, err)
			}
		}
	})
	s := mustOpen(t, sqlitestore.Options{Path: path})
	create(t, s, "next", `1`)
	note, err := os.ReadFile(path + ".lock")
	if want := fmt.Sprint(os.Getpid()) + " "; err != nil || !strings.HasPrefix(string(note), want) {
		t.Errorf("the note of the next owner is %q, %v", note, err)
	}
}
