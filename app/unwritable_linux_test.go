package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/app/shown"
	"kubarium/tui"
)

// TestUnwritable proves of a disk that gets full and of files that turn read-only, while a server runs with its UI: clients get a Status that
// says so, reads and watches go on, the screen says it for as long as it lasts, everything goes on by itself when the cause has gone, and what
// was acknowledged is there, also for the next start.
func TestUnwritable(t *testing.T) {
	t.Run("Full", func(t *testing.T) {
		dir := t.TempDir()
		if err := syscall.Mount("none", dir, "tmpfs", 0, "size=24m"); err != nil {
			t.Skipf("cannot mount a small file system: %v", err)
		}
		t.Cleanup(func() {
			if err := syscall.Unmount(dir, 0); err != nil {
				t.Error(err)
			}
		})
		filler := filepath.Join(dir, "filler")
		unwritable{dir: dir, code: http.StatusInsufficientStorage, says: "there is no space left",
			spoil: func() { mustFill(t, filler) },
			mend:  func() { mustRemove(t, filler) },
		}.test(t)
	})
	t.Run("ReadOnly", func(t *testing.T) {
		dir := t.TempDir()
		db := filepath.Join(dir, "k.db")
		files := func(immutable bool) { mustBeImmutable(t, immutable, db, db+"-wal", db+"-shm") }
		t.Cleanup(func() { // where the test has not come so far; the folder could not be removed
			for _, suffix := range []string{"", "-wal", "-shm"} {
				_ = exec.Command("chattr", "-i", db+suffix).Run()
			}
		})
		unwritable{dir: dir, code: http.StatusServiceUnavailable, says: "the file is read-only",
			spoil: func() { files(true) },
			mend:  func() { files(false) },
		}.test(t)
	})
}

// An unwritable is a cause for which nothing can be written, and what is said of it.
type unwritable struct {
	dir         string
	code        int
	says        string
	spoil, mend func()
}

const mapsPath = "/api/v1/namespaces/default/configmaps"

func (u unwritable) test(t *testing.T) {
	c := program.Config{Listen: "127.0.0.1:0", DB: filepath.Join(u.dir, "k.db"), History: 5 * time.Minute, Sync: "full"}
	p, err := program.Start(context.Background(), c, programtest.Discard())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() }) // where the test has not come so far
	programtest.AwaitBootstrap(t, p)    // whose writes may make room
	s := mustScreen(t, p, tui.Options{Theme: "mono", Source: shown.Own(p)})
	s.see("LIVE")
	maps := p.URL + mapsPath
	programtest.MustCall(t, http.StatusCreated, "POST", maps, programtest.JSONType, `{"metadata":{"name":"first"}}`)
	events := mustWatch(t, maps)
	acked := map[string]bool{"first": true}
	u.spoil()
	refused := 0
	for i := 0; refused < 3 && i < 5000; i++ {
		name := fmt.Sprint("during-", i)
		code, text := programtest.Call(t, "POST", maps, programtest.JSONType, fmt.Sprintf(`{"metadata":{"name":%q},"data":{"k":%q}}`, name, strings.Repeat("x", 20_000)))
		switch {
		case code == http.StatusCreated:
			acked[name] = true
		case code == u.code && strings.Contains(text, u.says) && strings.Contains(text, `"kind":"Status"`):
			refused++
		default:
			t.Fatalf("create: %d %s", code, text)
		}
	}
	if refused == 0 {
		t.Fatal("everything could be written")
	}
	s.see("NO WRITES", u.says)
	for _, message := range []string{
		programtest.MustStatus(t, u.code, "PATCH", maps+"/first", programtest.MergeType, `{"data":{"k":"v"}}`).Message,
		programtest.MustStatus(t, u.code, "DELETE", maps+"/first", "", "").Message,
		programtest.MustCall(t, http.StatusInternalServerError, "GET", p.URL+"/readyz", "", ""),
	} {
		if !strings.Contains(message, u.says) {
			t.Errorf("%q", message)
		}
	}
	haveAll(t, maps, acked)
	u.mend()
	s.miss("NO WRITES")
	s.see("the database can be written again")
	programtest.MustCall(t, http.StatusCreated, "POST", maps, programtest.JSONType, `{"metadata":{"name":"last"}}`)
	acked["last"] = true
	events.until("last")
	programtest.MustCall(t, http.StatusOK, "GET", p.URL+"/readyz", "", "")
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	p = programtest.MustStartConfig(t, c)
	haveAll(t, p.URL+mapsPath, acked)
	if err := p.Close(); err != nil { // before its folder goes
		t.Error(err)
	}
}

// haveAll proves that a list has exactly the acknowledged objects.
func haveAll(t *testing.T, url string, acked map[string]bool) {
	t.Helper()
	var list struct {
		Items []struct{ Metadata struct{ Name string } }
	}
	if err := json.Unmarshal([]byte(programtest.MustCall(t, http.StatusOK, "GET", url, "", "")), &list); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, o := range list.Items {
		switch name := o.Metadata.Name; {
		case acked[name]:
			found++
		case strings.HasPrefix(name, "during-"):
			t.Errorf("%s was refused and is there", name)
		}
	}
	if found != len(acked) {
		t.Errorf("%d of %d acknowledged objects are there", found, len(acked))
	}
}

// names are the objects of which a watch tells.
type names struct {
	t    *testing.T
	seen chan string
}

func mustWatch(t *testing.T, url string) names {
	t.Helper()
	resp, err := http.Get(url + "?watch=true")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	n := names{t, make(chan string, 10_000)}
	go func() {
		defer close(n.seen)
		for in := json.NewDecoder(resp.Body); ; {
			var event struct {
				Object struct{ Metadata struct{ Name string } }
			}
			if in.Decode(&event) != nil {
				return
			}
			n.seen <- event.Object.Metadata.Name
		}
	}()
	return n
}

// until waits for an object.
func (n names) until(name string) {
	n.t.Helper()
	for late := time.After(30 * time.Second); ; {
		select {
		case seen, ok := <-n.seen:
			if !ok {
				n.t.Fatalf("the watch has ended before it told of %s", name)
			}
			if seen == name {
				return
			}
		case <-late:
			n.t.Fatalf("the watch does not tell of %s", name)
		}
	}
}

// mustFill writes a file until there is no space left.
func mustFill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for block := make([]byte, 4096); err == nil; {
		_, err = f.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}

func mustRemove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// mustBeImmutable lets nobody write files, or lets them again: not even who has them open, and not even root, who alone can do this. A process
// does it that may close them: this one would lose its locks.
func mustBeImmutable(t *testing.T, immutable bool, paths ...string) {
	t.Helper()
	flag := "-i"
	if immutable {
		flag = "+i"
	}
	if out, err := exec.Command("chattr", append([]string{flag}, paths...)...).CombinedOutput(); err != nil {
		t.Skipf("cannot make files immutable: %v %s", err, out)
	}
}
