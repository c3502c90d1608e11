package recording_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"kubarium/flow"
	"kubarium/flow/recording"
)

// localTimes converts times as a decoder does.
func localTimes(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && v.Type() != reflect.TypeFor[*flow.Watch]() {
			localTimes(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			localTimes(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(v.Interface().(time.Time).Local()))
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				localTimes(v.Field(i))
			}
		}
	}
}

// fullLocal is full with local times.
func fullLocal() *flow.Flow {
	f := fullAt(noon.Local())
	localTimes(reflect.ValueOf(f))
	return f
}

// tape returns a recording of what write writes.
func tape(t testing.TB, write func(e *recording.Encoder)) []byte {
	t.Helper()
	var out bytes.Buffer
	e, err := recording.NewEncoder(&out)
	if err != nil {
		t.Fatal(err)
	}
	write(e)
	if err := e.Close(recording.End{At: noon}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// untape returns all entries, and the error that ended the reading.
func untape(t testing.TB, from io.Reader) (all []*recording.Entry, err error) {
	t.Helper()
	d, err := recording.NewDecoder(from)
	must(t, err)
	defer d.Close()
	for {
		e, err := d.Next()
		if err != nil {
			return all, err
		}
		all = append(all, e)
	}
}

// Every field of every record comes back.
func TestEncoder_EveryField(t *testing.T) {
	var begin recording.Begin
	var change recording.Change
	var missed recording.Missed
	var moment recording.Moment
	var head recording.Head
	n := 0
	for _, v := range []any{&begin, &change, &missed, &moment, &head} {
		fill(reflect.ValueOf(v).Elem(), &n)
		localTimes(reflect.ValueOf(v))
	}
	begin.Format, begin.Secrets = recording.Format, true
	want := fullLocal()
	data := tape(t, func(e *recording.Encoder) {
		must(t, e.Begin(begin))
		must(t, e.State(&change))
		must(t, e.Flow(want))
		must(t, e.Missed(missed))
		must(t, e.Moment(moment))
		must(t, e.Head(head))
	})
	all, err := untape(t, bytes.NewReader(data))
	if err != io.EOF || len(all) != 8 {
		t.Fatalf("%d entries, %v", len(all), err)
	}
	got := *all[0].Begin
	if reflect.ValueOf(&got).Elem().FieldByName("magic").String() == "" {
		t.Error("the first record has no magic word")
	}
	for i, pair := range [][2]any{{exported(got), exported(begin)}, {*all[1].State, change}, {*all[4].Missed, missed},
		{*all[5].Moment, moment}, {*all[6].Head, head}} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%d: %+v, want %+v", i, pair[0], pair[1])
		}
	}
	same(t, all[3].Flow, want)
	if !all[7].End.At.Equal(noon) {
		t.Error("no end")
	}
}

// exported are the exported fields of a struct as text.
func exported(v any) string {
	var b strings.Builder
	s := reflect.ValueOf(v)
	for i := range s.NumField() {
		if s.Type().Field(i).IsExported() {
			fmt.Fprintf(&b, "%s=%v ", s.Type().Field(i).Name, s.Field(i))
		}
	}
	return b.String()
}

// A flow refers to the objects of its changes, and gets them back.
func TestEncoder_EffectsRefer(t *testing.T) {
	v1, v2, v3 := `{"v":"`+strings.Repeat("one ", 50)+`"}`, `{"v":"`+strings.Repeat("two ", 50)+`"}`, `{"v":"three"}`
	at := func(rev int64, typ flow.ChangeType) flow.Commit {
		return flow.Commit{Revision: rev, Type: typ, Resource: "configmaps", Namespace: "default", Name: "a",
			At: noon.Local()}
	}
	update := &flow.Flow{Seq: 1, Start: noon.Local(),
		Effects: []flow.Effect{{Commit: at(11, flow.Updated), Before: flow.Bytes(v1), After: flow.Bytes(v2)}}}
	other := &flow.Flow{Seq: 2, Start: noon.Local(), Effects: []flow.Effect{{Commit: at(12, flow.Updated), Before: flow.Bytes(v2), After: flow.Bytes(v1)}}} // whose change was not written
	remove := &flow.Flow{Seq: 3, Start: noon.Local(),
		Effects: []flow.Effect{{Commit: at(13, flow.Deleted), Before: flow.Bytes(v3)}}}
	data := tape(t, func(e *recording.Encoder) {
		must(t, e.Begin(recording.Begin{Revision: 10}))
		must(t, e.State(&recording.Change{Commit: at(7, flow.Created), Value: []byte(v1)}))
		must(t, e.Change(&recording.Change{Commit: at(11, flow.Updated), Before: 7, Value: []byte(v2)}))
		must(t, e.Flow(update))
		must(t, e.Flow(other))
		must(t, e.Change(&recording.Change{Commit: at(12, flow.Updated), Before: 11, Value: []byte(v3)}))
		must(t, e.Change(&recording.Change{Commit: at(13, flow.Deleted), Before: 12}))
		must(t, e.Flow(remove))
	})
	all, err := untape(t, bytes.NewReader(data))
	if err != io.EOF {
		t.Fatal(err)
	}
	var flows []*flow.Flow
	for _, e := range all {
		if e.Flow != nil {
			flows = append(flows, e.Flow)
		}
	}
	for i, want := range []*flow.Flow{update, other, remove} {
		same(t, flows[i], want)
	}
}

