package recording_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"

	"kubarium/flow"
	"kubarium/flow/recording"
)

// field is a field of bytes.
func field(n protowire.Number, b []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), b)
}

// forged is a recording with a flow, followed by a segment that an Encoder would not write.
func forged(t testing.TB, window int, more func(w io.Writer)) []byte {
	t.Helper()
	var out bytes.Buffer
	out.Write(tape(t, func(e *recording.Encoder) {
		must(t, e.Begin(recording.Begin{Revision: 1}))
		must(t, e.Flow(&flow.Flow{Seq: 1}))
	}))
	z, err := zstd.NewWriter(&out, zstd.WithWindowSize(window))
	must(t, err)
	more(z)
	must(t, z.Close())
	return out.Bytes()
}

// A recording of a few kilobytes may claim gigabytes. Reading ends with a LimitError, and returns the entries before
// it.
func TestDecoder_Limits(t *testing.T) {
	record := func(w io.Writer, b []byte) {
		_, err := w.Write(append(protowire.AppendVarint(nil, uint64(len(b))), b...))
		must(t, err)
	}
	word := func(text []byte) []byte { return field(2, field(1, text)) }
	for _, c := range []struct {
		limit  string
		window int
		more   func(w io.Writer)
	}{
		{"a record has at most 64 MiB", 1 << 20, func(w io.Writer) {
			_, err := w.Write(protowire.AppendVarint(nil, 900<<20))
			must(t, err)
		}},
		{"a record takes at most 128 MiB of memory", 1 << 20, func(w io.Writer) { // two million stations
			record(w, field(6, bytes.Repeat(protowire.AppendVarint(protowire.AppendTag(nil, 18, protowire.BytesType),
				0), 2<<20)))
		}},
		{"a record takes at most 128 MiB of memory", 1 << 20, func(w io.Writer) { // nine million texts
			record(w, field(6, bytes.Repeat(protowire.AppendVarint(protowire.AppendTag(nil, 31, protowire.BytesType),
				0), 9<<20)))
		}},
		{"a table has at most 1048576 words", 1 << 20, func(w io.Writer) {
			one := word([]byte("a"))
			one = append(protowire.AppendVarint(nil, uint64(len(one))), one...)
			_, err := w.Write(bytes.Repeat(one, 1<<20+1))
			must(t, err)
		}},
		{"the words of a table have at most 32 MiB", 1 << 20, func(w io.Writer) {
			for range 5 {
				record(w, word(bytes.Repeat([]byte("a"), 8<<20)))
			}
		}},
		{"a window of Zstandard has at most 8 MiB", 16 << 20, func(w io.Writer) {
			record(w, word(bytes.Repeat([]byte("a"), 20<<20)))
		}},
	} {
		all, err := untape(t, bytes.NewReader(forged(t, c.window, c.more)))
		var limit *recording.LimitError
		if !errors.As(err, &limit) || !strings.Contains(err.Error(), c.limit) || !recording.Partial(err) {
			t.Errorf("%v, want that %s", err, c.limit)
		}
		if len(all) != 3 || all[1].Flow == nil {
			t.Errorf("%s: %d entries before", c.limit, len(all))
		}
	}
}

