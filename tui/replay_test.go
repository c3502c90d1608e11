package tui

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"kubarium/flow"
)

// An echo is a server that holds one object and keeps what it is asked.
func echo(t *testing.T) (url string, got *[]string) {
	got = &[]string{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		*got = append(*got, strings.Join([]string{r.Method, r.URL.RequestURI(), r.UserAgent(), r.Header.Get("Kubectl-Session"), string(b)}, "|"))
		_, _ = io.WriteString(w, `{"metadata":{"name":"web","resourceVersion":"4182"}}`)
	}))
	t.Cleanup(s.Close)
	return s.URL, got
}

// A read is sent again at once; a write only after asking, as it was, with the rv of an object read just before, or
// without any. None of it belongs to the kubectl run or the lesson of the first one.
func TestUI_Replay(t *testing.T) {
	const path, agent = "/apis/apps/v1/namespaces/default/deployments/web", "kubarium-ui/replay (#1)"
	const body = `{"kind":"Deployment","metadata":{"name":"web","resourceVersion":"4171"},"spec":{"big":12345678901234567890}}`
	read := "GET|" + path + "|" + agent + "||"
	for _, c := range []struct {
		verb, query, key, want string
	}{
		{"get", "", "s", read},
		{"get", "resourceVersion=0&resourceVersionMatch=Exact&pretty=1", "w", "GET|" + path + "?pretty=1|" + agent + "||"},
		{"update", "dryRun=All", "s", "PUT|" + path + "?dryRun=All|" + agent + "||" + body},
		{"update", "", "f", read + "\nPUT|" + path + "|" + agent + `||{"kind":"Deployment","metadata":{"name":"web","resourceVersion":"4182"},"spec":{"big":12345678901234567890}}`},
		{"update", "", "w", "PUT|" + path + "|" + agent + `||{"kind":"Deployment","metadata":{"name":"web"},"spec":{"big":12345678901234567890}}`},
	} {
		d := newDemo(flow.Limits{})
		f := d.request("k1", c.verb, "deployments", "web", 409, 1)
		f.Query = c.query
		f.RequestHeader.Set("Kubectl-Session", "run-1")
		if c.verb == "update" {
			f.RequestBody = flow.Keep([]byte(body))
		}
		d.log.Publish(f)
		u, _ := testUI(d, "mono", 120, 36)
		var got *[]string
		u.URL, got = echo(t)
		u.keys("r", c.key)
		u.settleWork()
		if c.verb == "update" {
			if len(*got) != 0 {
				t.Fatalf("%v was sent without asking", c)
			}
			u.keys("r")
			u.settleWork()
		}
		if s := strings.Join(*got, "\n"); s != c.want {
			t.Errorf("%s %s:\n%s\nwant\n%s", c.verb, c.key, s, c.want)
		}
		if !strings.Contains(u.Toast.Text, "200 OK") {
			t.Errorf("%s %s: %q", c.verb, c.key, u.Toast.Text)
		}
	}
}

// A replay is listed as the reader's own, with the number of what it repeats; a watch is never sent again, and what
// cannot be done says why.
func TestUI_ReplayListed(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.watch("k1", "pods", 4170)
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("r")
	if u.Over != nil || !strings.Contains(u.Toast.Text, "a watch is not sent again") {
		t.Errorf("watch: %q", u.Toast.Text)
	}
	f := d.request("you", "get", "deployments", "web", 200, 1)
	f.Client.UserAgent = flow.ReplayAgent + " (#1)"
	d.log.Publish(f)
	u.fold()
	if s := u.screenText(); !strings.Contains(s, "you  get     deployments/web  ↻1 200") {
		t.Errorf("replay:\n%s", s)
	}
	u.keys("r", "f")
	if !strings.Contains(u.Toast.Text, "only for writes") {
		t.Errorf("fresh rv of a read: %q", u.Toast.Text)
	}
	u.keys("w")
	if !strings.Contains(u.Toast.Text, "it names none") {
		t.Errorf("without rv: %q", u.Toast.Text)
	}
}
