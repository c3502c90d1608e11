package answer

import (
	"bytes"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/codecs"
	"kubarium/server/cache"
	"kubarium/server/kinds"
	"kubarium/server/objects"
	"kubarium/server/registry"
)

// listForm is the form of a list that was negotiated: of typed objects, or compact JSON, rewritten for people or as
// YAML item by item.
func (c *Client) listForm(a *Answer) (listForm, error) {
	if !c.Media.Codec.IsText() {
		return typedForm(c, a)
	}
	f, err := c.compactForm(a)
	switch {
	case err != nil:
		return f, err
	case c.Media.Codec == codecs.YAML:
		return yamlForm(f)
	case c.Media.Pretty:
		return prettyForm(f)
	}
	f.tail = append(f.tail, '\n')
	return f, nil
}

// typedForm is a list in an encoding of typed objects.
func typedForm(c *Client, a *Answer) (listForm, error) {
	l, err := c.typedList(a)
	switch {
	case err != nil:
		return listForm{}, err
	case c.Media.Codec == codecs.CBOR:
		return cborForm(l, len(a.List.Objects))
	}
	return protobufForm(c.Context(), l, a.List.Objects)
}

// compactForm is a list in compact JSON: of objects, of their metadata, or of rows.
func (c *Client) compactForm(a *Answer) (listForm, error) {
	version := c.Media.Group + "/" + c.Media.Version
	switch c.Media.As {
	case "Table":
		return c.rowsForm(a, version)
	case "PartialObjectMetadataList":
		return metadataForm(a, version), nil
	}
	f := listForm{apart: ",", item: func(dst []byte, o *cache.Object) ([]byte, error) { return appendItem(dst, a.Kind, o) }}
	f.head, f.tail = listEnds(a.Kind, a.List)
	return f, nil
}

// metadataForm is a list of objects' metadata.
func metadataForm(a *Answer, version string) listForm {
	l := metav1.PartialObjectMetadataList{ListMeta: listMeta(a.List), Items: []metav1.PartialObjectMetadata{}}
	l.TypeMeta = metav1.TypeMeta{Kind: "PartialObjectMetadataList", APIVersion: version}
	f := emptied(mustJSON(l))
	f.makesGarbage = true
	f.item = func(dst []byte, o *cache.Object) ([]byte, error) {
		p, err := metadataOf(a.Kind, o.Record(), version)
		if err != nil {
			return dst, err
		}
		return appendJSON(dst, p)
	}
	return f
}

// rowsForm is a list as a Table.
func (c *Client) rowsForm(a *Answer, version string) (listForm, error) {
	o, err := c.TableOptions()
	if err != nil {
		return listForm{}, err
	}
	t := newTable(a.Kind, listMeta(a.List), version)
	t.Rows = []metav1.TableRow{}
	f := emptied(mustJSON(t))
	f.makesGarbage = true
	f.item = func(dst []byte, cached *cache.Object) ([]byte, error) {
		if err := c.Context().Err(); err != nil { // the columns of an object may take a tenth of a second
			return dst, err
		}
		obj, err := objects.Decode(a.Kind, cached.Record())
		if err != nil {
			return dst, err
		}
		row, err := tableRow(a.Kind, obj, o.IncludeObject, version)
		if err != nil {
			return dst, err
		}
		return appendJSON(dst, row)
	}
	return f, nil
}

// emptied makes a form of the JSON of an empty list, whose items come last.
func emptied(text []byte) listForm {
	at := len(text) - len("]}")
	return listForm{head: text[:at:at], tail: []byte("]}"), apart: ","}
}

func appendJSON(dst []byte, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	return append(dst, text...), err
}

