package sqlitestore_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// restoreEnv makes the test binary a process that restores in the database it names until it is killed.
const restoreEnv = "KUBARIUM_RESTORE_IN"

// restoreForever goes to and fro between the snapshots "a" and "b", and says so before and after each way.
func restoreForever(path string) error {
	s, err := sqlitestore.Open(context.Background(), sqlitestore.Options{Path: path})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		name := string("ab"[i%2])
		fmt.Println("begin", name)
		if _, err := s.Restore(context.Background(), name); err != nil {
			return err
		}
		fmt.Println("end", name)
	}
}

// mustTwoStates makes the states "a" and "b" of so many objects each, none of which is in the other.
func mustTwoStates(t testing.TB, s *sqlitestore.Store, many int) {
	t.Helper()
	for _, name := range []string{"a", "b"} {
		page, err := s.List(t.Context(), storage.ListOptions{Resource: "configmaps"})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page.Records {
			if _, err := s.Write(t.Context(), storage.Write{Op: storage.OpDelete, Key: r.Key, Expect: r.Revision}); err != nil {
				t.Fatal(err)
			}
		}
		for i := range many {
			create(t, s, fmt.Sprint(name, "-", i), `{"data":"`+strings.Repeat("x", 500)+`"}`)
		}
		if _, err := s.SaveSnapshot(t.Context(), name, storage.SaveNew); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStore_Restore_Killed kills a process while it restores, several times on one file: the next one finds one of the two states,
// whole, and can go to both.
func TestStore_Restore_Killed(t *testing.T) {
	const many = 300
	path := filepath.Join(t.TempDir(), "kubarium.db")
	s, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path, Sync: "off"})
	if err != nil {
		t.Fatal(err)
	}
	mustTwoStates(t, s, many)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	inside := 0
	for range 8 {
		last := killRestoring(t, path)
		if strings.HasPrefix(last, "begin") {
			inside++
		}
		mustState(t, path, many)
	}
	t.Logf("of 8 kills %d met a restore that was under way", inside)
}

// killRestoring starts a child, kills it some time after a restore began, and returns the last line that it said.
func killRestoring(t *testing.T, path string) (last string) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), restoreEnv+"="+path)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		last = lines.Text()
		if n == 4 { // behind the beginning of the third
			time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond) // anywhere within it
			if err := child.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
	}
	if err := child.Wait(); child.ProcessState.Exited() {
		t.Fatalf("the child ended by itself: %v", err)
	}
	return last
}

// mustState opens the file as the next process does, proves that it is in one of the two states, and goes to both.
func mustState(t *testing.T, path string, many int) {
	t.Helper()
	s, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	names := func() string {
		page, err := s.List(t.Context(), storage.ListOptions{Resource: "configmaps"})
		if err != nil || len(page.Records) != many {
			t.Fatalf("%d objects, %v", len(page.Records), err)
		}
		first, _, _ := strings.Cut(page.Records[0].Key.Name, "-")
		last, _, _ := strings.Cut(page.Records[many-1].Key.Name, "-")
		if first != last {
			t.Fatalf("objects of both states: from %s to %s", page.Records[0].Key, page.Records[many-1].Key)
		}
		return strings.TrimPrefix(first, "default/")
	}
	found := names()
	for _, name := range []string{"a", "b", found} {
		if _, err := s.Restore(t.Context(), name); err != nil || names() != name {
			t.Fatalf("restore %s: %v, %s", name, err, names())
		}
	}
}
