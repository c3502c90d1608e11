package answer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	metav1beta1 "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"

	"kubarium/codecs"
	"kubarium/server/kinds"
	"kubarium/server/objects"
	"kubarium/server/storage"
)

// View is an answer as a Table, or as metadata alone (API Concepts, "Receiving resources as Tables" and "Metadata-only
// fetches").
func (c *Client) View(a *Answer) (runtime.Object, error) {
	version := c.Media.Group + "/" + c.Media.Version
	switch {
	case c.Media.As == "Table":
		objects, listMeta, err := decodeAnswer(c.Context(), a, objects.Decode)
		if err != nil {
			return nil, err
		}
		return c.Table(a.Kind, objects, listMeta, version)
	case c.Media.As == "PartialObjectMetadata" && a.Record != nil:
		return metadataOf(a.Kind, *a.Record, version)
	case c.Media.As == "PartialObjectMetadataList" && a.List != nil:
		return partialList(a, version)
	case a.List != nil:
		return nil, notAcceptable(fmt.Sprintf("you requested PartialObjectMetadata, but the requested object is a list (%T)", internalType(a.Kind.ListGroupVersionKind(), a.Kind.NewList())))
	}
	return nil, NotList(a.Kind)
}

// NotList refuses a single object in the form that is for lists. A custom resource is refused in other words: its Go
// type is one of lists, too.
func NotList(k *kinds.Kind) error {
	if k.Dynamic {
		return errors.New("content is not a list")
	}
	return NotListOf(internalType(k.GroupVersionKind, k.New()))
}

// NotListOf is the same for an object whose type kube-apiserver names.
func NotListOf(obj runtime.Object) error {
	return notAcceptable(fmt.Sprintf("you requested PartialObjectMetadataList, but the requested object is not a list (%T)", obj))
}

func notAcceptable(message string) error {
	return StatusError(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable, message)
}

// Unstored is the answer that shows an object which is made for it and not stored, such as a review: whole, or its
// metadata alone. A Status has no metadata that could be shown.
func (c *Client) Unstored(obj runtime.Object) (*Answer, error) {
	if _, ok := obj.(metav1.Object); !ok || c.Media.As == "" {
		return &Answer{Object: obj}, nil
	}
	p, err := c.Metadata(obj)
	return &Answer{Object: p}, err
}

// Metadata is the metadata alone of one object. An object that has none is refused.
func (c *Client) Metadata(obj runtime.Object) (runtime.Object, error) {
	if c.Media.As == "PartialObjectMetadata" {
		return Partial(obj, c.Media.Group+"/"+c.Media.Version)
	}
	return nil, NotListOf(internalType(obj.GetObjectKind().GroupVersionKind(), obj))
}

// internalType is an object of the internal type that messages of kube-apiserver name, or the served one where there
// is none.
func internalType(of schema.GroupVersionKind, served runtime.Object) runtime.Object {
	if obj, err := kinds.Internal(of); err == nil {
		return obj
	}
	return served
}

// decodeAnswer makes objects of an answer's records: objects.Decode or objects.DecodeServed.
func decodeAnswer(ctx context.Context, a *Answer, decode func(*kinds.Kind, storage.Record) (runtime.Object, error)) ([]runtime.Object, metav1.ListMeta, error) {
	if a.Record != nil {
		obj, err := decode(a.Kind, *a.Record)
		if err != nil {
			return nil, metav1.ListMeta{}, err
		}
		return []runtime.Object{obj}, metav1.ListMeta{ResourceVersion: objects.FormatRevision(a.Record.Revision)}, nil
	}
	objects := make([]runtime.Object, len(a.List.Objects))
	for i, o := range a.List.Objects {
		if err := ctx.Err(); err != nil {
			return nil, metav1.ListMeta{}, err
		}
		obj, err := decode(a.Kind, o.Record())
		if err != nil {
			return nil, metav1.ListMeta{}, err
		}
		objects[i] = obj
	}
	return objects, listMeta(a.List), nil
}

// Partial is an object's metadata alone, in a version of meta.k8s.io.
func Partial(obj runtime.Object, version string) (*metav1.PartialObjectMetadata, error) {
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil, err
	}
	p := meta.AsPartialObjectMetadata(m)
	p.TypeMeta = metav1.TypeMeta{Kind: "PartialObjectMetadata", APIVersion: version}
	return p, nil
}

