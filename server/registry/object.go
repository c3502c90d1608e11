package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "sigs.k8s.io/json"

	"kubarium/server/kinds"
	"kubarium/server/storage"
)

// Decode makes a typed object of a stored one, with its resourceVersion stamped from the row.
func Decode(k *kinds.Kind, r storage.Record) (runtime.Object, error) {
	obj := k.New()
	if err := kjson.UnmarshalCaseSensitivePreserveInts(r.Value, obj); err != nil {
		return nil, fmt.Errorf("decode %s at revision %d: %w", r.Key, r.Revision, err)
	}
	access(obj).SetResourceVersion(FormatRevision(r.Revision))
	obj.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
	return obj, nil
}

// encode makes the stored form of an object: JSON with kind and apiVersion first, without the resourceVersion.
func encode(k *kinds.Kind, obj runtime.Object) ([]byte, error) {
	m := access(obj)
	version := m.GetResourceVersion()
	m.SetResourceVersion("")
	m.SetSelfLink("")
	obj.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(true) // as the official JSON serializer writes it
	err := e.Encode(obj)
	m.SetResourceVersion(version)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
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
	if r == 0 {
		return ""
	}
	return strconv.FormatInt(int64(r), 10)
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