// prettyForm indents a form. An item is two levels deep.
func prettyForm(f listForm) (listForm, error) {
	const level = "    "
	var b bytes.Buffer
	if err := json.Indent(&b, f.around("0"), "", "  "); err != nil {
		return f, err
	}
	pretty, err := cutAround(b.Bytes(), "\n"+level+"0", ",\n"+level)
	pretty.head, pretty.makesGarbage = append(pretty.head, "\n"+level...), f.makesGarbage
	var compact []byte
	pretty.item = func(dst []byte, o *cache.Object) ([]byte, error) {
		var err error
		if compact, err = f.item(compact[:0], o); err != nil {
			return dst, err
		}
		b := bytes.NewBuffer(dst)
		err = json.Indent(b, compact, level, "  ")
		return b.Bytes(), err
	}
	return pretty, err
}

// yamlForm rewrites a form as YAML, in which each item begins a line of its own.
func yamlForm(f listForm) (listForm, error) {
	text, err := codecs.YAMLFromJSON(f.around("0"))
	if err != nil {
		return f, err
	}
	y, err := cutAround(text, "\n- 0\n", "")
	y.head, y.makesGarbage = append(y.head, '\n'), true
	var compact []byte
	y.item = func(dst []byte, o *cache.Object) ([]byte, error) {
		var err error
		if compact, err = f.item(append(compact[:0], '['), o); err != nil {
			return dst, err
		}
		text, err := codecs.YAMLFromJSON(append(compact, ']'))
		return append(dst, text...), err
	}
	return y, err
}

// around is the list with one item.
func (f listForm) around(item string) []byte {
	return append(append(append([]byte(nil), f.head...), item...), f.tail...)
}

// cutAround makes a form of a list that was rewritten with one item, which reads as item says.
func cutAround(list []byte, item, apart string) (listForm, error) {
	head, tail, found := bytes.Cut(list, []byte(item))
	if !found {
		return listForm{}, fmt.Errorf("no item in the list %s", list)
	}
	return listForm{head: head[:len(head):len(head)], tail: tail, apart: apart}, nil
}

// listEnds are what a list has before its first item and after its last.
func listEnds(k *kinds.Kind, l *registry.List) (head, tail []byte) {
	gvk := k.ListGroupVersionKind()
	if k.Dynamic { // the members of an unstructured list come in the order of their names
		head = fmt.Appendf(nil, `{"apiVersion":"%s","items":[`, gvk.GroupVersion())
		return head, fmt.Appendf(nil, `],"kind":"%s","metadata":%s}`, gvk.Kind, unstructuredListMeta(l))
	}
	head = fmt.Appendf(nil, `{"kind":"%s","apiVersion":"%s","metadata":`, gvk.Kind, gvk.GroupVersion())
	return append(append(head, mustJSON(listMeta(l))...), `,"items":[`...), []byte("]}")
}

// unstructuredListMeta is the metadata of a list of custom resources, which has continue even when it is empty.
func unstructuredListMeta(l *registry.List) []byte {
	m := map[string]any{"continue": l.Continue, "resourceVersion": objects.FormatRevision(l.Revision)}
	if l.Remaining != nil {
		m["remainingItemCount"] = *l.Remaining
	}
	return mustJSON(m)
}

// appendItem splices an object into a list. Items of built-in kinds carry neither kind nor apiVersion.
func appendItem(b []byte, k *kinds.Kind, o *cache.Object) ([]byte, error) {
	value, place, err := objects.Served(k, o)
	if err != nil {
		return b, err
	}
	var digits [20]byte
	version := objects.AppendRevision(digits[:0], o.Revision)
	if k.Dynamic {
		return codecs.Stamp(b, value, place, version), nil
	}
	return codecs.StampItem(b, value, place, version), nil
}

// encodeList is a list in one piece, for callers that need it whole.
func encodeList(k *kinds.Kind, l *registry.List) ([]byte, error) {
	size := 256
	for _, o := range l.Objects {
		size += len(o.Value) + 32
	}
	head, tail := listEnds(k, l)
	b := append(make([]byte, 0, size), head...)
	var err error
	for i, o := range l.Objects {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendItem(b, k, o); err != nil {
			return nil, err
		}
	}
	return append(b, tail...), nil
}
