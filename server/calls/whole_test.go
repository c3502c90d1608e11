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

// An answer within the bounds comes as it is, packed or not. Of any other the error names the limit, and the server behind does not get
// rid of much more than that.
func TestWhole_RoundTrip(t *testing.T) {
	const bytesLimit = "the answer is too large: limit is 8388608 bytes"
	zipped := func(w http.ResponseWriter) { w.Header().Set("Content-Encoding", "gzip") }
	small, large := packed(t, 1), packed(t, 64)
	var sent atomic.Int64
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter)
		size   int
		err    string
	}{
		"empty":    {answer: func(http.ResponseWriter) {}},
		"greatest": {answer: func(w http.ResponseWriter) { _, _ = io.WriteString(w, `"`+strings.Repeat("a", codecs.MaxYAML-2)+`"`) }, size: codecs.MaxYAML},
		"packed":   {answer: func(w http.ResponseWriter) { zipped(w); _, _ = w.Write(small) }, size: 1 << 20},
		"unpacked": {answer: func(w http.ResponseWriter) { zipped(w); _, _ = w.Write(large) }, err: bytesLimit},
		"endless": {answer: func(w http.ResponseWriter) {
			for chunk := make([]byte, 1<<20); sent.Load() < 1<<30; {
				n, err := w.Write(chunk)
				if sent.Add(int64(n)); err != nil {
					return
				}
			}
		}, err: bytesLimit},
		"objects":  {answer: func(w http.ResponseWriter) { _, _ = io.WriteString(w, "["+strings.Repeat("{},", 1<<20)+"{}]") }, err: "limit is 32768 objects and lists"},
		"YAML":     {answer: func(w http.ResponseWriter) { _, _ = io.WriteString(w, "a:\n"+strings.Repeat("- a\n", 1<<18)) }, err: "limit is 131072 values"},
		"Protobuf": {answer: func(w http.ResponseWriter) { _, _ = io.WriteString(w, "k8s\x00") }, err: "the answer is in Protobuf"},
		"checked":  {answer: func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"check":1}`) }, err: "not this one"},
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
