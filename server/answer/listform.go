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
)

// A listForm says how a list of at least one object is written piece by piece: head, the items with what parts them,
// tail. Together they are the very bytes that the list would be if it were made whole.
type listForm struct {
	head, tail []byte
	apart      string
	// item appends the object to dst.
	item func(dst []byte, o *cache.Object) ([]byte, error)
	// makesGarbage says that item leaves several times the object's size of garbage behind, as all do but those that splice.
	makesGarbage bool
	// outOfTurn says that item may ask a webhook, which may hang.
	outOfTurn bool
}

// listForm is the form of a list that was negotiated: of typed objects, or compact JSON, rewritten for people or as YAML
// item by item.
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

// prettyForm indents a form. An item stands two levels deep.
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

// newTable is a Table of a kind, without rows.
func newTable(k *kinds.Kind, lm metav1.ListMeta, version string) *metav1.Table {
	t := k.Printer.Empty()
	t.TypeMeta, t.ListMeta = metav1.TypeMeta{Kind: "Table", APIVersion: version}, lm
	return &t
}
