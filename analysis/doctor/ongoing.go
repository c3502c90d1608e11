package doctor

import (
	"maps"
	"slices"
)

// A set is a set of texts. Its zero value is empty.
type set map[string]bool

// add adds texts as long as there are less than most.
func (s *set) add(most int, texts ...string) {
	if *s == nil {
		*s = set{}
	}
	for _, text := range texts {
		if len(*s) < most {
			(*s)[text] = true
		}
	}
}

// first are the first of the texts, and how many there are more.
func (s set) first(most int) string { return few(slices.Sorted(maps.Keys(s)), most) }

// An ongoing map is what a rule follows at the moment. One that is full begins again, since clients may name anything.
type ongoing[K comparable, V any] map[K]V

// maxOngoing is how many things a rule follows at once.
const maxOngoing = 8192

func (o *ongoing[K, V]) put(k K, v V) {
	if *o == nil {
		*o = ongoing[K, V]{}
	}
	if len(*o) >= maxOngoing {
		clear(*o)
	}
	(*o)[k] = v
}

// follow is what is followed by a key; a new one begins empty.
func follow[K comparable, V any](o *ongoing[K, *V], k K) *V {
	v := (*o)[k]
	if v == nil {
		v = new(V)
		o.put(k, v)
	}
	return v
}
