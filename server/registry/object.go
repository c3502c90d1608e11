package registry

import (
	"context"
	"fmt"
	"iter"
	"strconv"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/cache"
	"kubarium/server/kinds"
	"kubarium/server/storage"
)

// Decode makes an object in its internal form of a stored one, with its resourceVersion stamped from the record.
func Decode(k *kinds.Kind, r storage.Record) (runtime.Object, error) { return decodeBy(k.Decode, r) }

// DecodeServed makes an object as its row serves it of a stored one, with its resourceVersion.
func DecodeServed(k *kinds.Kind, r storage.Record) (runtime.Object, error) {
	return decodeBy(k.DecodeServed, r)
}

// servedObjects are the objects of a built-in kind whose keys begin with prefix, as they are now, in their served form and of
// their Go type. One that no longer decodes comes as its error.
func servedObjects[T runtime.Object](ctx context.Context, r *Registry, resource, prefix string) (iter.Seq2[T, error], error) {
	snap, err := r.Cache.Snapshot(ctx, resource, 0)
	if err != nil {
		return nil, err
	}
	k := r.Catalogue.Stored(resource)
	return func(yield func(T, error) bool) {
		snap.Ascend(prefix, "", func(o *cache.Object) bool {
			obj, err := DecodeServed(k, o.Record())
			if err != nil {
				var none T
				return yield(none, err)
			}
			return yield(obj.(T), nil)
		})
	}, nil
}

// Any tells whether a namespace has an object of a built-in resource now; where that cannot be said, as if it had.
func (r *Registry) Any(ctx context.Context, resource, namespace string) bool {
	found, err := r.Cache.Any(ctx, resource, namespace+"/")
	return found || err != nil
}

func decodeBy(decode func([]byte) (runtime.Object, error), r storage.Record) (runtime.Object, error) {
	obj, err := decode(r.Value)
	if err != nil {
		return nil, damaged(r, err)
	}
	access(obj).SetResourceVersion(FormatRevision(r.Revision))
	return obj, nil
}

// access returns the metadata of an object of the catalogue; every kind has it.
func access(obj runtime.Object) metav1.Object {
	m, err := meta.Accessor(obj)
	if err != nil {
		panic(fmt.Sprintf("a kind of the catalogue has no metadata: %v", err))
	}
	return m
}

// FormatRevision is the resourceVersion that a revision has on the wire: "" for 0.
func FormatRevision(r storage.Revision) string {
	return string(AppendRevision(nil, r))
}

// AppendRevision appends what FormatRevision returns.
func AppendRevision(dst []byte, r storage.Revision) []byte {
	if r == 0 {
		return dst
	}
	return strconv.AppendInt(dst, int64(r), 10)
}

// ParseRevision is the revision that a resourceVersion stands for; "" and "0" are 0. The error is that of the
// official parser, which kube-apiserver answers with.
func ParseRevision(s string) (storage.Revision, error) {
	if s == "" || s == "0" {
		return 0, nil
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, err
	}
	return storage.Revision(n), nil
}
