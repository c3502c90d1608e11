package tui

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"kubarium/flow"
	"kubarium/tui/client"
)

// snapshotServer answers what the UI asks about snapshots, and keeps what it was asked for a change.
type snapshotServer struct {
	*httptest.Server
	asked []string
	taken bool // the name of a new snapshot
}

func mustSnapshotServer(t *testing.T) *snapshotServer {
	s := &snapshotServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodGet {
			s.asked = append(s.asked, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
		}
		var answer any
		switch {
		case r.Method == http.MethodGet:
			answer = map[string]any{"snapshots": []map[string]any{
				{"name": "start", "revision": 4120, "at": "2026-01-02T11:00:00Z"}, {"name": "before-lunch", "revision": 4140, "at": "2026-01-02T12:00:00Z"},
			}}
		case r.URL.Path == "/debug/restore":
			answer = map[string]any{"revision": 4180, "created": 1, "updated": 2, "deleted": 3}
		case r.URL.Path == "/debug/fork":
			answer = map[string]any{"id": 1, "url": "http://127.0.0.1:9", "file": "k-4172.db"}
		case s.taken && !strings.Contains(string(body), "true"):
			http.Error(w, `snapshot "x": already exists`, http.StatusConflict)
			return
		default:
			answer = map[string]any{"name": "x", "revision": 4177}
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(s.Close)
	return s
}

// snapshotsUI is a ui on the screen Versions of such a server.
func snapshotsUI(t *testing.T) (*ui, *snapshotServer) {
	s := mustSnapshotServer(t)
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 120, 36)
	u.API = &client.Client{URL: s.URL}
	u.view()
	u.keys("4")
	u.settleWork()
	return u, s
}

// expectAsked proves what was asked of the server since the last time.
func (s *snapshotServer) expect(t *testing.T, want string) {
	t.Helper()
	if have := strings.Join(s.asked, "; "); have != want {
		t.Errorf("asked %q, want %q", have, want)
	}
	s.asked = nil
}

// The axis shows where snapshots are, and the list names them with their revisions.
func TestUI_Snapshots(t *testing.T) {
	u, s := snapshotsUI(t)
	mustSee(t, u, "◆start", "◆before-lunch")
	u.keys("S")
	u.settleWork()
	mustSee(t, u, "Snapshots", "4120", "4140", "r restore  f fork  d delete  s save  esc close")
	s.expect(t, "")
}

// Going back asks first, from the list and by name.
func TestUI_Snapshots_restore(t *testing.T) {
	u, s := snapshotsUI(t)
	u.keys("S")
	u.settleWork()
	u.keys("k", "r")
	mustSee(t, u, "Go back to start?", "what was changed since is lost")
	u.keys("esc")
	u.settleWork()
	s.expect(t, "")
	u.keys("j", "enter", "r")
	u.settleWork()
	s.expect(t, `POST /debug/restore {"snapshot":"before-lunch"}`)
	if !strings.Contains(u.Toast.Text, "back to before-lunch at rv 4180: 1 created, 2 updated, 3 deleted") {
		t.Error(u.Toast.Text)
	}
	u.keys(append([]string{":"}, strings.Split(":reset", "")...)...)
	u.keys("enter", "r")
	u.settleWork()
	s.expect(t, `POST /debug/restore {"snapshot":"start"}`)
}

// A snapshot is saved under the name that is typed; that of another asks first.
func TestUI_Snapshots_save(t *testing.T) {
	u, s := snapshotsUI(t)
	u.keys("s")
	mustSee(t, u, "Save a snapshot", "rv-4177")
	u.keys("ctrl+u", "x", "enter")
	u.settleWork()
	s.expect(t, `POST /debug/snapshots {"name":"x","replace":false}`)
	s.taken = true
	u.keys("s", "ctrl+u", "x", "enter")
	u.settleWork()
	s.expect(t, `POST /debug/snapshots {"name":"x","replace":false}`)
	mustSee(t, u, "Replace the snapshot?", `snapshot "x": already exists`)
	u.keys("r")
	u.settleWork()
	s.expect(t, `POST /debug/snapshots {"name":"x","replace":true}`)
	u.keys("s", "ctrl+u", "x", "esc")
	u.settleWork()
	s.expect(t, "")
}

// A snapshot is deleted after a question, but for that of the start; a fork says where it is.
func TestUI_Snapshots_deleteAndFork(t *testing.T) {
	u, s := snapshotsUI(t)
	u.keys("S")
	u.settleWork()
	u.keys("g", "d")
	s.expect(t, "")
	u.keys("G", "d")
	mustSee(t, u, "Delete the snapshot?")
	u.keys("d")
	u.settleWork()
	s.expect(t, "DELETE /debug/snapshots?name=before-lunch")
	u.settleWork()
	u.keys("f")
	u.settleWork()
	s.expect(t, `POST /debug/fork {"snapshot":"before-lunch"}`)
	mustSee(t, u, "http://127.0.0.1:9", "k-4172.db")
	u.keys("e")
	u.settleWork()
	s.expect(t, "DELETE /debug/fork?id=1")
}
