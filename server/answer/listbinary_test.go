package answer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/randfill"

	"kubarium/codecs"
	"kubarium/flow"
	"kubarium/server/budget"
	"kubarium/server/cache"
	"kubarium/server/catalogue"
	"kubarium/server/kinds"
	"kubarium/server/objects"
	"kubarium/server/registry"
	"kubarium/server/storage"
)

// closing makes a writer of a list's form of a buffer.
type closing struct{ *bytes.Buffer }

func (closing) Close() error { return nil }

// typedViews are the forms of lists that are made of typed objects.
var typedViews = []codecs.Media{
	{Codec: codecs.CBOR},
	{Codec: codecs.Protobuf},
	{Codec: codecs.CBOR, As: "PartialObjectMetadataList", Group: "meta.k8s.io", Version: "v1"},
	{Codec: codecs.Protobuf, As: "PartialObjectMetadataList", Group: "meta.k8s.io", Version: "v1"},
	{Codec: codecs.Protobuf, As: "PartialObjectMetadataList", Group: "meta.k8s.io", Version: "v1beta1"},
}

// mustStored is an object as a cache would hold it.
func mustStored(t *testing.T, k *kinds.Kind, obj runtime.Object, revision int) *cache.Object {
	t.Helper()
	m := obj.(metav1.Object)
	m.SetResourceVersion("")
	obj.GetObjectKind().SetGroupVersionKind(k.Stored().GroupVersionKind)
	var b bytes.Buffer
	if err := codecs.JSON.Encode(&b, obj, false); err != nil {
		t.Fatal(err)
	}
	key := storage.NewKey(k.StorageResource(), m.GetNamespace(), m.GetName())
	return &cache.Object{Key: key, Revision: storage.Revision(revision), Value: bytes.TrimSpace(b.Bytes())}
}

// mustPieces writes a list item by item.
func mustPieces(t *testing.T, c *Client, a *Answer) string {
	t.Helper()
	f, err := c.listForm(a)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := f.write(t.Context(), budget.New(), closing{&got}, a.List.Objects); err != nil {
		t.Fatal(err)
	}
	return got.String()
}

// sameText compares a list that is written item by item in a form of text with one made whole.
func sameText(t *testing.T, what string, k *kinds.Kind, l *registry.List) {
	t.Helper()
	for _, media := range []codecs.Media{{Codec: codecs.JSON}, {Codec: codecs.JSON, Pretty: true}, {Codec: codecs.YAML}} {
		for _, as := range []string{"", "Table", "PartialObjectMetadataList"} {
			media.As, media.Group, media.Version = as, "meta.k8s.io", "v1"
			c, a := &Client{Request: new(http.Request), Media: media}, &Answer{List: l, Kind: k}
			want, _, err := c.encode(a)
			if err != nil {
				t.Fatal(what, media, err)
			}
			if got := mustPieces(t, c, a); got != string(want) {
				t.Errorf("%s, %v: %d bytes\n%.200q\nwant %d\n%.200q", what, media, len(got), got, len(want), want)
			}
		}
	}
}

// sameTyped compares a list that is written item by item, first and again when all sizes are known, with one made whole.
func sameTyped(t *testing.T, what string, k *kinds.Kind, l *registry.List) {
	t.Helper()
	for _, media := range typedViews {
		r, err := http.NewRequestWithContext(t.Context(), "GET", "/", nil)
		if err != nil {
			t.Fatal(err)
		}
		c, a := &Client{Request: r, Media: media}, &Answer{List: l, Kind: k}
		want, err := c.encodeTyped(a)
		if err != nil {
			t.Fatal(err)
		}
		for _, turn := range []string{"first", "again"} {
			if got := mustPieces(t, c, a); got != string(want) {
				t.Errorf("%s, %s %s, %s: %d bytes\n%.200q\nwant %d\n%.200q", what, media.Codec.Name, media.As, turn, len(got), got, len(want), want)
			}
		}
	}
}

// A list in CBOR or Protobuf that is written item by item has the bytes of one that is made whole, of any length.
func TestListForm_typed(t *testing.T) {
	k := catalogue.New(kinds.BuiltIn()...).Kind(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"})
	remaining := int64(7)
	for _, n := range []int{0, 1, 23, 24, 255, 256, 66000} {
		l := &registry.List{Revision: 12345, Continue: strings.Repeat("t", n%100), Remaining: &remaining}
		for i := range n {
			m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("c%d", i), Namespace: "default", UID: "u"}}
			if i%2 == 0 {
				m.Data, m.BinaryData = map[string]string{"items": strings.Repeat("x", i%300)}, map[string][]byte{"b": {0, 1, 255}}
			}
			l.Objects = append(l.Objects, mustStored(t, k, m, i+1))
		}
		sameTyped(t, fmt.Sprintf("%d objects", n), k, l)
	}
}

