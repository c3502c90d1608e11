package answer

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1beta1 "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/codecs"
	"kubarium/server/cache"
	"kubarium/server/kinds"
	"kubarium/server/objects"
)

// A typedList is a list whose encoding is made of typed objects.
type typedList struct {
	empty runtime.Object // the list without its items
	// item makes an object as it is in the list.
	item func(o *cache.Object) (runtime.Object, error)
	kind *kinds.Kind
	size int // the place among an object's Sizes of what item makes of it
	// itemsFirst says that in Protobuf the fields metadata and items have each other's number.
	itemsFirst bool
}

// typedList is an answer's list: of objects, or of their metadata.
func (c *Client) typedList(a *Answer) (typedList, error) {
	if c.Media.As != "" {
		return metadataList(a, c.Media.Group+"/"+c.Media.Version), nil
	}
	empty, err := emptyList(a)
	l := typedList{empty: empty, kind: a.Kind, size: objects.SizeStored}
	if a.Kind.StoredAs != nil {
		l.size = objects.SizeConverted
	}
	l.item = func(o *cache.Object) (runtime.Object, error) { return typedItem(a, o) }
	return l, err
}

// metadataList is a list of objects' metadata, in a version of meta.k8s.io.
func metadataList(a *Answer, version string) typedList {
	empty := &metav1.PartialObjectMetadataList{ListMeta: listMeta(a.List)} // its items are null, as in kube-apiserver
	if len(a.List.Objects) > 0 {
		empty.Items = []metav1.PartialObjectMetadata{}
	}
	empty.TypeMeta = metav1.TypeMeta{Kind: "PartialObjectMetadataList", APIVersion: version}
	l := typedList{empty: empty, kind: a.Kind, size: objects.SizeMetadata, itemsFirst: version == metav1beta1.SchemeGroupVersion.String()}
	l.item = func(o *cache.Object) (runtime.Object, error) {
		return metadataOf(a.Kind, o.Record(), version)
	}
	return l
}

// typedItem is an object as an item of a list, where one of a built-in kind states no kind.
func typedItem(a *Answer, o *cache.Object) (runtime.Object, error) {
	obj, err := objects.DecodeServed(a.Kind, o.Record())
	if err == nil && !a.Kind.Dynamic {
		obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	return obj, err
}

// emptyList is an answer's list without its objects.
func emptyList(a *Answer) (runtime.Object, error) {
	list := a.Kind.NewList()
	list.GetObjectKind().SetGroupVersionKind(a.Kind.ListGroupVersionKind())
	m, err := meta.ListAccessor(list)
	if err != nil {
		return nil, err
	}
	lm := listMeta(a.List)
	m.SetResourceVersion(lm.ResourceVersion)
	m.SetContinue(lm.Continue)
	m.SetRemainingItemCount(lm.RemainingItemCount)
	return list, meta.SetList(list, nil)
}

// cborTag begins a text that marks itself as CBOR (RFC 8949, section 3.4.6); items within it have none.
const cborTag = "\xd9\xd9\xf7"

// cborForm is a list of n objects in CBOR: the empty list, with an array of the right length in the place of the
// empty one.
func cborForm(l typedList, n int) (listForm, error) {
	var b bytes.Buffer
	if err := codecs.CBOR.Encode(&b, l.empty, false); err != nil {
		return listForm{}, err
	}
	if n == 0 {
		return listForm{head: b.Bytes()}, nil
	}
	const items = "\x45items" // a byte string of five
	head, tail, found := bytes.Cut(b.Bytes(), []byte(items+"\x80"))
	if !found {
		return listForm{}, fmt.Errorf("no items in the list %x", b.Bytes())
	}
	f := listForm{head: appendLength(append(head[:len(head):len(head)], items...), n), tail: tail, makesGarbage: true}
	var text bytes.Buffer
	f.item = func(dst []byte, o *cache.Object) ([]byte, error) {
		obj, err := l.item(o)
		if err != nil {
			return dst, err
		}
		text.Reset()
		err = codecs.CBOR.Encode(&text, obj, false)
		return append(dst, bytes.TrimPrefix(text.Bytes(), []byte(cborTag))...), err
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
