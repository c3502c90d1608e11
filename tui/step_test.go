package tui_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/tui"
)

// a server with a run: the objects and the requests that made them.
type server struct {
	*program.Program
	t testing.TB
}

func mustServe(t testing.TB) *server {
	t.Helper()
	p, err := program.Start(t.Context(), program.Config{Listen: "127.0.0.1:0", DB: ":memory:", Sync: "off", History: time.Hour}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return &server{p, t}
}

// send sends a request and returns the answer.
func (s *server) send(method, path, contentType, body string) string {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	var b bytes.Buffer
	if _, err := io.Copy(&b, resp.Body); err != nil || resp.StatusCode >= 300 {
		s.t.Fatalf("%s %s: %s %v %s", method, path, resp.Status, err, b.String())
	}
	return b.String()
}

const configMaps = "/api/v1/namespaces/default/configmaps"

func (s *server) create(name, value string) string {
	s.t.Helper()
	return s.send("POST", configMaps, "application/json", fmt.Sprintf(`{"metadata":{"name":%q},"data":{"k":%q}}`, name, value))
}

func (s *server) patch(name, value string) {
	s.t.Helper()
	s.send("PATCH", configMaps+"/"+name, "application/merge-patch+json", fmt.Sprintf(`{"data":{"k":%q}}`, value))
}

func (s *server) screen(w, h int) *tui.Screen {
	return tui.NewScreen(tui.Options{Log: s.Log, URL: s.URL, DB: s.DB}, w, h)
}

// BenchmarkStep is a step in time with 10,000 objects and as many requests: until the page is drawn with what was asked of the server.
func BenchmarkStep(b *testing.B) {
	s := mustServe(b)
	const many = 10_000
	for i := range many {
		s.create(fmt.Sprintf("cm-%05d", i), "v")
	}
	for i := range 200 {
		s.patch(fmt.Sprintf("cm-%05d", i*37), "w")
	}
	for _, page := range []struct {
		name string
		keys []string
	}{
		{"traffic", []string{"1"}}, {"watches", []string{"2"}}, {"versions", []string{"4"}}, {"conflicts", []string{"5"}}, {"deletes", []string{"6"}},
		{"objects", []string{"7", "enter"}}, {"object", []string{"7", "enter", "enter"}},
	} {
		b.Run(page.name, func(b *testing.B) {
			u := s.screen(160, 48)
			u.Keys(page.keys...)
			u.Draw()
			u.GoTo(u.Head() - 100)
			if u.At() != u.Head()-100 {
				b.Fatal(u.Text())
			}
			for i := 0; b.Loop(); i++ {
				k := "{"
				if i%100 >= 50 {
					k = "}"
				}
				u.Press(k)
				u.Ask()
				u.Draw()
			}
			if !strings.Contains(u.Text(), "PAST") {
				b.Fatal(u.Text())
			}
		})
	}
}
