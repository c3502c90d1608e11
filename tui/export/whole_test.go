package export_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"kubarium/flow"
	"kubarium/flow/recording"
	"kubarium/tui/export"
)

// long is a recording of many requests that compress badly, so that it is read in many pieces.
func long(t *testing.T, requests int) []byte {
	t.Helper()
	var out bytes.Buffer
	e, err := recording.NewEncoder(&out)
	if err == nil {
		err = e.Begin(recording.Begin{Segment: 1, At: time.Unix(1, 0)})
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range requests {
		noise := make([]byte, 4000)
		for j := range noise {
			noise[j] = byte(random.Uint32())
		}
		if err == nil {
			err = e.Flow(&flow.Flow{Seq: uint64(i + 1), Method: "GET", Path: fmt.Sprintf("/%d", i),
				ResponseBody: flow.Body{Kept: noise}})
		}
	}
	if err == nil {
		err = e.Close(recording.End{At: time.Unix(2, 0)})
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A recording without secrets is copied byte by byte, including a part that cannot be decoded, which is an error.
func TestWhole_Write_File(t *testing.T) {
	const requests = 1000
	whole := long(t, requests)
	damaged := bytes.Clone(whole)
	for i := range 200 {
		damaged[len(damaged)/2+i] ^= 0xff
	}
	for name, c := range map[string]struct {
		data    []byte
		damaged bool
	}{"whole": {whole, false}, "cut": {whole[:len(whole)*2/3], false}, "damaged": {damaged, true}} {
		for range 5 { // the reading ahead comes at different times
			from, to := filepath.Join(t.TempDir(), "from.kubarium"), filepath.Join(t.TempDir(), "to.kubarium")
			if err := os.WriteFile(from, c.data, 0o600); err != nil {
				t.Fatal(err)
			}
			_, n, err := (&export.Whole{File: from}).Write(t.Context(), to)
			if c.damaged {
				if !errors.Is(err, recording.ErrDamaged) {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			got, failed := os.ReadFile(to)
			if err != nil || failed != nil || !bytes.Equal(got, c.data) {
				t.Fatalf("%s: %d bytes of %d, %v %v", name, len(got), len(c.data), err, failed)
			}
			if name == "whole" && n != requests {
				t.Errorf("%s: %d requests", name, n)
			}
		}
	}
}

// Reading from a server that never ends its answer stops with the context, and no file is left.
func TestWhole_Write_hanging(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(long(t, 10)[:20000])
		_ = http.NewResponseController(w).Flush()
		cancel()
		<-r.Context().Done()
	}))
	defer server.Close()
	to := filepath.Join(t.TempDir(), "to.kubarium")
	if _, _, err := (&export.Whole{URL: server.URL}).Write(ctx, to); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := os.Stat(to); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file is left: %v", err)
	}
}
