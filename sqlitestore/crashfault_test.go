//go:build unix

package sqlitestore_test

import (
	"bufio"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"kubarium/sqlitestore"
)

// roundsEnv says how many rounds TestStore_KilledWithFaults takes; without it there are a few.
const roundsEnv = "KUBARIUM_CRASH_ROUNDS"

// A fault is what happens to the files of a store beside its being killed. old is a database of an earlier day.
type fault struct {
	name  string
	while bool // while it runs, not afterwards
	do    func(t *testing.T, path, old string)
	// destroys: what was acknowledged is nowhere afterwards, and a new database begins the next round.
	destroys bool
}

// faults are what TestStore_KilledWithFaults chooses from.
var faults = []fault{
	{"none", false, func(*testing.T, string, string) {}, false},
	{"remove the database", true, func(t *testing.T, path, _ string) { remove(t, path) }, false},
	{"move the database", true, func(t *testing.T, path, _ string) { rename(t, path, path+".moved") }, false},
	{"move an old database over it", true, moveOver, false},
	{"copy an old database over it", true, func(t *testing.T, path, old string) { copyFile(t, old, path) }, true},
	{"remove the log", true, func(t *testing.T, path, _ string) { remove(t, path+"-wal") }, false},
	{"remove the index", true, func(t *testing.T, path, _ string) { remove(t, path+"-shm") }, false},
	{"cut the index", true, func(t *testing.T, path, _ string) { truncate(t, path+"-shm", 0) }, false},
	{"remove the lock", true, func(t *testing.T, path, _ string) { remove(t, path+".lock") }, false},
	{"remove the database afterwards", false, func(t *testing.T, path, _ string) { remove(t, path) }, false},
	{"move an old database over it afterwards", false, moveOver, false},
	{"copy an old database over it afterwards", false, func(t *testing.T, path, old string) { copyFile(t, old, path) }, false},
	{"put an old database alone there afterwards", false, func(t *testing.T, path, old string) {
		remove(t, path+"-wal")
		moveOver(t, path, old)
	}, false},
	{"remove the log afterwards", false, func(t *testing.T, path, _ string) { remove(t, path+"-wal") }, false},
	{"cut the log afterwards", false, func(t *testing.T, path, _ string) {
		if n := size(t, path+"-wal"); n > 0 {
			truncate(t, path+"-wal", rand.Int64N(n))
		}
	}, false},
	{"tear the log's end afterwards", false, func(t *testing.T, path, _ string) {
		f, err := os.OpenFile(path+"-wal", os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.Write(make([]byte, rand.IntN(10_000))); err != nil {
			t.Fatal(err)
		}
	}, false},
	{"remove the index afterwards", false, func(t *testing.T, path, _ string) { remove(t, path+"-shm") }, false},
	{"cut the index afterwards", false, func(t *testing.T, path, _ string) { truncate(t, path+"-shm", 100) }, false},
}

func moveOver(t *testing.T, path, old string) {
	copyFile(t, old, path+".old")
	rename(t, path+".old", path)
}

// TestStore_KilledWithFaults kills a process while it writes, again and again on one database, and does something to the
// files each time. Then the next start has all that was acknowledged, or is refused in one line; or, where somebody has
// taken the file itself away, the file has it under its other name. With the right files in their places again, all that
// was acknowledged is there, whatever was done; revisions only grow, and the file agrees with itself.
func TestStore_KilledWithFaults(t *testing.T) {
	rounds, err := strconv.Atoi(os.Getenv(roundsEnv))
	if err != nil {
		rounds = 8
	}
	path := filepath.Join(t.TempDir(), "data", "kubarium.db")
	var log []string // all changes of the rounds before
	acks, refused := 0, 0
	for round := range rounds {
		f := faults[(round*7+rand.IntN(2))%len(faults)]
		if round == 0 {
			f = faults[0]
		}
		old := filepath.Join(t.TempDir(), "old.db")
		keep := t.TempDir()
		acked := runWithFault(t, path, keep, f, old, round%9 == 8)
		acks += len(acked)
		files := keepFiles(t, keep)
		if !f.while {
			f.do(t, path, old)
		}
		s, err := sqlitestore.Open(t.Context(), sqlitestore.Options{Path: path})
		here := err == nil && hasLog(t, s, acked)
		if err == nil {
			if err := s.Close(); err != nil {
				t.Errorf("round %d, %s: %v", round, f.name, err)
			}
		}
		switch {
		case err != nil:
			refused++
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("round %d, %s: refused in more than one line: %v", round, f.name, err)
			}
		case !here && !(f.while && strings.Contains(f.name, "database")):
			t.Errorf("round %d, %s: started without what was acknowledged", round, f.name)
		}
		t.Logf("round %d, %s: %d acknowledged, start: %v, all there: %t", round, f.name, len(acked), err, here)
		if f.destroys {
			if err == nil && !here {
				proveAbove(t, s, acked)
			}
			path, log = filepath.Join(t.TempDir(), "data", "kubarium.db"), nil
			continue
		}
		if !here {
			putBack(t, path, keep, files)
		}
		now := readLog(t, path)
		if len(now) < len(log) || !slices.Equal(now[:len(log)], log) {
			t.Fatalf("round %d, %s: the log of %d changes is not a continuation of that of %d", round, f.name, len(now), len(log))
		}
		for _, text := range acked {
			if !slices.Contains(now[len(log):], text) {
				t.Errorf("round %d, %s: acknowledged but lost: %.100s", round, f.name, text)
			}
		}
		log = now
	}
	t.Logf("%d rounds, %d acknowledged of %d committed changes, %d starts refused", rounds, acks, len(log), refused)
}

