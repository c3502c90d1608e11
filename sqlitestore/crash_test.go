package sqlitestore_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// childEnv makes the test binary a process that writes to the database it names until it is killed.
const childEnv = "KUBARIUM_WRITE_TO"

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		fmt.Fprintln(os.Stderr, writeForever(path))
		os.Exit(1)
	}
	if path := os.Getenv(restoreEnv); path != "" {
		fmt.Fprintln(os.Stderr, restoreForever(path))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeForever lets 16 writers create, update and delete objects of their own. It prints "saw" for each change that the
// follower has had, and "ack" for each that its writer was told of, a line each in the same form.
func writeForever(path string) error {
	s, err := sqlitestore.Open(context.Background(), sqlitestore.Options{Path: path})
	if err != nil {
		return err
	}
	if err := limitFiles(path); err != nil {
		return err
	}
	if _, err := s.Follow(func(b storage.Batch) {
		var lines strings.Builder
		for _, c := range b.Changes {
			fmt.Fprintf(&lines, "saw %s\n", line(c.Type, c.Revision, c.Key, c.Value))
		}
		fmt.Print(lines.String())
	}); err != nil {
		return err
	}
	failed := make(chan error)
	for w := range 16 {
		go func() { failed <- writeAndSay(s, storage.Key{Resource: "configmaps", Name: fmt.Sprint("a/", w)}) }()
	}
	return <-failed
}

// writeAndSay changes one object again and again.
func writeAndSay(s *sqlitestore.Store, k storage.Key) error {
	next := storage.Write{Op: storage.OpCreate, Key: k}
	if r, err := s.Get(context.Background(), k, 0); err == nil {
		next.Op, next.Expect = storage.OpUpdate, r.Revision
	}
	for {
		next.Value = nil
		if next.Op != storage.OpDelete {
			next.Value = fmt.Appendf(nil, `"%d%s"`, rand.Uint64(), strings.Repeat("x", rand.IntN(2000)))
		}
		r, err := s.Write(context.Background(), next)
		if err != nil {
			return err
		}
		kind := map[storage.WriteOp]storage.ChangeType{storage.OpCreate: storage.Created, storage.OpUpdate: storage.Updated, storage.OpDelete: storage.Deleted}[next.Op]
		fmt.Printf("ack %s\n", line(kind, r.Revision, k, next.Value))
		switch {
		case next.Op == storage.OpDelete:
			next.Op, next.Expect = storage.OpCreate, 0
		case rand.IntN(3) == 0:
			next.Op, next.Expect = storage.OpDelete, r.Revision
		default:
			next.Op, next.Expect = storage.OpUpdate, r.Revision
		}
	}
}

func line(t storage.ChangeType, at storage.Revision, k storage.Key, value []byte) string {
	return fmt.Sprintf("%d %c %s %s", at, t, k, value)
}

// TestStore_Killed kills a process while it writes, several times on one file. Each time: what was acknowledged or
// followed is there, what was told before is told again the same, revisions only grow, and the file agrees with itself.
func TestStore_Killed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubarium.db")
	var log []string // all changes of the rounds before
	acks := 0
	for round := range 6 {
		acked, seen := runAndKill(t, path, 50+rand.IntN(400))
		acks += len(acked)
		now := readLog(t, path)
		if len(now) < len(log) || !slices.Equal(now[:len(log)], log) {
			t.Fatalf("round %d: the log of %d changes is not a continuation of that of %d", round, len(now), len(log))
		}
		fresh := now[len(log):]
		if len(fresh) < len(seen) || !slices.Equal(fresh[:len(seen)], seen) {
			t.Fatalf("round %d: the follower had\n%.2000s\nbut the log has\n%.2000s", round, strings.Join(seen, "\n"), strings.Join(fresh, "\n"))
		}
		for _, text := range acked {
			if !slices.Contains(fresh, text) {
				t.Errorf("round %d: acknowledged but lost: %.100s", round, text)
			}
		}
		log = now
	}
	t.Logf("%d acknowledged of %d committed changes, after 6 kills", acks, len(log))
}

// runAndKill starts a child that writes, kills it after so many lines, and returns what it said until then.
func runAndKill(t *testing.T, path string, lines int) (acked, seen []string) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"="+path)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	in, killed := bufio.NewReader(out), false
	for n := 0; ; n++ {
		if n == lines {
			killed = true
			if err := child.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
		text, err := in.ReadString('\n')
		if err == io.EOF { // a line that was cut off was not told
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if rest, ok := strings.CutPrefix(strings.TrimSuffix(text, "\n"), "ack "); ok {
			acked = append(acked, rest)
		} else {
			seen = append(seen, strings.TrimPrefix(strings.TrimSuffix(text, "\n"), "saw "))
		}
	}
	if err := child.Wait(); !killed {
		t.Fatalf("the child ended by itself: %v", err)
	}
	if len(acked) == 0 || len(seen) == 0 {
		t.Fatalf("%d acknowledged, %d followed", len(acked), len(seen))
	}
	return acked, seen
}

// readLog opens the file as the next process does, checks it, proves that the changes behind any revision are the end
// of all changes, and returns those.
func readLog(t *testing.T, path string) (log []string) {
	t.Helper()
	s, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	changes, err := s.Changes(t.Context(), "", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	last := storage.Revision(0)
	for _, c := range changes {
		if c.Revision <= last {
			t.Fatalf("revision %d after %d", c.Revision, last)
		}
		last = c.Revision
		log = append(log, line(c.Type, c.Revision, c.Key, c.Value))
	}
	if newest, _ := s.Head(); newest != last {
		t.Errorf("head is %d, but the log ends at %d", newest, last)
	}
	for i := 0; i < len(changes); i += 1 + len(changes)/50 {
		resumed, err := s.Changes(t.Context(), "", changes[i].Revision, 0)
		if err != nil || len(resumed) != len(changes)-i-1 {
			t.Fatalf("resumed behind %d: %d changes, %v; want %d", changes[i].Revision, len(resumed), err, len(changes)-i-1)
		}
		for j, c := range resumed {
			if line(c.Type, c.Revision, c.Key, c.Value) != log[i+1+j] {
				t.Fatalf("resumed behind %d: %d is not what was told before", changes[i].Revision, c.Revision)
			}
		}
	}
	return log
}

// startOwner lets another process own and write a database until the end of the test, and returns its number.
func startOwner(t *testing.T, path string) (process int) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var drained sync.WaitGroup
	t.Cleanup(func() {
		_ = child.Process.Kill() // it may have ended
		drained.Wait()
		_ = child.Wait() // killed
	})
	in := bufio.NewReader(out)
	if _, err := in.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	drained.Go(func() { _, _ = io.Copy(io.Discard, in) })
	return child.Process.Pid
}