// embedded fills objects within objects with one.
func embedded(serializer.CodecFactory) []any {
	return []any{
		func(r *runtime.RawExtension, c randfill.Continue) {
			r.Raw = mustJSON(map[string]any{"apiVersion": "v1", "kind": "Any", "text": c.String(0), "whole": c.Int63(), "part": 0.5, "none": nil})
		},
		func(f *metav1.FieldsV1, c randfill.Continue) {
			f.Raw = mustJSON(map[string]any{"f:" + c.String(0): map[string]any{}, `k:{"port":80}`: map[string]any{".": map[string]any{}}})
		},
	}
}

// In every form, lists of every kind are those made whole, with whatever may stand in the objects; two rows that show the
// same object know its size each for itself.
func TestListForm_kinds(t *testing.T) {
	fill := fuzzer.FuzzerFor(fuzzer.MergeFuzzerFuncs(metafuzzer.Funcs, embedded), rand.NewSource(20260101), serializer.NewCodecFactory(codecs.Scheme()))
	lists := map[string]*registry.List{}
	for _, k := range kinds.BuiltIn() {
		stored := k.StorageResource()
		if lists[stored] == nil {
			l := &registry.List{Revision: 12345}
			for i := range 10 {
				obj := k.Stored().New()
				if stored == "customresourcedefinitions.apiextensions.k8s.io" {
					obj.(metav1.Object).SetAnnotations(map[string]string{"k": "v"}) // a schema has no end
				} else {
					fill.Fill(obj)
				}
				m := obj.(metav1.Object)
				m.SetName(fmt.Sprintf("n%d", i)) // as validation lets them through
				m.SetGenerateName("")
				m.SetNamespace("default")
				m.SetUID("u")
				m.SetSelfLink("")
				l.Objects = append(l.Objects, mustStored(t, k, obj, i*1000+1))
			}
			lists[stored] = l
		}
		what := k.GroupVersion().String() + " " + k.Resource
		sameTyped(t, what, k, lists[stored])
		sameText(t, what, k, lists[stored])
		sameTyped(t, what+", empty", k, &registry.List{Revision: 1})
	}
}

// No two rows that keep sizes in the same place show the same object.
func TestTypedList_size(t *testing.T) {
	seen := map[string]string{}
	for _, k := range kinds.BuiltIn() {
		c := &Client{Media: codecs.Media{Codec: codecs.Protobuf}}
		l, err := c.typedList(&Answer{Kind: k, List: &registry.List{}})
		if err != nil {
			t.Fatal(err)
		}
		place := fmt.Sprint(k.StorageResource(), " ", l.size)
		if seen[place] != "" {
			t.Errorf("%s and %s both keep their sizes at %s", seen[place], k.GroupVersion(), place)
		}
		seen[place] = k.GroupVersion().String()
	}
}

// An object that turns out to have another size than was told does not get out, and is measured anew.
func TestListForm_wrongSize(t *testing.T) {
	k := catalogue.New(kinds.BuiltIn()...).Kind(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"})
	l := &registry.List{Revision: 1}
	for i := range 3 {
		l.Objects = append(l.Objects, mustStored(t, k, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("c", i)}}, i+1))
	}
	for _, wrong := range []int32{-1, +1} {
		c := &Client{Request: new(http.Request), Media: codecs.Media{Codec: codecs.Protobuf}}
		a := &Answer{List: l, Kind: k}
		want := mustPieces(t, c, a)
		l.Objects[1].Sizes[objects.SizeStored].Add(wrong)
		f, err := c.listForm(a)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		var broken itemError
		if err := f.write(t.Context(), budget.New(), closing{&b}, l.Objects); !errors.As(err, &broken) || b.Len() > 0 {
			t.Errorf("%+d: %v, and %d bytes", wrong, err, b.Len())
		}
		if got := mustPieces(t, c, a); got != want {
			t.Errorf("%+d: afterwards %q, want %q", wrong, got, want)
		}
	}
}

