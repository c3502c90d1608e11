package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "sigs.k8s.io/json"

	"kubarium/server/kinds"
	"kubarium/server/storage"
)

// Decode makes an object of a row of a stored one, with its resourceVersion stamped from the record.
func Decode(k *kinds.Kind, r storage.Record) (runtime.Object, error) {
	obj, err := decodeValue(k, r.Value)
	if err != nil {
		return nil, damaged(r, err)
	}
	access(obj).SetResourceVersion(FormatRevision(r.Revision))
	return obj, nil
}

// decodeValue makes an object of the row of a stored value.
func decodeValue(k *kinds.Kind, value []byte) (runtime.Object, error) {
	if err := legible(value); err != nil {
		return nil, err
	}
	obj := k.Stored().New()
	if err := kjson.UnmarshalCaseSensitivePreserveInts(value, obj); err != nil {
		return nil, err
	}
	if k.FromStored != nil {
		var err error
		if obj, err = k.FromStored(obj); err != nil {
			return nil, err
		}
	}
	obj.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
	return obj, nil
}

// decodeStored makes an object of a stored value in the form in which it was stored: no webhook is asked, as nobody may
// wait here. k is the row in whose form the objects are kept.
func decodeStored(k *kinds.Kind, value []byte) (runtime.Object, error) {
	if k.Custom == nil {
		return decodeValue(k, value)
	}
	if err := legible(value); err != nil {
		return nil, err
	}
	obj := k.New()
	if err := kjson.UnmarshalCaseSensitivePreserveInts(value, obj); err != nil {
		return nil, err
	}
	return obj, k.Custom.Restore(obj)
}

// legible refuses what JSON parsers let pass: a value that the store cannot read, and bytes that are no UTF-8, which no
// JSON text may have (RFC 8259, section 8.1).
func legible(value []byte) error {
	switch {
	case len(value) == 0:
		return errors.New("the database cannot read it")
	case !utf8.Valid(value):
		return errors.New("invalid UTF-8")
	}
	return nil
}

// encode makes the stored form of an object: JSON in the form of the row that it is kept in, without the
// resourceVersion. obj stays as it is.
func encode(k *kinds.Kind, obj runtime.Object) (value []byte, err error) {
	if k.ToStored != nil && k.StoredAs != nil { // the row in whose form objects are kept has nothing to convert
		if obj, err = k.ToStored(obj.DeepCopyObject()); err != nil {
			return nil, err
		}
	}
	m := access(obj)
	version := m.GetResourceVersion()
	m.SetResourceVersion("")
	m.SetSelfLink("")
	obj.GetObjectKind().SetGroupVersionKind(k.Stored().GroupVersionKind)
	value, err = marshal(obj)
	m.SetResourceVersion(version)
	return value, err
}

// marshal makes JSON of an object as the official serializer writes it. Types of k8s.io/api begin with kind and
// apiVersion; the members of an unstructured object come in the order of their names.
func marshal(obj runtime.Object) ([]byte, error) { return json.Marshal(obj) }

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
