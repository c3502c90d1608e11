package tui

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"kubarium/flow"
	"kubarium/tui/page"
)

// :compact asks first, then sends the request under the UI's own name, and tells a refusal.
func TestUI_Compact(t *testing.T) {
	var got []string
	answer := http.StatusOK
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Method+" "+r.URL.Path+" "+r.UserAgent())
		w.WriteHeader(answer)
	}))
	defer s.Close()
	u, _ := testUI(newDemo(flow.Limits{}), "mono", 120, 36)
	u.URL = s.URL
	open := func() { u.keys(append([]string{":"}, strings.Split(":compact", "")...)...); u.keys("enter") }
	open()
	u.settleWork()
	if len(got) != 0 {
		t.Fatalf("sent without asking: %v", got)
	}
	u.keys("c")
	u.settleWork()
	if len(got) != 1 || got[0] != "POST /debug/compact "+flow.UIAgent || !strings.Contains(u.Toast.Text, "compacted") {
		t.Errorf("%v, %q", got, u.Toast.Text)
	}
	answer = http.StatusForbidden
	open()
	u.keys("c")
	u.settleWork()
	if !strings.Contains(u.Toast.Text, "403") {
		t.Errorf("refused: %q", u.Toast.Text)
	}
}

// settleWork does only what is done off the loop, so that toasts stay.
func (u *ui) settleWork() {
	for _, e := range u.takeEffects() {
		if w, ok := e.(page.Work); ok {
			w.Run()()
		}
	}
}
