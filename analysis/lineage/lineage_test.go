package lineage_test

import (
	"fmt"
	"reflect"
	"testing"

	"kubarium/analysis/lineage"
	"kubarium/flow"
	"kubarium/flow/object"
)

// history is a source of flows that can let go of them.
type history map[uint64]*flow.Flow

func (h history) get(seq uint64) *flow.Flow { return h[seq] }

// write is a request that changed an object from one text to another.
func (h history) write(seq uint64, who, name string, rv int64, before, after string) *flow.Flow {
	f := &flow.Flow{Seq: seq, Client: flow.Client{Tag: who}}
	f.Effects = []flow.Effect{{Commit: flow.Commit{Revision: rv, Type: flow.Updated, Resource: "configmaps",
		Namespace: "a", Name: name},
		Before: flow.Bytes(before), After: flow.Bytes(after)}}
	h[seq] = f
	return f
}

func ref(name string) object.Ref {
	return object.Ref{Resource: "configmaps", Namespace: "a", Name: name}
}

func revisions(ws []lineage.Writing) (out []int64) {
	for _, w := range ws {
		out = append(out, w.Effect.Commit.Revision)
	}
	return out
}

// The writes between two revisions come newest first, in the order of revisions whatever the order of their answers,
// and end at the first that is gone.
func TestLog_Between(t *testing.T) {
	h := history{}
	l := lineage.New(h.get)
	for i, rv := range []int64{10, 14, 12, 18} {
		l.Note(h.write(uint64(i+1), "k1", "x", rv, `{}`, `{}`))
	}
	l.Note(h.write(9, "k1", "y", 16, `{}`, `{}`))
	for _, c := range []struct {
		name        string
		after, upTo int64
		want        []int64
	}{
		{"x", 0, 18, []int64{18, 14, 12, 10}}, {"x", 10, 14, []int64{14, 12}}, {"x", 18, 20, nil}, {"x", 14, 14, nil},
		{"x", 0, 9, nil},
		{"y", 0, 99, []int64{16}}, {"z", 0, 99, nil},
	} {
		if got := revisions(l.Between(ref(c.name), c.after, c.upTo)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
	delete(h, 2) // revision 14
	if got := revisions(l.Between(ref("x"), 0, 18)); !reflect.DeepEqual(got, []int64{18}) {
		t.Errorf("after a gap: %v", got)
	}
}

// One request may write many objects at once; each has its own part of it.
func TestLog_Between_collection(t *testing.T) {
	h := history{}
	f := h.write(1, "k1", "x", 5, `{}`, ``)
	f.Effects = append(f.Effects, h.write(2, "k1", "y", 6, `{}`, ``).Effects...)
	l := lineage.New(h.get)
	l.Note(f)
	if got := l.Between(ref("y"), 0, 9); len(got) != 1 || got[0].Effect.Commit.Name != "y" || got[0].Flow != f {
		t.Errorf("%+v", got)
	}
}

// The memory is bounded, by object and in all.
func TestLog_bounds(t *testing.T) {
	h := history{}
	l := lineage.New(h.get)
	for i := range lineage.MaxWrites + 10 {
		l.Note(h.write(uint64(i+1), "k1", "x", int64(i+1), `{}`, `{}`))
	}
	if got := revisions(l.Between(ref("x"), 0, 1000)); len(got) != lineage.MaxWrites || got[len(got)-1] != 11 {
		t.Errorf("%d, the oldest %d", len(got), got[len(got)-1])
	}
	for i := range lineage.MaxObjects - 1 {
		l.Note(h.write(1000, "k1", fmt.Sprint(i), 1000, `{}`, `{}`))
	}
	if len(l.Between(ref("x"), 0, 1000)) == 0 {
		t.Error("as many objects as it holds, and the first is forgotten")
	}
	l.Note(h.write(1000, "k1", "one more", 1000, `{}`, `{}`))
	if len(l.Between(ref("x"), 0, 1000)) != 0 || len(l.Between(ref("one more"), 0, 1000)) != 1 {
		t.Error("it did not begin again")
	}
}

// The last one who changed a field is its writer, with the value before; who left it alone is not.
func TestWritersOf(t *testing.T) {
	h := history{}
	ws := func(fs ...*flow.Flow) (out []lineage.Writing) {
		for _, f := range fs {
			out = append([]lineage.Writing{{Flow: f, Effect: f.Effects[0]}}, out...)
		}
		return out
	}
	got := lineage.WritersOf(ws(
		h.write(1, "k1", "x", 5, `{"data":{"a":"1","b":"1","c":"1"}}`, `{"data":{"a":"2","b":"2","c":"1"}}`),
		h.write(2, "k2", "x", 6, `{"data":{"a":"2","b":"2","c":"1"}}`, `{"data":{"a":"3","b":"2","d":"1"}}`),
	))
	want := map[string]lineage.Writer{
		"data.a": {Who: "k2", Revision: 6, Seq: 2, Was: "2"}, "data.b": {Who: "k1", Revision: 5, Seq: 1, Was: "1"},
		"data.c": {Who: "k2", Revision: 6, Seq: 2, Was: "1"}, "data.d": {Who: "k2", Revision: 6, Seq: 2},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	created := lineage.WritersOf(ws(h.write(3, "k3", "x", 7, ``, `{"data":{"a":"1"}}`)))
	if w := created["data.a"]; w.Who != "k3" || w.Was != nil {
		t.Errorf("%+v", created)
	}
}
