package conflict

import (
	"maps"
	"slices"

	"kubarium/flow/object"
)

// Merge makes the changes that lead from base to mine on theirs. clashes are the fields that both sides changed, to
// different values; there the merged object has theirs. The fields that the server sets, and the status, are always
// theirs: an update of an object does not write them.
func Merge(base, mine, theirs any) (merged any, clashes []string) {
	m := &merger{}
	merged = m.merge("", base, mine, theirs)
	slices.Sort(m.clashes)
	return merged, m.clashes
}

type merger struct{ clashes []string }

// merge merges one field; nil is an absent one.
func (m *merger) merge(path string, base, mine, theirs any) any {
	switch {
	case object.Ignored(path) || under(path, "status"):
		return theirs
	case object.Same(mine, base) || object.Same(mine, theirs):
		return theirs
	case object.Same(theirs, base):
		return mine
	}
	if b, x, y, ok := three[map[string]any](base, mine, theirs); ok {
		return m.maps(path, b, x, y)
	}
	if b, x, y, ok := three[[]any](base, mine, theirs); ok {
		if merged, ok := m.lists(path, b, x, y); ok {
			return merged
		}
	}
	m.clashes = append(m.clashes, path)
	return theirs
}

// three are values of one form; an absent base is an empty one.
func three[T any](base, mine, theirs any) (b, x, y T, ok bool) {
	b, ok = base.(T)
	x, mineOK := mine.(T)
	y, theirsOK := theirs.(T)
	return b, x, y, (ok || base == nil) && mineOK && theirsOK
}

func (m *merger) maps(path string, base, mine, theirs map[string]any) any {
	all := maps.Clone(theirs)
	maps.Copy(all, mine)
	maps.Copy(all, base)
	out := map[string]any{}
	for name := range all {
		if v := m.merge(object.JoinPath(path, name), base[name], mine[name], theirs[name]); v != nil {
			out[name] = v
		}
	}
	return out
}

// lists merges lists of objects that a field identifies; ok is false for others. The items that mine adds come after
// those of theirs.
func (m *merger) lists(path string, base, mine, theirs []any) (merged []any, ok bool) {
	key, ok := object.ItemKey(base, mine, theirs)
	if !ok {
		return nil, false
	}
	b, x, y := byKey(key, base), byKey(key, mine), byKey(key, theirs)
	merged = []any{}
	for i, item := range slices.Concat(theirs, mine) {
		name := object.Text(object.In(item, key))
		if _, taken := y[name]; taken && i >= len(theirs) {
			continue
		}
		if v := m.merge(path+"["+name+"]", b[name], x[name], y[name]); v != nil {
			merged = append(merged, v)
		}
	}
	return merged, true
}

// byKey are the items of a list by the field that identifies them.
func byKey(key string, list []any) map[string]any {
	out := map[string]any{}
	for _, item := range list {
		out[object.Text(object.In(item, key))] = item
	}
	return out
}