// metadataOf is a stored object's metadata alone. The rest of the object is not read, unless the metadata is malformed,
// which reading the object by its kind may mend, or a webhook converts it, which may change labels and annotations.
func metadataOf(k *kinds.Kind, rec storage.Record, version string) (*metav1.PartialObjectMetadata, error) {
	p := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "PartialObjectMetadata", APIVersion: version}}
	if !k.Remote && kjson.UnmarshalCaseSensitivePreserveInts(codecs.Member(rec.Value, "metadata"), &p.ObjectMeta) == nil {
		p.ResourceVersion = objects.FormatRevision(rec.Revision)
		delete(p.Annotations, k.Hidden)
		return p, nil
	}
	obj, err := objects.DecodeServed(k, rec)
	if err != nil {
		return nil, err
	}
	return Partial(obj, version)
}

func partialList(a *Answer, version string) (runtime.Object, error) {
	l := &metav1.PartialObjectMetadataList{ListMeta: listMeta(a.List)} // of nothing, its items are null, as in kube-apiserver
	l.TypeMeta = metav1.TypeMeta{Kind: "PartialObjectMetadataList", APIVersion: version}
	for _, o := range a.List.Objects {
		p, err := metadataOf(a.Kind, o.Record(), version)
		if err != nil {
			return nil, err
		}
		l.Items = append(l.Items, *p)
	}
	if version == metav1beta1.SchemeGroupVersion.String() {
		return &metav1beta1.PartialObjectMetadataList{TypeMeta: l.TypeMeta, ListMeta: l.ListMeta, Items: l.Items}, nil
	}
	return l, nil
}

// TableOptions reads includeObject.
func (c *Client) TableOptions() (metav1.TableOptions, error) {
	var o metav1.TableOptions
	if err := c.Parameters(&o); err != nil {
		return o, err
	}
	if errs := validation.ValidateTableOptions(&o); len(errs) > 0 {
		return o, apierrors.NewBadRequest("Unable to convert to Table as requested: " + errs.ToAggregate().Error())
	}
	return o, nil
}

func (c *Client) Table(k *kinds.Kind, objects []runtime.Object, lm metav1.ListMeta, version string) (runtime.Object, error) {
	o, err := c.TableOptions()
	if err != nil {
		return nil, err
	}
	t := newTable(k, lm, version)
	for _, obj := range objects {
		if err := c.Context().Err(); err != nil {
			return nil, err
		}
		row, err := tableRow(k, obj, o.IncludeObject, version)
		if err != nil {
			return nil, err
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// tableRow is the row of one object in its internal form.
func tableRow(k *kinds.Kind, obj runtime.Object, include metav1.IncludeObjectPolicy, version string) (metav1.TableRow, error) {
	row, err := k.Printer.Row(obj)
	if err != nil {
		return row, err
	}
	row.Object.Raw, err = rowObject(k, obj, include, version)
	return row, err
}

// rowObject is what a row carries of its object: its metadata unless asked otherwise. The bookmark that ends the
// initial events carries it in any case, for it says so in an annotation.
func rowObject(k *kinds.Kind, obj runtime.Object, include metav1.IncludeObjectPolicy, version string) ([]byte, error) {
	switch {
	case include == metav1.IncludeNone && !endsInitial(obj):
		return nil, nil
	case include == metav1.IncludeObject:
		served, err := k.Served(obj)
		if err != nil {
			return nil, err
		}
		return json.Marshal(served)
	}
	p, err := Partial(obj, version)
	if err != nil {
		return nil, err
	}
	return json.Marshal(p)
}

func endsInitial(obj runtime.Object) bool {
	m, ok := obj.(metav1.Object)
	return ok && m.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true"
}

// newTable is a Table of a kind, without rows.
func newTable(k *kinds.Kind, lm metav1.ListMeta, version string) *metav1.Table {
	t := k.Printer.Empty()
	t.TypeMeta, t.ListMeta = metav1.TypeMeta{Kind: "Table", APIVersion: version}, lm
	return &t
}