// Secrets and tokens are masked, in flows and in versions, unless the recording has secrets.
func TestEncoder_Secrets(t *testing.T) {
	const secret = "aGlkZGVuLXZhbHVl"
	object := []byte(`{"kind":"Secret","data":{"password":"` + secret + `"}}`)
	commit := flow.Commit{Revision: 5, Type: flow.Created, Resource: "secrets", Namespace: "default", Name: "s"}
	f := &flow.Flow{Seq: 1, Target: flow.Target{Verb: "create", Resource: "secrets"},
		RequestBody:   flow.Body{Kept: object},
		RequestHeader: map[string][]string{"Authorization": {"Bearer " + secret}},
		Effects:       []flow.Effect{{Commit: commit, After: object}}}
	for _, with := range []bool{false, true} {
		data := tape(t, func(e *recording.Encoder) {
			must(t, e.Begin(recording.Begin{Revision: 1, Secrets: with}))
			must(t, e.State(&recording.Change{Commit: commit, Value: object}))
			must(t, e.Change(&recording.Change{Commit: commit, Value: object}))
			must(t, e.Flow(f))
		})
		all, err := untape(t, bytes.NewReader(data))
		if err != io.EOF {
			t.Fatal(err)
		}
		for i, text := range []string{string(all[1].State.Value), string(all[2].Change.Value),
			string(all[3].Flow.RequestBody.Kept), string(all[3].Flow.Effects[0].After),
			fmt.Sprint(all[3].Flow.RequestHeader)} {
			if strings.Contains(text, secret) != with {
				t.Errorf("with secrets %v, %d: %s", with, i, text)
			}
		}
	}
}

// Frames of an open watch come with its later entries; those that the watch no longer holds are missing.
func TestEncoder_Frames(t *testing.T) {
	log := flow.NewLog(flow.Limits{})
	w := log.OpenWatch(flow.WatchInfo{Query: "watch=true", Opened: noon.Local()})
	send := func(from, to int) {
		for i := from; i <= to; i++ {
			w.Wrote(flow.Frame{Type: "ADDED", Revision: int64(i), Name: "a", Size: 10, Written: noon.Local()})
			w.Reached(int64(i), 0)
		}
	}
	data := tape(t, func(e *recording.Encoder) {
		must(t, e.Begin(recording.Begin{}))
		must(t, e.Flow(&flow.Flow{Seq: 1, Phase: flow.WatchOpened, Watch: w}))
		send(1, 3)
		must(t, e.Frames(w))
		must(t, e.Frames(w)) // nothing new
		w.Reached(90, 0)
		must(t, e.Frames(w))
		must(t, e.Position(w))
		must(t, e.Position(w))
		send(4, 300) // more than are held
		must(t, e.Frames(w))
		w.Close(noon.Local(), "timeout")
		must(t, e.Flow(&flow.Flow{Seq: 2, Phase: flow.WatchClosed, Watch: w}))
	})
	all, err := untape(t, bytes.NewReader(data))
	if err != io.EOF {
		t.Fatal(err)
	}
	var numbers []uint64
	var closed *flow.Watch
	told := 0
	for _, e := range all {
		if e.Frames != nil {
			told++
			for _, f := range e.Frames.Frames {
				numbers = append(numbers, f.Number)
			}
		}
		if e.Flow != nil {
			closed = e.Flow.Watch
		}
	}
	if told != 5 || len(numbers) != 3+256 || numbers[2] != 3 || numbers[3] != 45 || numbers[258] != 300 {
		t.Errorf("%d entries with %d frames: %v", told, len(numbers), numbers)
	}
	if s := closed.State(); !reflect.DeepEqual(s, w.State()) || s.Cause != "timeout" {
		t.Errorf("%+v, want %+v", s, w.State())
	}
	if !reflect.DeepEqual(closed.Frames(), w.Frames()) {
		t.Error("the last frames are not the same")
	}
}

