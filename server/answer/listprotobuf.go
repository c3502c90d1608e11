package answer

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

// A sized object knows how many bytes it has in Protobuf, and writes them to the end of a buffer.
type sized interface {
	Size() int
	MarshalToSizedBuffer([]byte) (int, error)
}

// The tags of the two fields of a list in Protobuf, both with their length.
const (
	firstTag  = 1<<3 | 2
	secondTag = 2<<3 | 2
)

// protobufTags are the tags of a list's fields: metadata is the first, except in the metadata list of
// meta.k8s.io/v1beta1.
func (l typedList) protobufTags() (metadata, items byte) {
	if l.itemsFirst {
		return secondTag, firstTag
	}
	return firstTag, secondTag
}

// protobufForm is a list in Protobuf. Its envelope has the length of all of it before the first item, so each object
// must have been measured. That is done once for an object: the length of a list is a sum from then on.
func protobufForm(ctx context.Context, l typedList, objects []*cache.Object) (listForm, error) {
	if err := l.measure(ctx, objects); err != nil {
		return listForm{}, err
	}
	metadata, err := l.protobufMetadata()
	if err != nil {
		return listForm{}, err
	}
	total := len(metadata)
	for _, o := range objects {
		n := int(o.Sizes[l.size].Load())
		total += 1 + uvarintLength(n) + n
	}
	gvk := l.empty.GetObjectKind().GroupVersionKind()
	envelope := runtime.Unknown{TypeMeta: runtime.TypeMeta{Kind: gvk.Kind, APIVersion: gvk.GroupVersion().String()}}
	b := bytes.NewBufferString("k8s\x00")
	var at int
	_, err = envelope.MarshalToWriter(b, total, func(io.Writer) (int, error) { at = b.Len(); return total, nil })
	f := listForm{head: b.Bytes()[:at:at], tail: b.Bytes()[at:], item: l.appendProtobuf, makesGarbage: true}
	if l.itemsFirst {
		f.tail = append(metadata, f.tail...)
	} else {
		f.head = append(f.head, metadata...)
	}
	return f, err
}

// protobufMetadata is the metadata of a list as a field.
func (l typedList) protobufMetadata() ([]byte, error) {
	m, err := meta.ListAccessor(l.empty)
	if err != nil {
		return nil, err
	}
	lm := metav1.ListMeta{ResourceVersion: m.GetResourceVersion(), Continue: m.GetContinue(), RemainingItemCount: m.GetRemainingItemCount()}
	text, err := lm.Marshal()
	tag, _ := l.protobufTags()
	return append(binary.AppendUvarint([]byte{tag}, uint64(len(text))), text...), err
}

// appendProtobuf appends an object as an item. It must have the size that was measured: the client counts on it.
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
	_, tag := l.protobufTags()
	dst = binary.AppendUvarint(append(dst, tag), uint64(told))
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
