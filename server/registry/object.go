package registry

import (
	"fmt"
	"strconv"

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
