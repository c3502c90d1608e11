package shown_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/app/shown"
)

// The witness of another server tells of requests from now on, with their answers, those of Secrets too, and what
// they changed; a server that does not tell its log has no witness.
func TestRemoteWitness(t *testing.T) {
	c := program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: 5 * time.Minute, Sync: "normal"}
	p, err := program.Start(t.Context(), c, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	create := func(name string) {
		t.Helper()
		response, err := http.Post(p.URL+"/api/v1/namespaces/default/secrets", "application/json", strings.NewReader(`{"metadata":{"name":"`+name+`"},"stringData":{"k":"told"}}`))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
	}
	create("before")
	w := shown.RemoteWitness(t.Context(), nil, p.URL)
	if w == nil {
		t.Fatal("a Kubarium has no witness")
	}
	ctx, cancel := context.WithCancel(t.Context())
	others := w.Follow(ctx)
	create("after")
	for {
		seen, ok := <-others
		if !ok {
			t.Fatal("the stream ends")
		}
		if seen.Own || seen.Lesson || seen.Method != http.MethodPost {
			continue
		}
		if seen.Status != 201 || !strings.Contains(string(seen.Body), `"after"`) || !strings.Contains(string(seen.Body), "dG9sZA==") || len(seen.Written) != 1 || seen.Written[0].Name != "after" || seen.Who != "go1" || seen.ID == 0 {
			t.Errorf("%+v", seen)
		}
		break
	}
	cancel()
	for range others { // it is closed
	}
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	if shown.RemoteWitness(t.Context(), nil, other.URL) != nil || shown.RemoteWitness(t.Context(), nil, "http://127.0.0.1:1") != nil {
		t.Error("a server without a log has a witness")
	}
}
