package tui

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// A pastAPI answers what is asked of a revision: web is there in the number of replicas that the story gave it then.
type pastAPI struct{ fakeAPI }

func (a *pastAPI) RoundTrip(r *http.Request) (*http.Response, error) {
	q := r.URL.Query()
	if q.Get("resourceVersionMatch") != "Exact" || !strings.HasSuffix(r.URL.Path, "/deployments") {
		return a.fakeAPI.RoundTrip(r)
	}
	rv := q.Get("resourceVersion")
	body := fmt.Sprintf(`{"kind":"Table","metadata":{"resourceVersion":%q},%s,"rows":[%s]}`, rv, fakeColumns, fakeRow("web", "0/2", ""))
	if !strings.Contains(r.Header.Get("Accept"), "as=Table") {
		var web map[string]any
		if err := json.Unmarshal([]byte(fakeWeb), &web); err != nil {
			return nil, err
		}
		delete(web, "kind")
		web["metadata"].(map[string]any)["resourceVersion"] = rv
		web["spec"].(map[string]any)["replicas"] = 3
		text, err := json.Marshal(map[string]any{"items": []any{web}})
		if err != nil {
			return nil, err
		}
		body = string(text)
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// The pages of the past are as they were looked at and found good.
func TestMoment_Golden(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		for _, v := range []struct {
			name string
			at   int64
			keys []string
		}{
			{"traffic", 4177, []string{"1"}},
			{"watches", 4176, []string{"2"}},
			{"lists", 4186, []string{"3"}},
			{"versions", 4184, []string{"4", "j"}},
			{"conflicts", 4181, []string{"5"}},
			{"deletes", 4183, []string{"6"}},
			{"objects", 4176, []string{"7", "j", "j", "j", "enter", "enter"}},
		} {
			name := fmt.Sprintf("past-%s-%dx%d-mono", v.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				u, _ := testUI(whole(), "mono", size[0], size[1])
				u.API.Transport = &pastAPI{}
				u.settle()
				goingTo(t, u, v.at)
				for _, k := range v.keys {
					u.keys(k)
					u.settle()
					u.view()
				}
				compareGolden(t, name, u.view()+"\n")
			})
		}
	}
}

// The strip has its mark in ASCII too.
func TestMoment_ASCII(t *testing.T) {
	u, _ := testUI(whole(), "mono", 120, 36)
	u.o.ASCII = true
	u.keys("{")
	u.Dirty = true
	lines := strings.Split(u.screenText(), "\n")
	if strip := lines[u.strip.cells.Y]; !strings.Contains(strip, "*") || strings.ContainsAny(strip, "◆▁") {
		t.Errorf("the strip is %q", strip)
	}
}