// A record beyond the limits is not written: the recording says that it is missing, and the rest is complete.
func TestEncoder_Limits(t *testing.T) {
	large := bytes.Repeat([]byte("x"), 65<<20)
	at := func(rev int64) flow.Commit {
		return flow.Commit{Revision: rev, Type: flow.Updated, Resource: "configmaps", Namespace: "default", Name: "a",
			At: noon.Local()}
	}
	many := &flow.Flow{Seq: 7, Identity: &flow.Identity{Groups: make([]string, 1<<20+1)}}
	for i := range many.Identity.Groups {
		many.Identity.Groups[i] = fmt.Sprint(i)
	}
	update := &flow.Flow{Seq: 3, Start: noon.Local(),
		Effects: []flow.Effect{{Commit: at(12), Before: large[:10], After: flow.Bytes(`{}`)}}}
	data := tape(t, func(e *recording.Encoder) {
		must(t, e.Begin(recording.Begin{Revision: 10, Secrets: true}))
		must(t, e.State(&recording.Change{Commit: at(9), Value: large}))
		must(t, e.Flow(&flow.Flow{Seq: 2, RequestBody: flow.Body{Kept: large},
			Client: flow.Client{UserAgent: "only here"}}))
		must(t, e.Change(&recording.Change{Commit: at(11), Before: 9, Value: large}))
		must(t, e.Change(&recording.Change{Commit: at(12), Before: 11, Value: []byte(`{}`)}))
		must(t, e.Flow(update))
		must(t, e.Flow(&flow.Flow{Seq: 4, Client: flow.Client{UserAgent: "a"}}))
		must(t, e.Flow(&flow.Flow{Seq: 5, Stations: make([]flow.Station, 3<<20)}))
		must(t, e.Flow(many))
		must(t, e.Flow(&flow.Flow{Seq: 8, Client: flow.Client{UserAgent: "b"}}))
	})
	all, err := untape(t, bytes.NewReader(data))
	if err != io.EOF || len(all) != 11 {
		t.Fatalf("%d entries, %v", len(all), err)
	}
	for i, want := range map[int]recording.Missed{
		1: {ChangesFrom: 9, ChangesTo: 9}, 2: {Others: 1, Upto: 2}, 3: {ChangesFrom: 11, ChangesTo: 11},
		7: {Others: 1, Upto: 5}, 8: {Others: 1, Upto: 7},
	} {
		if all[i].Missed == nil || *all[i].Missed != want {
			t.Errorf("%d: %+v, want %+v missed", i, all[i], want)
		}
	}
	same(t, all[5].Flow, update)
	if a, b := all[6].Flow.Client.UserAgent, all[9].Flow.Client.UserAgent; a != "a" || b != "b" {
		t.Errorf("clients %q and %q", a, b)
	}
}

// Words of clients that do not come again are not kept for the whole recording.
func TestEncoder_LongWords(t *testing.T) {
	const n = 60
	data := tape(t, func(e *recording.Encoder) {
		must(t, e.Begin(recording.Begin{}))
		for i := range n {
			must(t, e.Flow(&flow.Flow{Seq: uint64(i + 1),
				Client: flow.Client{UserAgent: strings.Repeat("a", 1<<20) + fmt.Sprint(i)}}))
		}
	})
	all, err := untape(t, bytes.NewReader(data))
	if err != io.EOF || len(all) != n+2 || !strings.HasSuffix(all[n].Flow.Client.UserAgent, "a59") {
		t.Fatal(len(all), err)
	}
}

// A reader keeps a version as long as a flow may refer to it, and no longer.
func TestDecoder_Forgets(t *testing.T) {
	const referred = 2 << 14 // changes after which no writer refers to a version that was replaced
	at := func(rev int64) flow.Commit {
		return flow.Commit{Revision: rev, Type: flow.Updated, Resource: "configmaps", Name: "a", At: noon.Local()}
	}
	value := func(rev int64) []byte { return fmt.Appendf(nil, "%0100d", rev) }
	var out bytes.Buffer
	e, err := recording.NewEncoder(&out)
	must(t, err)
	must(t, e.Begin(recording.Begin{Revision: 1}))
	must(t, e.State(&recording.Change{Commit: at(1), Value: value(1)}))
	seq := uint64(0)
	for rev := int64(2); rev < 3*referred; rev++ {
		must(t, e.Change(&recording.Change{Commit: at(rev), Before: rev - 1, Value: value(rev)}))
		if late := rev - referred/2; late > 1 && rev%1000 == 0 {
			seq++
			must(t, e.Flow(&flow.Flow{Seq: seq,
				Effects: []flow.Effect{{Commit: at(late), Before: value(late - 1), After: value(late)}}}))
		}
	}
	must(t, e.Close(recording.End{}))
	d, err := recording.NewDecoder(&out)
	must(t, err)
	defer d.Close()
	var early weak.Pointer[byte]
	for {
		x, err := d.Next()
		if err == io.EOF {
			break
		}
		must(t, err)
		if x.Flow != nil {
			if f := x.Flow.Effects[0]; !bytes.Equal(f.Before, value(f.Commit.Revision-1)) ||
				!bytes.Equal(f.After, value(f.Commit.Revision)) {
				t.Fatalf("%+v", f)
			}
		}
		if x.Change != nil && x.Change.Revision == 1000 {
			early = weak.Make(&x.Change.Value[0])
		}
	}
	if runtime.GC(); early.Value() != nil {
		t.Error("the reader still keeps revision 1000")
	}
}
