package compress_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"kubarium/server/compress"
)

// What is written is what is read, by whichever writer, and however often it was used before.
func TestWriter(t *testing.T) {
	for _, text := range []string{"", "a", string(bytes.Repeat([]byte("text "), 100_000))} {
		var b bytes.Buffer
		w := compress.New(&b)
		_, err := io.WriteString(w, text)
		if e := w.Close(); err != nil || e != nil {
			t.Fatal(err, e)
		}
		r, err := gzip.NewReader(&b)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != text {
			t.Errorf("%d bytes, %v; want %d", len(got), err, len(text))
		}
	}
}

// A member can be read to its last byte before there is a next one.
func TestMember(t *testing.T) {
	in, out := io.Pipe()
	defer in.Close()
	go func() { // leaves the pipe open: a third member could come
		for _, line := range []string{"first\n", "second\n"} {
			member, err := compress.Member([]byte(line))
			if err == nil {
				_, err = out.Write(member)
			}
			if err != nil {
				return // the reader has gone
			}
		}
	}()
	r, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(r)
	for _, want := range []string{"first\n", "second\n"} {
		if got, err := lines.ReadString('\n'); err != nil || got != want {
			t.Errorf("%q %v, want %q", got, err, want)
		}
	}
}
