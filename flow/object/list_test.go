package object_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/flow/object"
)

func podList(n, pad int) *corev1.PodList {
	four := int64(4)
	list := &corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"},
		ListMeta: metav1.ListMeta{ResourceVersion: "90", Continue: "more", RemainingItemCount: &four}}
	for i := range n {
		p := pod(fmt.Sprint("p", i), 10+i)
		p.Annotations["pad"] = strings.Repeat(`"}],`, pad/4)
		list.Items = append(list.Items, *p)
	}
	return list
}

// read returns the head of a list and the names and versions of its items.
func read(from io.Reader) (object.ListHead, bool, []string) {
	var names []string
	head, ok := object.ReadList(from, func(head *object.ListHead, raw []byte) {
		if head.Kind == "Table" {
			raw = object.RowObject(raw)
		}
		id := object.IdentifyItem(raw)
		names = append(names, fmt.Sprint(id.Name, id.Version))
	})
	return head, ok, names
}

// A list says of itself and of its items what a decoder finds, and of a list that is cut what there is.
func TestReadList_cut(t *testing.T) {
	for form, b := range encoded(t, podList(3, 0)) {
		for cut := range len(b) + 1 {
			head, ok, names := read(bytes.NewReader(b[:cut]))
			if want := []string{"p010", "p111", "p212"}; !slices.Equal(names, want[:len(names)]) {
				t.Fatalf("form %d cut at %d: %v", form, cut, names)
			}
			if len(names) > 0 && (!ok || head.Version != 90 || head.Continue != "more" || head.Remaining != 4 || head.Kind != "PodList") {
				t.Fatalf("form %d cut at %d: %+v", form, cut, head)
			}
			if whole := form == 0 && bytes.HasSuffix(bytes.TrimSpace(b[:cut]), []byte("]}")) || form == 1 && len(names) == 3; head.Whole != whole {
				t.Errorf("form %d cut at %d: %v, whole %t", form, cut, names, head.Whole)
			}
			if cut == len(b) && len(names) != 3 {
				t.Errorf("form %d: only %v", form, names)
			}
		}
	}
}

// Lists as servers write them, and as they might.
func TestReadList(t *testing.T) {
	item := func(name string) string { return `{"metadata":{"name":"` + name + `","resourceVersion":"7"}}` }
	large := strings.Repeat(" ", 9<<20)
	onePod := string(encoded(t, pod("a", 1))[1])
	for name, c := range map[string]struct{ text, want string }{
		"spaces":                 {"\n { \"kind\" : \"PodList\" , \"metadata\" : { \"resourceVersion\" : \"9\" } , \"items\" : [ " + item("a") + " , " + item("b") + " ] } \n", "PodList 9 [a7 b7] whole"},
		"kind and version late":  {`{"items":[` + item("a") + `],"metadata":{"resourceVersion":"9"},"kind":"PodList"}`, "PodList 9 [a7] whole"},
		"none":                   {`{"kind":"PodList","items":[]}`, "PodList 0 [] whole"},
		"null":                   {`{"kind":"PodList","items":null}`, "PodList 0 [] whole"},
		"a Table":                {`{"kind":"Table","columnDefinitions":[{"name":"items"}],"rows":[{"cells":["x"],"object":` + item("a") + `}]}`, "Table 0 [a7] whole"},
		"a Table with late kind": {`{"rows":[{"cells":["x"],"object":` + item("a") + `}],"kind":"Table"}`, "Table 0 [a7] whole"},
		"text after it":          {`{"kind":"PodList","items":[` + item("a") + `]} garbage`, "PodList 0 [a7] whole"},
		"wrong between items":    {`{"kind":"PodList","items":[` + item("a") + `;` + item("b") + `]}`, "PodList 0 [a7]"},
		"a large item":           {`{"kind":"PodList","items":[` + item("a") + `,{"x":"` + large + `"},` + item("c") + `]}`, "PodList 0 [a7]"},
		"large spaces":           {`{"kind":"PodList","items":[` + item("a") + `,` + large + item("c") + `]}`, "PodList 0 [a7 c7] whole"},
		"an object":              {`{"kind":"Pod","metadata":{"name":"a"}}`, "no list"},
		"an object in Protobuf":  {onePod, "no list"},
		"no object":              {`[1]`, "no list"},
		"text":                   {"text", "no list"},
		"nothing":                {"", "no list"},
		"only the envelope":      {object.Envelope, "no list"},
		"an endless field":       {object.Envelope + "\x12" + strings.Repeat("\xff", 40), "no list"},
	} {
		head, ok, names := read(strings.NewReader(c.text))
		got := fmt.Sprintf("%s %d %v", head.Kind, head.Version, names)
		if head.Whole {
			got += " whole"
		}
		if !ok {
			got = "no list"
		}
		if got != c.want {
			t.Errorf("%s: %s, not %s", name, got, c.want)
		}
	}
}

