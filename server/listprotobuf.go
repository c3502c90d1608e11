package server

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/cache"
)

// A sized object tells how many bytes it has in Protobuf, and writes them to the end of a buffer.
type sized interface {
	Size() int
	MarshalToSizedBuffer([]byte) (int, error)
}

// The tags of the fields of a list in Protobuf: metadata is the first, items the second, both of a length that is told.
const (
	metadataTag = 1<<3 | 2
	itemsTag    = 2<<3 | 2
)

// protobufForm is a list in Protobuf. Its envelope tells the length of all of it before the first item, so each object
// must have been measured, which is done once in its life: the length of a list is a sum from then on.
func protobufForm(ctx context.Context, l typedList, objects []*cache.Object) (listForm, error) {
	if err := l.measure(ctx, objects); err != nil {
		return listForm{}, err
	}
	head, err := protobufMetadata(l.empty)
	if err != nil {
		return listForm{}, err
	}
	total := len(head)
	for _, o := range objects {
		n := int(o.Sizes[l.size].Load())
		total += 1 + uvarintLength(n) + n
	}
	gvk := l.empty.GetObjectKind().GroupVersionKind()
	envelope := runtime.Unknown{TypeMeta: runtime.TypeMeta{Kind: gvk.Kind, APIVersion: gvk.GroupVersion().String()}}
	b := bytes.NewBufferString("k8s\x00")
	var at int
	_, err = envelope.MarshalToWriter(b, total, func(io.Writer) (int, error) { at = b.Len(); return total, nil })
	return listForm{head: append(b.Bytes()[:at:at], head...), tail: b.Bytes()[at:], item: l.appendProtobuf, litters: true}, err
}

// protobufMetadata is the metadata of a list as its first field.
func protobufMetadata(list runtime.Object) ([]byte, error) {
	m, err := meta.ListAccessor(list)
	if err != nil {
		return nil, err
	}
	lm := metav1.ListMeta{ResourceVersion: m.GetResourceVersion(), Continue: m.GetContinue(), RemainingItemCount: m.GetRemainingItemCount()}
	text, err := lm.Marshal()
	return append(binary.AppendUvarint([]byte{metadataTag}, uint64(len(text))), text...), err
}

// appendProtobuf appends an object as an item. It must have the size that was told: the client counts on it.
func (l typedList) appendProtobuf(dst []byte, o *cache.Object) ([]byte, error) {
	obj, err := l.item(o)
	if err != nil {
		return dst, err
	}
	told, m := int(o.Sizes[l.size].Load()), obj.(sized)
	if n := m.Size(); n != told {
		o.Sizes[l.size].Store(int32(n)) // for the next list
		return dst, fmt.Errorf("%v has %d bytes in Protobuf, and was measured as %d", o.Key, n, told)
	}
	dst = binary.AppendUvarint(append(dst, itemsTag), uint64(told))
	at := len(dst)
	dst = slices.Grow(dst, told)[:at+told]
	n, err := m.MarshalToSizedBuffer(dst[at:])
	if err == nil && n != told {
		err = fmt.Errorf("%v wrote %d of its %d bytes in Protobuf", o.Key, n, told)
	}
	return dst, err
}

// uvarintLength is how many bytes a number has as a varint.
func uvarintLength(n int) int {
	length := 1
	for ; n >= 0x80; n >>= 7 {
		length++
	}
	return length
}