// runWithFault lets a child write, does what is to be done while it runs, and kills it. The files that it has opened get
// names in the folder keep, too; old becomes a copy of the database from before.
func runWithFault(t *testing.T, path, keep string, f fault, old string, small bool) (acked []string) {
	t.Helper()
	if _, err := os.Stat(path); err == nil {
		copyFile(t, path, old)
	} else {
		rename(t, backup(t), old)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0])
	child.Cancel = func() error { return child.Process.Signal(syscall.SIGQUIT) } // for its stack
	child.WaitDelay = time.Second
	child.Env = append(os.Environ(), childEnv+"="+path)
	if small {
		child.Env = append(child.Env, fileSizeEnv+"="+strconv.Itoa(100_000+rand.IntN(400_000)))
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	child.Stderr = &said
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(out)
	lines, more := 20+rand.IntN(300), 1+rand.IntN(100) // a kill in the line of the fault would be missed
	for n := 0; ; n++ {
		text, err := in.ReadString('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if rest, ok := strings.CutPrefix(strings.TrimSuffix(text, "\n"), "ack "); ok {
			acked = append(acked, rest)
		}
		switch {
		case n == 0:
			for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
				if err := os.Link(path+suffix, filepath.Join(keep, "k"+suffix)); err != nil {
					t.Fatal(err)
				}
			}
		case n == lines && f.while:
			f.do(t, path, old)
		case n == lines+more:
			_ = child.Process.Kill() // it may have ended by itself
		}
	}
	_ = child.Wait() // killed, or refused to go on
	if text := strings.TrimSpace(said.String()); strings.Contains(text, "\n") {
		t.Errorf("%s: the child said %.20000s", f.name, text)
	}
	if len(acked) == 0 {
		t.Errorf("%s: nothing was acknowledged; the child said %s", f.name, said.String())
	}
	return acked
}

// A kept file is one that the child had opened, as it was when it was killed.
type kept struct {
	data    []byte
	written time.Time
}

// keepFiles reads the files that the child had opened, by what follows the name of the database.
func keepFiles(t *testing.T, keep string) map[string]kept {
	t.Helper()
	files := map[string]kept{}
	for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
		path := filepath.Join(keep, "k"+suffix)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		files[suffix] = kept{data, info.ModTime()}
	}
	return files
}

// putBack puts the files that the child had opened in their places again, as they were when it was killed.
func putBack(t *testing.T, path, keep string, files map[string]kept) {
	t.Helper()
	for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
		if err := os.Remove(path + suffix); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if err := os.Link(filepath.Join(keep, "k"+suffix), path+suffix); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+suffix, files[suffix].data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path+suffix, time.Time{}, files[suffix].written); err != nil {
			t.Fatal(err)
		}
	}
}

// hasLog reports whether the log of a store has all these lines.
func hasLog(t *testing.T, s *sqlitestore.Store, acked []string) bool {
	t.Helper()
	changes, err := s.Changes(t.Context(), "", 0, 0)
	if err != nil {
		return false // it was compacted, as a database that has lost something is
	}
	there := map[string]bool{}
	for _, c := range changes {
		there[line(c.Type, c.Revision, c.Key, c.Value)] = true
	}
	return !slices.ContainsFunc(acked, func(text string) bool { return !there[text] })
}

// proveAbove proves that the newest revision of a store is above all that was acknowledged.
func proveAbove(t *testing.T, s *sqlitestore.Store, acked []string) {
	t.Helper()
	newest, _ := s.Head()
	for _, text := range acked {
		revision, _, _ := strings.Cut(text, " ")
		if n, err := strconv.Atoi(revision); err != nil || n >= int(newest) {
			t.Fatalf("head is %d, but %.50s was acknowledged, %v", newest, text, err)
		}
	}
}