// A long list costs memory for an item, and each of its items is there once.
func TestReadList_long(t *testing.T) {
	for form, b := range encoded(t, podList(400, 100_000)) {
		n := 0
		var from io.Reader = bytes.NewReader(b)
		got := testing.AllocsPerRun(1, func() {
			n = 0
			from.(*bytes.Reader).Seek(0, io.SeekStart)
			object.ReadList(from, func(*object.ListHead, []byte) { n++ })
		})
		if n != 400 || got > 40 {
			t.Errorf("form %d: %d items, %v allocations", form, n, got)
		}
	}
}

// FuzzReadList: in parts of any size a list is the same, and nothing that comes from a server makes it panic.
func FuzzReadList(f *testing.F) {
	for _, b := range encoded(f, podList(3, 8)) {
		f.Add(b, uint8(1))
		f.Add(b[:len(b)-9], uint8(7))
	}
	f.Add([]byte(`{"rows":[{"object":{"metadata":{"name":"a"}}},"x",7 ,null],"kind":"Table","metadata":{"remainingItemCount":3}}`), uint8(3))
	f.Add([]byte(`{"0":0"00}`), uint8(42))
	f.Add([]byte("k8s\x00\n\x062\x04List\x12\x04\x12\x00\x12\x00"), uint8(1)) // items of no bytes
	f.Fuzz(func(t *testing.T, b []byte, size uint8) {
		head, ok, names := read(bytes.NewReader(b))
		for _, from := range []io.Reader{parts{bytes.NewReader(b), int(size) + 1}, iotest.DataErrReader(iotest.OneByteReader(bytes.NewReader(b)))} {
			gotHead, gotOK, got := read(from)
			if gotHead != head || gotOK != ok || !slices.Equal(got, names) {
				t.Errorf("%q: %+v %t %v, in parts %+v %t %v", b, head, ok, names, gotHead, gotOK, got)
			}
		}
	})
}

// parts is a reader that gives at most so many bytes at once.
type parts struct {
	io.Reader
	size int
}

func (p parts) Read(b []byte) (int, error) { return p.Reader.Read(b[:min(p.size, len(b))]) }

func BenchmarkReadList(b *testing.B) {
	list := podList(500, 0)
	for i := range list.Items {
		c := corev1.Container{Name: "c", Image: "registry.example/app:v1", Args: []string{"--verbose", "--listen=:8080"}}
		for v := range 30 {
			c.Env = append(c.Env, corev1.EnvVar{Name: fmt.Sprint("VARIABLE_", v), Value: fmt.Sprint("value of it ", v)})
		}
		list.Items[i].Spec.Containers = []corev1.Container{c, c}
	}
	for form, text := range encoded(b, list) {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(text)
		_ = w.Close()
		for _, gzipped := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s gzip=%t", []string{"JSON", "Protobuf"}[form], gzipped), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					var from io.Reader = bytes.NewReader(text)
					if gzipped {
						from, _ = gzip.NewReader(bytes.NewReader(packed.Bytes()))
					}
					if _, _, names := read(parts{from, 32 << 10}); len(names) != 500 {
						b.Fatal(len(names))
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N)/(float64(len(text))/1e6), "ms/MB")
			})
		}
	}
}
