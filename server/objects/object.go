// Package objects is what a stored value means by its kind's row: an object, the JSON that is served, what selectors
// and lists look for in it, a resourceVersion. It reads no store, and keeps nothing except what it has learned of Go
// types.
package objects

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/kinds"
	"kubarium/server/storage"
)

// Decode makes an object in its internal form of a stored one, with its resourceVersion stamped from the record.
func Decode(k *kinds.Kind, r storage.Record) (runtime.Object, error) { return decodeBy(k.Decode, r) }

// DecodeServed makes an object as its row serves it of a stored one, with its resourceVersion.
func DecodeServed(k *kinds.Kind, r storage.Record) (runtime.Object, error) {
	return decodeBy(k.DecodeServed, r)
}

func decodeBy(decode func([]byte) (runtime.Object, error), r storage.Record) (runtime.Object, error) {
	obj, err := decode(r.Value)
	if err != nil {
		return nil, Damaged(r, err)
	}
	Meta(obj).SetResourceVersion(FormatRevision(r.Revision))
	return obj, nil
}

// Meta returns the metadata of an object of the catalogue; every kind has it.
func Meta(obj runtime.Object) metav1.Object {
	m, err := meta.Accessor(obj)
	if err != nil {
		panic(fmt.Sprintf("a kind of the catalogue has no metadata: %v", err))
	}
	return m
}

// Blank is an empty served object that states its kind: what a new one is compared with.
func Blank(k *kinds.Kind) runtime.Object {
	obj := k.New()
	obj.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
	return obj
}

// EncodeServed is the object as a client sees it: with its resourceVersion.
func EncodeServed(k *kinds.Kind, obj runtime.Object) ([]byte, error) {
	served, err := k.Served(obj)
	if err != nil {
		return nil, err
	}
	return json.Marshal(served)
}
