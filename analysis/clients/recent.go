package clients

import (
	"container/list"
	"iter"
)

// A recent map keeps the values that were used last, at most so many.
type recent[K comparable, V any] struct {
	most  int
	order list.List // of *used[K, V], the newest first
	of    map[K]*list.Element
}

type used[K comparable, V any] struct {
	key   K
	value V
}

// has returns the value of a key, nil if there is none.
func (r *recent[K, V]) has(k K) *V {
	if e := r.of[k]; e != nil {
		return &e.Value.(*used[K, V]).value
	}
	return nil
}

// use returns the value of a key, which is then the newest; a new one begins empty, and the oldest makes room for it.
func (r *recent[K, V]) use(k K) *V {
	if e := r.of[k]; e != nil {
		r.order.MoveToFront(e)
		return &e.Value.(*used[K, V]).value
	}
	if r.of == nil {
		r.of = map[K]*list.Element{}
	}
	if len(r.of) >= r.most {
		r.drop(r.order.Back().Value.(*used[K, V]).key)
	}
	u := &used[K, V]{key: k}
	r.of[k] = r.order.PushFront(u)
	return &u.value
}

func (r *recent[K, V]) drop(k K) {
	if e := r.of[k]; e != nil {
		r.order.Remove(e)
		delete(r.of, k)
	}
}

// all are the values, the newest first.
func (r *recent[K, V]) all() iter.Seq2[K, *V] {
	return func(yield func(K, *V) bool) {
		for e := r.order.Front(); e != nil; e = e.Next() {
			if u := e.Value.(*used[K, V]); !yield(u.key, &u.value) {
				return
			}
		}
	}
}
