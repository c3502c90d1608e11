package bodies_test

import (
	"bytes"
	"compress/gzip"
	"testing"

	"kubarium/flow/bodies"
)

// The media type determines the encoding; without one the bytes do.
func TestEncoding(t *testing.T) {
	for _, c := range []struct{ media, body, want string }{
		{"application/json", "", "json"}, {"application/apply-patch+yaml; charset=utf-8", "{}", "yaml"},
		{"application/merge-patch+json", "x", "json"},
		{"application/vnd.kubernetes.protobuf;stream=watch", "k8s\x00", "protobuf"}, {"application/cbor", "", "cbor"},
		{"", `{"a":1}`, "json"}, {"", "a: 1", "text"}, {"text/plain", "hello", "text"}, {"", "\x01\x02", "bytes"},
		{"", "", "text"},
	} {
		if got := bodies.Encoding(c.media, []byte(c.body)); got != c.want {
			t.Errorf("%q %q: %s, want %s", c.media, c.body, got, c.want)
		}
	}
}

func TestLooksText(t *testing.T) {
	long := bytes.Repeat([]byte("é"), 1500) // the first 2 KiB end inside a letter
	for text, want := range map[string]bool{"a\r\n\tb": true, "": true, "\x1b[31m": false, "a\x00": false,
		"\xff\xfe\xfd\xfc\xfb": false, string(long): true, "x" + string(long): true} {
		if bodies.LooksText([]byte(text)) != want {
			t.Errorf("%.20q: %v", text, !want)
		}
	}
}

// A packed body that was cut is unpacked as far as possible.
func TestUnpacked(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(`{"kind":"List"}`))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if plain, packed := bodies.Unpacked(b.Bytes()); !packed || string(plain) != `{"kind":"List"}` {
		t.Errorf("%s %v", plain, packed)
	}
	if plain, packed := bodies.Unpacked(b.Bytes()[:b.Len()-6]); !packed || string(plain) != `{"kind":"List"}` {
		t.Errorf("cut: %s %v", plain, packed)
	}
	for _, s := range []string{"", "{}", "\x1f\x8b", "\x1f\x8b\x08"} {
		if plain, packed := bodies.Unpacked([]byte(s)); packed || string(plain) != s {
			t.Errorf("%q: %q %v", s, plain, packed)
		}
	}
}
