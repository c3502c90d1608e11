package html

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"kubarium/flow"
	"kubarium/flow/object"
)

// A stored is what the requests of a run say of the store.
type stored struct {
	effects   map[uint64][]Effect // of a request
	committed map[int64]time.Time
}

// A change is one effect of a request.
type change struct {
	flow.Effect
	seq uint64
}

// objects adds the objects that the run changed, each with its versions.
func (b *builder) objects() {
	b.stored = stored{map[uint64][]Effect{}, map[int64]time.Time{}}
	all := map[object.Ref][]change{}
	for _, f := range b.flows {
		for _, e := range f.Effects {
			ref := object.RefOf(e.Commit)
			all[ref] = append(all[ref], change{e, f.Seq})
			b.stored.committed[e.Commit.Revision] = e.Commit.At
		}
	}
	refs := slices.SortedFunc(maps.Keys(all), func(x, y object.Ref) int {
		return cmp.Or(cmp.Compare(x.Resource, y.Resource), cmp.Compare(x.Namespace, y.Namespace), cmp.Compare(x.Name, y.Name))
	})
	for i, ref := range refs {
		o := Object{Resource: ref.Resource, Namespace: ref.Namespace, Name: ref.Name}
		changes := all[ref]
		slices.SortFunc(changes, func(x, y change) int { return cmp.Compare(x.Commit.Revision, y.Commit.Revision) })
		if before := changes[0].Before; json.Valid(before) {
			o.Versions = append(o.Versions, Version{At: -1, Value: b.Add(before)})
		}
		for _, c := range changes {
			b.stored.effects[c.seq] = append(b.stored.effects[c.seq], Effect{i, len(o.Versions)})
			o.Versions = append(o.Versions, b.version(c))
		}
		b.run.Objects = append(b.run.Objects, o)
	}
}

// types are what changes do to an object.
var types = map[flow.ChangeType]string{flow.Created: "created", flow.Updated: "updated", flow.Deleted: "deleted"}

func (b *builder) version(c change) Version {
	v := Version{Revision: c.Commit.Revision, Type: types[c.Commit.Type], At: b.since(c.Commit.At), Seq: c.seq, Value: -1}
	if json.Valid(c.After) {
		v.Value = b.Add(c.After)
	}
	if c.Commit.Type == flow.Updated {
		v.Fields = b.fields(c.Before, c.After)
	}
	return v
}

// fields are those that differ, without those that the server sets with every write.
func (b *builder) fields(before, after []byte) (out []Field) {
	was, is := object.Leaves(object.Parse(before)), object.Leaves(object.Parse(after))
	paths := maps.Clone(was)
	maps.Copy(paths, is)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if !object.Ignored(path) && !object.Same(was[path], is[path]) {
			out = append(out, Field{b.Word(path), b.leaf(was, path), b.leaf(is, path)})
		}
	}
	return out
}

func (b *builder) leaf(of map[string]any, path string) int {
	if v, ok := of[path]; ok {
		return b.Any(v)
	}
	return -1
}