// A list that turns out to be wrong when a part of it is out ends in the middle, so that nobody takes it for a whole one.
func TestWriter_Respond_wrongSize(t *testing.T) {
	k := catalogue.New(kinds.BuiltIn()...).Kind(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"})
	l := &registry.List{Revision: 1}
	for i := range 4 {
		data := map[string]string{"k": strings.Repeat("x", longList/2)}
		l.Objects = append(l.Objects, mustStored(t, k, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("c", i)}, Data: data}, i+1))
	}
	log := flow.NewLog(flow.Limits{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f := log.Begin(nil)
		c := &Client{Request: r, Media: codecs.Media{Codec: codecs.Protobuf}}
		(&Writer{Budget: budget.New()}).Respond(NewResponse(w, f), c, &Answer{List: l, Kind: k})
	}))
	defer server.Close()
	read := func() (int, error) {
		r, err := http.NewRequestWithContext(t.Context(), "GET", server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Encoding", "identity") // compressed, nothing would be out yet, and the client would ask again
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		return len(body), err
	}
	if n, err := read(); err != nil || n < 2*longList {
		t.Fatalf("%d bytes, %v", n, err)
	}
	l.Objects[3].Sizes[objects.SizeStored].Add(1)
	if n, err := read(); !errors.Is(err, io.ErrUnexpectedEOF) || n < longList {
		t.Errorf("with a wrong size: %d bytes, %v", n, err)
	}
	if n, err := read(); err != nil || n < 2*longList {
		t.Errorf("afterwards: %d bytes, %v", n, err)
	}
}

// What Index measures on the way is the size that the object has in a list.
func TestIndex_sizes(t *testing.T) {
	fill := fuzzer.FuzzerFor(metafuzzer.Funcs, rand.NewSource(20260101), serializer.NewCodecFactory(codecs.Scheme()))
	r := &registry.Registry{Catalogue: catalogue.New(kinds.BuiltIn()...)}
	measured := map[string]bool{}
	for _, k := range kinds.BuiltIn() {
		blank, err := k.Encode(k.NewInternal())
		if err != nil {
			t.Fatal(err)
		}
		if looked, _, err := k.Look(blank); k.StoredAs != nil || looked == nil || err != nil {
			continue // nothing of it is read for selectors
		}
		for i := range 20 {
			obj := k.New()
			fill.Fill(obj)
			obj = mustKept(t, k, obj)
			o := mustStored(t, k, obj, i*i*i)
			x := r.Index(o.Key.Resource, o.Record(), nil)
			item, err := typedItem(&Answer{Kind: k}, o)
			if err != nil || x.Err != nil {
				t.Fatal(err, x.Err)
			}
			if n := item.(sized).Size(); int(x.Sizes[objects.SizeStored]) != n {
				t.Errorf("%s: %d bytes, want %d", k.StorageResource(), x.Sizes[objects.SizeStored], n)
			}
		}
		measured[k.StorageResource()] = true
	}
	if !measured["pods"] || !measured["events"] {
		t.Errorf("measured are %v", measured)
	}
}

// An object that cannot be made is told before the first byte, and the first of several in the order of the list.
func TestListForm_unmade(t *testing.T) {
	k := catalogue.New(kinds.BuiltIn()...).Kind(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"})
	l := &registry.List{Revision: 1}
	for i := range 1000 {
		o := mustStored(t, k, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("c", i)}}, i+1)
		if i == 300 || i == 900 {
			o.Value = []byte(`{"metadata":{"name":"x"},"data":7}`)
		}
		l.Objects = append(l.Objects, o)
	}
	c := &Client{Request: new(http.Request), Media: codecs.Media{Codec: codecs.Protobuf}}
	if _, err := c.listForm(&Answer{List: l, Kind: k}); err == nil || !strings.Contains(err.Error(), "revision=301:") {
		t.Errorf("%v", err)
	}
}

// What is long is told by its bytes, whatever the number of objects.
func TestClient_streamsTyped(t *testing.T) {
	list := func(n, size int) *registry.List {
		l := &registry.List{}
		for range n {
			l.Objects = append(l.Objects, &cache.Object{Value: make([]byte, size)})
		}
		return l
	}
	for _, test := range []struct {
		l     *registry.List
		media codecs.Media
		want  bool
	}{
		{list(0, 0), typedViews[0], false},
		{list(1, longList-1), typedViews[0], false},
		{list(1, longList), typedViews[0], true},
		{list(1024, 1024), typedViews[1], true},
		{list(2, longList), typedViews[3], true},
		{list(2, longList), codecs.Media{Codec: codecs.Protobuf, As: "PartialObjectMetadata"}, false},
		{list(2, longList), codecs.Media{Codec: codecs.JSON}, false},
	} {
		c := &Client{Media: test.media}
		if got := c.streamsTyped(&Answer{List: test.l}); got != test.want {
			t.Errorf("%d objects, %v: %v", len(test.l.Objects), test.media, got)
		}
	}
}

// mustKept is an object as one that was written: in the stored version, by way of the internal form.
func mustKept(t *testing.T, k *kinds.Kind, obj runtime.Object) runtime.Object {
	t.Helper()
	internal, err := k.Internal(obj)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := k.Served(internal)
	if err != nil {
		t.Fatal(err)
	}
	return kept
}
