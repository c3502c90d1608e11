package running_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"kubarium/app/running"
)

func mustAnnounce(t testing.TB, folder string, s running.Server) func() {
	t.Helper()
	withdraw, err := running.Announce([]string{folder}, s)
	if err != nil {
		t.Fatal(err)
	}
	return withdraw
}

func urls(all []running.Server) (out []string) {
	for _, s := range all {
		out = append(out, s.URL)
	}
	return out
}

func files(t *testing.T, folder string) int {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// A server is found until it withdraws, with all that it said, and its file is for its user alone.
func TestAnnounce(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new", "kubarium")
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	second := mustAnnounce(t, folder, running.Server{URL: "http://127.0.0.1:2", What: "fork", Since: noon.Add(time.Second)})
	said := running.Server{URL: "https://127.0.0.1:1", Secure: "https://127.0.0.1:1", DB: "/x.db", Since: noon, What: "envtest", Version: "v1", CA: "-----", Name: "x", Token: "abc"}
	first := mustAnnounce(t, folder, said)
	all := running.List([]string{filepath.Join(folder, "none"), folder, folder})
	if len(all) != 2 || all[1].What != "fork" {
		t.Fatalf("%+v", all)
	}
	got := all[0]
	if got.Process.PID != os.Getpid() || runtime.GOOS == "linux" && (got.By == "" || got.Process.Began == "") {
		t.Errorf("%+v", got)
	}
	if got.By, got.Process = "", (running.Process{}); got != said {
		t.Errorf("%+v, want %+v", got, said)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 2 {
		t.Fatal(entries, err)
	}
	info, err := entries[0].Info()
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	first()
	first()
	if all := running.List([]string{folder}); len(all) != 1 || all[0].URL != "http://127.0.0.1:2" {
		t.Errorf("%v", urls(all))
	}
	second()
	if n := files(t, folder); n != 0 {
		t.Errorf("%d files are left", n)
	}
}

// change edits the one file of a folder, as if another process had written it.
func change(t *testing.T, folder string, edit func(*running.Server)) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	text, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	var s running.Server
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	edit(&s)
	if text, err = json.Marshal(s); err == nil {
		err = os.WriteFile(names[0], text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return names[0]
}

// What a killed process left behind is removed, also where another process has its number now; what is of another machine or container
// is left alone until it is old.
func TestList_stale(t *testing.T) {
	dead := exec.Command(os.Args[0], "-test.run", "^$")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		edit  func(*running.Server)
		age   time.Duration
		stays bool
	}{
		"killed":             {edit: func(s *running.Server) { s.Process.PID = dead.Process.Pid }},
		"number used again":  {edit: func(s *running.Server) { s.Process.Began += "1" }},
		"elsewhere":          {edit: func(s *running.Server) { s.Process.Place = "moon" }, stays: true},
		"elsewhere long ago": {edit: func(s *running.Server) { s.Process.Place = "moon" }, age: 8 * 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "kubarium")
			mustAnnounce(t, folder, running.Server{URL: "http://127.0.0.1:2"})
			path := change(t, folder, c.edit)
			then := time.Now().Add(-c.age)
			if err := os.Chtimes(path, then, then); err != nil {
				t.Fatal(err)
			}
			if all := running.List([]string{folder}); len(all) != 0 {
				t.Errorf("%+v is said to run", all)
			}
			if _, err := os.Stat(path); (err == nil) != c.stays {
				t.Errorf("%v, stays %t", err, c.stays)
			}
		})
	}
}

// Files that no server wrote tell of none, and are not touched.
func TestList_otherFiles(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "kubarium")
	mustAnnounce(t, folder, running.Server{URL: "http://127.0.0.1:2"})
	for name, text := range map[string]string{"a.json": "{", "b.json": "{}", "c.json": "[]", "notes": "x", ".new-1": "{}", "big.json": string(make([]byte, 1<<20))} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "folder.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if all := running.List([]string{folder}); len(all) != 1 {
		t.Errorf("%v", urls(all))
	}
	if n := files(t, folder); n != 8 {
		t.Errorf("%d files and folders are left of 8", n)
	}
}

// A folder that cannot be used is passed over; where none can, that is an error and nothing else.
func TestAnnounce_folders(t *testing.T) {
	base := t.TempDir()
	file, open := filepath.Join(base, "file"), filepath.Join(base, "open")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(open, 0o755); err != nil {
		t.Fatal(err)
	}
	bad := []string{file, filepath.Join(file, "below")}
	if runtime.GOOS != "windows" {
		bad = append(bad, open)
	}
	good := filepath.Join(base, "good")
	withdraw, err := running.Announce(append(bad, good), running.Server{URL: "http://127.0.0.1:2"})
	if err != nil {
		t.Fatal(err)
	}
	defer withdraw()
	if n := files(t, good); n != 1 || len(running.List(append(bad, good))) != 1 {
		t.Errorf("%d files", n)
	}
	for _, none := range [][]string{nil, bad} {
		if _, err := running.Announce(none, running.Server{URL: "http://127.0.0.1:2"}); err == nil {
			t.Errorf("announced in %v", none)
		}
	}
}

// What others could have written is not believed.
func TestList_openFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders have no such modes there")
	}
	folder := filepath.Join(t.TempDir(), "kubarium")
	mustAnnounce(t, folder, running.Server{URL: "http://127.0.0.1:2"})
	if err := os.Chmod(folder, 0o770); err != nil {
		t.Fatal(err)
	}
	if all := running.List([]string{folder}); len(all) != 0 {
		t.Errorf("%v", urls(all))
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Chmod(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(folder, link); err != nil {
		t.Fatal(err)
	}
	if all := running.List([]string{link}); len(all) != 0 {
		t.Errorf("by a link: %v", urls(all))
	}
}

func TestFolders(t *testing.T) {
	session := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", session)
	if all := running.Folders("/data"); len(all) != 3 || all[0] != filepath.Join(session, "kubarium") || all[1] != filepath.Join("/data", "running") {
		t.Errorf("%v", all)
	}
	t.Setenv("XDG_RUNTIME_DIR", "here")
	if all := running.Folders(""); len(all) != 1 {
		t.Errorf("%v", all)
	}
}

// BenchmarkAnnounce is what the start and the end of a server cost more by it.
func BenchmarkAnnounce(b *testing.B) {
	folder := filepath.Join(b.TempDir(), "kubarium")
	for b.Loop() {
		mustAnnounce(b, folder, running.Server{URL: "http://127.0.0.1:8080", What: "serve", Since: time.Now()})()
	}
}
