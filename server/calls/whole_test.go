package calls_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"kubarium/codecs"
	"kubarium/server/calls"
)

// packed is so many mebibytes of text in gzip, which packs them a thousand times smaller.
func packed(t *testing.T, mebibytes int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for range mebibytes {
		if _, err := z.Write(bytes.Repeat([]byte("a"), 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// An answer within the bounds comes as it is, packed or not. For any other the error names the limit, and the server cannot
// send much more than that.
func TestWhole_RoundTrip(t *testing.T) {
	const bytesLimit = "the answer is too large: limit is 8388608 bytes"
	var sent atomic.Int64
	text := func(text string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { _, _ = io.WriteString(w, text) }
	}
	zipped := func(text []byte) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(text)
		}
	}
	endless := func(w http.ResponseWriter) {
		for chunk := make([]byte, 1<<20); sent.Load() < 1<<30; {
			n, err := w.Write(chunk)
			if sent.Add(int64(n)); err != nil {
				return
			}
		}
	}
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter)
		size   int
		err    string
	}{
		"empty":    {answer: text("")},
		"greatest": {answer: text(`["` + strings.Repeat("a", codecs.MaxAnswer-4) + `"]`), size: codecs.MaxAnswer},
		"packed":   {answer: zipped(packed(t, 1)), size: 1 << 20},
		"unpacked": {answer: zipped(packed(t, 64)), err: bytesLimit},
		"endless":  {answer: endless, err: bytesLimit},
		"objects":  {answer: text("[" + strings.Repeat("{},", 1<<20) + "{}]"), err: "limit is 32768 objects and lists"},
		"YAML":     {answer: text("a:\n" + strings.Repeat("- a\n", 1<<18)), err: "limit is 131072 values"},
		"Protobuf": {answer: text("k8s\x00"), err: "the answer is in Protobuf"},
		"checked":  {answer: text(`{"check":1}`), err: "not this one"},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { c.answer(w) }))
			defer s.Close()
			whole := calls.Whole{Next: s.Client().Transport, Check: func(answer []byte) error {
				if bytes.Contains(answer, []byte("check")) {
					return fmt.Errorf("not this one")
				}
				return nil
			}}
			resp, err := (&http.Client{Transport: whole}).Get(s.URL)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if text, err := io.ReadAll(resp.Body); err != nil || len(text) != c.size {
				t.Fatalf("%d bytes, %v", len(text), err)
			}
		})
	}
	if n := sent.Load(); n > 64<<20 {
		t.Errorf("%d bytes of an endless answer were sent", n)
	}
}