// A new table of words begins before it grows too large, and all texts stay right.
func TestEncoder_ManyWords(t *testing.T) {
	const n = 70_000
	data := tape(t, func(e *recording.Encoder) {
		must(t, e.Begin(recording.Begin{}))
		for i := range n {
			must(t, e.Flow(&flow.Flow{Seq: uint64(i + 1), Client: flow.Client{UserAgent: fmt.Sprintf("agent/%d", i),
				Tag: "t"}}))
		}
	})
	all, err := untape(t, bytes.NewReader(data))
	if err != io.EOF || len(all) != n+2 {
		t.Fatal(len(all), err)
	}
	for i, e := range all[1 : n+1] {
		if e.Flow.Client.UserAgent != fmt.Sprintf("agent/%d", i) || e.Flow.Client.Tag != "t" {
			t.Fatalf("%d: %+v", i, e.Flow.Client)
		}
	}
}

// story is a recording with two segments, flushed after each flow.
func story(t testing.TB) []byte {
	return tape(t, func(e *recording.Encoder) {
		for segment := range 2 {
			must(t, e.Begin(recording.Begin{Segment: segment + 1, Secrets: true}))
			for i := range 5 {
				f := full()
				f.Seq = uint64(segment*5 + i + 1)
				f.Watch.ID = f.Seq
				must(t, e.Flow(f))
				must(t, e.Flush())
			}
		}
	})
}

// A recording that is cut anywhere returns all complete records, in order, and then ErrCut.
func TestDecoder_Cut(t *testing.T) {
	data := story(t)
	whole, err := untape(t, bytes.NewReader(data))
	if err != io.EOF {
		t.Fatal(err)
	}
	before := 0
	for n := 0; n < len(data); n = min(n+1+n/97, max(n+1, len(data)-1)) {
		all, err := untape(t, bytes.NewReader(data[:n]))
		if !errors.Is(err, recording.ErrCut) && !(len(all) == 0 && errors.Is(err, recording.ErrForeign)) {
			t.Fatalf("cut at %d of %d: %d entries, %v", n, len(data), len(all), err)
		}
		if len(all) < before || len(all) > len(whole) {
			t.Fatalf("cut at %d: %d entries, %d at less", n, len(all), before)
		}
		before = len(all)
	}
	if before < len(whole)-1 {
		t.Errorf("of %d entries only %d at nearly all bytes", len(whole), before)
	}
}

// A file that is not a recording is ErrForeign; a damaged one is read up to the damage. Nothing panics.
func TestDecoder_Hostile(t *testing.T) {
	for name, data := range map[string][]byte{
		"empty": nil, "text": []byte("a text\n"), "JSON Lines": []byte(`{"seq":1}` + "\n"),
		"gzip": {0x1f, 0x8b, 8, 0, 0, 0, 0, 0},
	} {
		if all, err := untape(t, bytes.NewReader(data)); len(all) > 0 || !errors.Is(err, recording.ErrForeign) {
			t.Errorf("%s: %d entries, %v", name, len(all), err)
		}
	}
	data := story(t)
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		bad := bytes.Clone(data)
		for range 1 + r.IntN(4) {
			bad[r.IntN(len(bad))] ^= byte(1 + r.IntN(255))
		}
		_, err := untape(t, bytes.NewReader(bad))
		var later *recording.LaterError
		switch {
		case err == io.EOF, recording.Partial(err), errors.Is(err, recording.ErrForeign), errors.As(err, &later):
		default:
			t.Fatal(err)
		}
	}
}

// The documented description of the format is that of the code.
func TestDescribe(t *testing.T) {
	var got bytes.Buffer
	must(t, recording.Describe(&got))
	const file = "recording.proto"
	if os.Getenv("UPDATE") != "" {
		must(t, os.WriteFile(file, got.Bytes(), 0o644))
	}
	want, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(want, got.Bytes()) {
		t.Errorf("%s is not what the code writes (%v); UPDATE=1 renews it", file, err)
	}
}

func FuzzDecoder(f *testing.F) {
	f.Add(story(f))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := recording.NewDecoder(bytes.NewReader(data))
		must(t, err)
		defer d.Close()
		for {
			if _, err := d.Next(); err != nil {
				return
			}
		}
	})
}
