package compare

import (
	"strings"
)

// names are the random names of the right run, each with its counterpart in the left run.
type names struct {
	left  map[string]bool   // all names of the left run
	whole map[string]string // right names to left ones
	parts map[string]string // parts of them, such as the hash of a pod template
}

// A named is a name that a run has, once.
type named struct{ group, name string }

// mapNames finds the random names: those that only one run has and that look random. The first name of a shape in one
// run corresponds to the first of that shape in the other, for objects of the same resource in namespaces alike. Groups
// of custom resources may be random too.
func mapNames(l, r *run) *names {
	leftNames, rightNames := namesOf(l), namesOf(r)
	n := &names{left: map[string]bool{}, whole: map[string]string{}, parts: map[string]string{}}
	inRight := map[string]bool{}
	for _, x := range leftNames {
		n.left[x.name] = true
	}
	for _, x := range rightNames {
		inRight[x.name] = true
	}
	waiting := map[string][]string{} // left names of a group and shape
	for _, x := range leftNames {
		if s := Shape(x.name); !inRight[x.name] && s != x.name {
			waiting[x.group+"\x00"+s] = append(waiting[x.group+"\x00"+s], x.name)
		}
	}
	taken := map[string]bool{}
	for _, x := range rightNames {
		s := Shape(x.name)
		if n.left[x.name] || s == x.name || n.whole[x.name] != "" {
			continue
		}
		group := x.group + "\x00" + s
		for len(waiting[group]) > 0 {
			first := waiting[group][0]
			waiting[group] = waiting[group][1:]
			if !taken[first] {
				taken[first] = true
				n.add(x.name, first)
				break
			}
		}
	}
	return n
}

// add maps a name, and the parts in which the two differ.
func (n *names) add(right, left string) {
	n.whole[right] = left
	split := func(s string) []string {
		return strings.FieldsFunc(s, func(r rune) bool { return r == '-' || r == '.' })
	}
	rs, ls := split(right), split(left)
	if len(rs) != len(ls) || uuid.MatchString(right) {
		return
	}
	for i, part := range rs {
		if part != ls[i] && looksRandom(part) && n.parts[part] == "" {
			n.parts[part] = ls[i]
		}
	}
}

// byLeft are right names by left ones.
func (n *names) byLeft() map[string]string {
	out := make(map[string]string, len(n.whole))
	for right, left := range n.whole {
		out[left] = right
	}
	return out
}

// of is a name of the right run as the left run has it. A nil n changes none.
func (n *names) of(name string) string {
	if n == nil || len(n.whole) == 0 || name == "" {
		return name
	}
	if left := n.whole[name]; left != "" {
		return left
	}
	if len(n.parts) == 0 {
		return name
	}
	var b strings.Builder
	changed := false
	for rest := name; rest != ""; {
		end := strings.IndexAny(rest, "-.")
		if end < 0 {
			end = len(rest)
		}
		if left := n.parts[rest[:end]]; left != "" {
			b.WriteString(left)
			changed = true
		} else {
			b.WriteString(rest[:end])
		}
		if end < len(rest) {
			b.WriteByte(rest[end])
			end++
		}
		rest = rest[end:]
	}
	if !changed {
		return name
	}
	return b.String()
}

// namesOf are the names that a run asks for and writes, in the order in which they come first.
func namesOf(r *run) []named {
	var out []named
	seen := map[named]bool{}
	shapes := map[string]string{} // that were asked for
	shapeOf := func(name string) string {
		s, ok := shapes[name]
		if !ok {
			s = Shape(name)
			shapes[name] = s
		}
		return s
	}
	add := func(resource, namespace, name string) {
		if name == "" {
			return
		}
		if x := (named{shapeOf(resource) + "\x00" + shapeOf(namespace), name}); !seen[x] {
			seen[x] = true
			out = append(out, x)
		}
	}
	for _, it := range r.items {
		t := &it.flow.Target
		if t.Namespace != "" && t.Resource != "namespaces" {
			add("namespaces", "", t.Namespace)
		}
		resource := t.Resource
		if t.Group != "" {
			resource += "." + t.Group
		}
		if t.Resource == "namespaces" {
			add("namespaces", "", t.Name)
		} else {
			add(resource, t.Namespace, t.Name)
		}
		for _, e := range it.flow.Effects {
			add(e.Commit.Resource, e.Commit.Namespace, e.Commit.Name)
		}
	}
	return out
}
