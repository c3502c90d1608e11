package explore

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Difference is a value that differs at the end of a run.
type Difference struct {
	Server int    `json:"server,omitempty"` // from 0
	Object string `json:"object"`           // "configmaps shop/web"
	Path   string `json:"path,omitempty"`   // of a field; "" for the object as a whole
	// Should and Is are JSON texts of the field, "" where there is none; of an object as a whole how many there are.
	Should string `json:"should"`
	Is     string `json:"is"`
}

// String is the difference in one sentence, without a full stop.
func (d Difference) String() string {
	switch {
	case d.Path == creations, d.Path == deletions:
		return fmt.Sprintf("%s was %s %s, and without the fault %s", d.Object, strings.Trim(d.Path, "()"), times(d.Is), times(d.Should))
	case d.Path == "" && d.Is == "0":
		return d.Object + " is missing"
	case d.Path == "" && d.Should == "0" && d.Is == "1":
		return d.Object + " is there, and should not be"
	case d.Path == "" && d.Should == "0":
		return fmt.Sprintf("%s %s are there, and should not be", d.Is, d.Object)
	case d.Path == "":
		return fmt.Sprintf("%s of %s stand, and should be %s", d.Is, d.Object, d.Should)
	case d.Is == "":
		return fmt.Sprintf("%s of %s is missing, and should be %s", d.Path, d.Object, short(d.Should))
	case d.Should == "":
		return fmt.Sprintf("%s of %s is %s, and should not be there", d.Path, d.Object, short(d.Is))
	}
	return fmt.Sprintf("%s of %s is %s, and should be %s", d.Path, d.Object, short(d.Is), short(d.Should))
}

// The paths of how often an object came and went, which no field has.
const creations, deletions = "(created)", "(deleted)"

func times(n string) string {
	switch n {
	case "0":
		return "never"
	case "1":
		return "once"
	}
	return n + " times"
}

// longestValue is how many bytes of a value a sentence has.
const longestValue = 100

func short(s string) string {
	if len(s) <= longestValue {
		return s
	}
	return strings.ToValidUTF8(s[:longestValue], "") + "…"
}

// A Base is the state at the end of runs without a fault. Where they differ from each other, no value is known to be
// right.
type Base struct {
	first *State
	count map[Key]bool            // objects of which not each run has the same number
	noise map[Key]map[string]bool // fields that differ
	most  map[Key]map[string]int  // how often an object came and went at most, in other runs than the first
}

// NewBase takes the ends of runs without a fault, one at least.
func NewBase(runs ...*State) *Base {
	b := &Base{first: runs[0], count: map[Key]bool{}, noise: map[Key]map[string]bool{}, most: map[Key]map[string]int{}}
	for _, other := range runs[1:] {
		for _, d := range b.differences(other) {
			if d.Path == creations || d.Path == deletions {
				continue
			}
			b.ignore(d.key, d.Path)
		}
	}
	for _, other := range runs[1:] {
		for k, l := range other.lives {
			most := b.most[k]
			b.most[k] = map[string]int{creations: max(most[creations], l.created), deletions: max(most[deletions], l.deleted)}
		}
	}
	return b
}

func (b *Base) ignore(k Key, path string) {
	if path == "" {
		b.count[k] = true
		return
	}
	if b.noise[k] == nil {
		b.noise[k] = map[string]bool{}
	}
	b.noise[k][path] = true
}

// Noise is how many objects, and fields of objects, differ from run to run and are not compared.
func (b *Base) Noise() (n int) {
	n = len(b.count)
	for _, paths := range b.noise {
		n += len(paths)
	}
	return n
}

// A found is a difference with the key of its objects.
type found struct {
	Difference
	key Key
}

// Compare returns what differs at the end of a run, in the order of objects and paths.
func (b *Base) Compare(s *State) (out []Difference) {
	for _, d := range b.differences(s) {
		out = append(out, d.Difference)
	}
	return out
}

func (b *Base) differences(s *State) (out []found) {
	keys := maps.Clone(b.first.objects)
	maps.Copy(keys, s.objects)
	for _, k := range slices.SortedFunc(maps.Keys(keys), compareKeys) {
		out = append(out, b.compare(k, b.first.objects[k], s.objects[k])...)
	}
	for _, k := range slices.SortedFunc(maps.Keys(s.lives), compareKeys) {
		should, is := b.first.lives[k], s.lives[k]
		add := func(path string, x, y int) {
			if y > x && y > b.most[k][path] {
				out = append(out, found{Difference{Server: k.Server, Object: k.String(), Path: path, Should: fmt.Sprint(x), Is: fmt.Sprint(y)}, k})
			}
		}
		add(creations, should.created, is.created)
		add(deletions, should.deleted, is.deleted)
	}
	return out
}

func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Server, b.Server), strings.Compare(a.Resource, b.Resource),
		strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}

// compare compares objects that are alike. Those that are equal are the same; of the others the first is the first.
func (b *Base) compare(k Key, should, is []standing) (out []found) {
	add := func(path, x, y string) {
		out = append(out, found{Difference{Server: k.Server, Object: k.String(), Path: path, Should: x, Is: y}, k})
	}
	if len(should) != len(is) && !b.count[k] {
		add("", fmt.Sprint(len(should)), fmt.Sprint(len(is)))
	}
	should, is = b.unequal(k, should, is)
	for i := range min(len(should), len(is)) {
		paths := maps.Clone(should[i].fields)
		maps.Copy(paths, is[i].fields)
		for _, path := range slices.Sorted(maps.Keys(paths)) {
			x, y := should[i].fields[path], is[i].fields[path]
			if x != y && !b.noise[k][path] {
				add(path, x, y)
			}
		}
	}
	return out
}

// unequal leaves away objects that are equal.
func (b *Base) unequal(k Key, should, is []standing) (x, y []standing) {
	is = slices.Clone(is)
	for _, one := range should {
		at := slices.IndexFunc(is, func(o standing) bool { return b.equal(k, one, o) })
		if at < 0 {
			x = append(x, one)
			continue
		}
		is = slices.Delete(is, at, at+1)
	}
	return x, is
}

func (b *Base) equal(k Key, x, y standing) bool {
	within := func(a, b map[string]string, noise map[string]bool) bool {
		for path, v := range a {
			if other, ok := b[path]; (!ok || other != v) && !noise[path] {
				return false
			}
		}
		return true
	}
	noise := b.noise[k]
	return within(x.fields, y.fields, noise) && within(y.fields, x.fields, noise)
}
