package chain

// recent is a map of bounded size: of what was used longest ago it forgets the older half.
type recent[K comparable, V any] struct {
	most         int // entries of each half
	fresh, older map[K]V
}

func newRecent[K comparable, V any](most int) recent[K, V] {
	return recent[K, V]{most: most, fresh: map[K]V{}}
}

// get returns the value of a key, which counts as a use.
func (r *recent[K, V]) get(k K) (v V, ok bool) {
	if v, ok = r.fresh[k]; ok {
		return v, true
	}
	if v, ok = r.older[k]; ok {
		r.set(k, v)
	}
	return v, ok
}

func (r *recent[K, V]) drop(k K) {
	delete(r.fresh, k)
	delete(r.older, k)
}

func (r *recent[K, V]) set(k K, v V) {
	if len(r.fresh) >= r.most {
		r.older, r.fresh = r.fresh, make(map[K]V, r.most/4)
	}
	r.fresh[k] = v
}
