package server

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/codecs"
	"kubarium/server/cache"
	"kubarium/server/registry"
	"kubarium/server/storage"
)

// manyObjects is from how many objects on a list of typed objects is written item by item: below it is quicker made whole.
const manyObjects = 2000

// streamsTyped tells whether an answer is a list of so many objects in CBOR or Protobuf that it should not be held whole.
func (q *Request) streamsTyped(a *answer) bool {
	return a.list != nil && len(a.list.Objects) >= manyObjects && q.Media.As == "" && !q.Media.Codec.IsText()
}

// typedItem is an object as an item of a list: one of a built-in kind names no kind.
func typedItem(a *answer, o *cache.Object) (runtime.Object, error) {
	obj, err := registry.Decode(a.kind, storage.Record{Key: o.Key, Revision: o.Revision, Value: o.Value})
	if err == nil && a.kind.Custom == nil {
		obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	return obj, err
}

// emptyList is an answer's list without its objects.
func emptyList(a *answer) (runtime.Object, error) {
	list := a.kind.NewList()
	list.GetObjectKind().SetGroupVersionKind(a.kind.ListGroupVersionKind())
	m, err := meta.ListAccessor(list)
	if err != nil {
		return nil, err
	}
	lm := listMeta(a.list)
	m.SetResourceVersion(lm.ResourceVersion)
	m.SetContinue(lm.Continue)
	m.SetRemainingItemCount(lm.RemainingItemCount)
	return list, meta.SetList(list, nil)
}

// cborTag begins what calls itself CBOR (RFC 8949, section 3.4.6); an item within something does not.
const cborTag = "\xd9\xd9\xf7"

// cborForm is a list in CBOR: the empty list, with an array of the right length in the place of the empty one.
func cborForm(a *answer) (listForm, error) {
	list, err := emptyList(a)
	if err != nil {
		return listForm{}, err
	}
	var b bytes.Buffer
	if err := codecs.CBOR.Encode(&b, list, false); err != nil {
		return listForm{}, err
	}
	const items = "\x45items" // a byte string of five
	head, tail, found := bytes.Cut(b.Bytes(), []byte(items+"\x80"))
	if !found {
		return listForm{}, fmt.Errorf("no items in the list %x", b.Bytes())
	}
	f := listForm{head: appendLength(append(head[:len(head):len(head)], items...), len(a.list.Objects)), tail: tail}
	f.item = func(dst []byte, o *cache.Object) ([]byte, error) {
		obj, err := typedItem(a, o)
		if err != nil {
			return dst, err
		}
		var b bytes.Buffer
		err = codecs.CBOR.Encode(&b, obj, false)
		return append(dst, bytes.TrimPrefix(b.Bytes(), []byte(cborTag))...), err
	}
	return f, nil
}

// appendLength appends the head of a CBOR array of n items (RFC 8949, section 3), in as few bytes as can be.
func appendLength(dst []byte, n int) []byte {
	const array = 4 << 5
	switch {
	case n < 24:
		return append(dst, array|byte(n))
	case n <= 0xff:
		return append(dst, array|24, byte(n))
	case n <= 0xffff:
		return binary.BigEndian.AppendUint16(append(dst, array|25), uint16(n))
	}
	return binary.BigEndian.AppendUint32(append(dst, array|26), uint32(n))
}

// A sized object tells how many bytes it has in Protobuf, and writes them.
type sized interface {
	Size() int
	MarshalTo([]byte) (int, error)
}

// The tags of the fields of a list in Protobuf: metadata is the first, items the second, both of a length that is told.
const (
	metadataTag = 1<<3 | 2
	itemsTag    = 2<<3 | 2
)

// protobufForm is a list in Protobuf. Its envelope tells the length of all of it before the first item, so each object is
// made twice: to be measured, and to be written.
func protobufForm(a *answer) (listForm, error) {
	lm := listMeta(a.list)
	metadata, err := lm.Marshal()
	if err != nil {
		return listForm{}, err
	}
	head := appendBytes(nil, metadataTag, metadata)
	total := len(head)
	for _, o := range a.list.Objects {
		obj, err := typedItem(a, o)
		if err != nil {
			return listForm{}, err
		}
		n := obj.(sized).Size()
		total += len(binary.AppendUvarint([]byte{itemsTag}, uint64(n))) + n
	}
	gvk := a.kind.ListGroupVersionKind()
	envelope := runtime.Unknown{TypeMeta: runtime.TypeMeta{Kind: gvk.Kind, APIVersion: gvk.GroupVersion().String()}}
	b := bytes.NewBufferString("k8s\x00")
	var at int
	_, err = envelope.MarshalToWriter(b, total, func(io.Writer) (int, error) { at = b.Len(); return total, nil })
	return listForm{head: append(b.Bytes()[:at:at], head...), tail: b.Bytes()[at:], item: func(dst []byte, o *cache.Object) ([]byte, error) {
		obj, err := typedItem(a, o)
		if err != nil {
			return dst, err
		}
		m := obj.(sized)
		text := make([]byte, m.Size())
		if _, err := m.MarshalTo(text); err != nil {
			return dst, err
		}
		return appendBytes(dst, itemsTag, text), nil
	}}, err
}

// appendBytes appends a Protobuf field that tells its length.
func appendBytes(dst []byte, tag byte, field []byte) []byte {
	return append(binary.AppendUvarint(append(dst, tag), uint64(len(field))), field...)
}
