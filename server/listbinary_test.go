package server

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/codecs"
	"kubarium/server/cache"
	"kubarium/server/kinds"
	"kubarium/server/registry"
	"kubarium/server/storage"
)

// closing makes a writer of a list's form of a buffer.
type closing struct{ *bytes.Buffer }

func (closing) Close() error { return nil }

// A list in CBOR or Protobuf that is written item by item has the bytes of one that is made whole.
func TestListForm_typed(t *testing.T) {
	k := registry.NewCatalogue(kinds.BuiltIn()...).Kind(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"})
	remaining := int64(7)
	for _, n := range []int{1, 23, 24, 255, 256, 66000} {
		l := &registry.List{Revision: 12345, Continue: strings.Repeat("t", n%100), Remaining: &remaining}
		for i := range n {
			m := &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{Kind: "ConfigMap", APIVersion: "v1"}, ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("c%d", i), Namespace: "default", UID: "u"}}
			if i%2 == 0 {
				m.Data, m.BinaryData = map[string]string{"items": strings.Repeat("x", i%300)}, map[string][]byte{"b": {0, 1, 255}}
			}
			var b bytes.Buffer
			if err := codecs.JSON.Encode(&b, m, false); err != nil {
				t.Fatal(err)
			}
			l.Objects = append(l.Objects, &cache.Object{Key: storage.Key{Resource: "configmaps", Name: "default/" + m.Name}, Revision: storage.Revision(i + 1), Value: bytes.TrimSpace(b.Bytes())})
		}
		for _, c := range []*codecs.Codec{codecs.CBOR, codecs.Protobuf} {
			q := &Request{Media: codecs.Media{Codec: c}}
			a := &answer{list: l, kind: k}
			s := &Server{}
			want, err := s.encodeTyped(q, a)
			if err != nil {
				t.Fatal(err)
			}
			f, err := s.listForm(q, a)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := f.write(closing{&got}, l.Objects); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("%s, %d objects: %d bytes\n%.200q\nwant %d\n%.200q", c.Name, n, got.Len(), got.Bytes(), len(want), want)
			}
			if q.streamsTyped(a) != (n >= manyObjects) {
				t.Errorf("%s, %d objects: item by item %v", c.Name, n, q.streamsTyped(a))
			}
		}
	}
}
