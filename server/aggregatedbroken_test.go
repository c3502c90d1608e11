package server_test

import (
	"io"
	"net/http"
	"os"
	"testing"
)

// A server that breaks off in its answer ends the client's, and nothing of it is written to stderr, where the screen may be.
func TestServer_aggregated_brokenOff(t *testing.T) {
	a := mustAggregate(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, "half")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}, nil)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = write
	resp, err := http.Get(a.url + "/apis/fish.example.com/v1/fish")
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		resp.Body.Close()
	}
	os.Stderr = stderr
	write.Close()
	if err == nil {
		t.Error("half an answer was taken for a whole one")
	}
	if said, _ := io.ReadAll(read); len(said) > 0 {
		t.Errorf("on stderr: %s", said)
	}
}
