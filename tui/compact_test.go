package tui

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"kubarium/server/flow"
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
	u.url = s.URL
	open := func() { u.keys(append([]string{":"}, strings.Split(":compact", "")...)...); u.keys("enter") }
	open()
	u.settleWork()
	if len(got) != 0 {
		t.Fatalf("sent without asking: %v", got)
	}
	u.keys("c")
	u.settleWork()
	if len(got) != 1 || got[0] != "POST /debug/compact "+flow.UIAgent || !strings.Contains(u.toast.text, "compacted") {
		t.Errorf("%v, %q", got, u.toast.text)
	}
	answer = http.StatusForbidden
	open()
	u.keys("c")
	u.settleWork()
	if !strings.Contains(u.toast.text, "403") {
		t.Errorf("refused: %q", u.toast.text)
	}
}

// settleWork does only what is done off the loop, so that toasts stay.
func (u *ui) settleWork() {
	for _, e := range u.takeEffects() {
		if w, ok := e.(workEffect); ok {
			w.run()()
		}
	}
}
