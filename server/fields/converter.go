package fields

import (
	"fmt"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"kubarium/server/openapi"
)

// A Converter turns objects of the built-in kinds into typed values and back. It is safe for concurrent use, and costs
// nothing for a kind until that kind is first converted. It fulfils managedfields.TypeConverter.
type Converter struct {
	scheme *runtime.Scheme
	back   managedfields.TypeConverter
	kinds  sync.Map // schema.GroupVersionKind → func() (managedfields.TypeConverter, error), which works once
}

var _ managedfields.TypeConverter = (*Converter)(nil)

// NewConverter returns a Converter for the kinds that scheme knows and package openapi publishes.
func NewConverter(scheme *runtime.Scheme) *Converter {
	// The way back needs no schema, so the deduced converter does it for all kinds.
	return &Converter{scheme: scheme, back: managedfields.NewDeducedTypeConverter()}
}

// ObjectToTyped returns obj as a typed value. obj must state its kind; one without a published schema is an error that
// runtime.IsNotRegisteredError recognises, which makes the field manager drop entries of versions no longer served.
func (c *Converter) ObjectToTyped(obj runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	converter, err := c.Kind(obj.GetObjectKind().GroupVersionKind())
	if err != nil {
		return nil, err
	}
	return converter.ObjectToTyped(obj, opts...)
}

// Of returns the converter of the core group, or of all others. kube-apiserver has two, one for each prefix of its
// paths, so that a manager's entry of a version with the other prefix means nothing.
func (c *Converter) Of(core bool) managedfields.TypeConverter { return prefixConverter{c, core} }

type prefixConverter struct {
	*Converter
	core bool
}

// ObjectToTyped fulfils managedfields.TypeConverter.
func (c prefixConverter) ObjectToTyped(obj runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	gvk := obj.GetObjectKind().GroupVersionKind()
	if (gvk.Group == "") != c.core {
		return nil, runtime.NewNotRegisteredErrForKind(c.scheme.Name(), gvk)
	}
	return c.Converter.ObjectToTyped(obj, opts...)
}

// TypedToObject returns value as an unstructured object.
func (c *Converter) TypedToObject(value *typed.TypedValue) (runtime.Object, error) {
	return c.back.TypedToObject(value)
}

// Kind returns the converter of one kind, made on the first call.
func (c *Converter) Kind(gvk schema.GroupVersionKind) (managedfields.TypeConverter, error) {
	if !c.scheme.Recognizes(gvk) {
		return nil, runtime.NewNotRegisteredErrForKind(c.scheme.Name(), gvk)
	}
	made, ok := c.kinds.Load(gvk)
	if !ok {
		made, _ = c.kinds.LoadOrStore(gvk, sync.OnceValues(func() (managedfields.TypeConverter, error) {
			return c.read(gvk)
		}))
	}
	return made.(func() (managedfields.TypeConverter, error))()
}

func (c *Converter) read(gvk schema.GroupVersionKind) (managedfields.TypeConverter, error) {
	name, err := c.scheme.ToOpenAPIDefinitionName(gvk)
	if err != nil {
		return nil, fmt.Errorf("name the schema of %s: %w", gvk, err)
	}
	schemas, err := openapi.Types(name)
	if err != nil {
		return nil, fmt.Errorf("read the schema of %s: %w", gvk, err)
	}
	checking, err := managedfields.NewTypeConverter(schemas, false)
	if err != nil {
		return nil, err
	}
	return c.trust(checking, gvk)
}

// trust makes a converter that does not check objects of the kind's own Go type.
func (c *Converter) trust(checking managedfields.TypeConverter, gvk schema.GroupVersionKind) (managedfields.TypeConverter, error) {
	blank, err := c.scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	blank.GetObjectKind().SetGroupVersionKind(gvk)
	known, err := checking.ObjectToTyped(blank, typed.AllowDuplicates)
	if err != nil {
		return nil, fmt.Errorf("type %s: %w", gvk, err)
	}
	return &trusting{TypeConverter: checking, schema: known.Schema(), ref: known.TypeRef()}, nil
}

// trusting is a converter that takes objects of Go types as they are: the schema was made of those types, and to check
// every object by it once more is half of the cost of an update's owners. An error that a Go type allows and the schema
// does not, such as an item of a list without any of its keys, is found when the object is compared. Configurations, in
// which duplicates are not allowed, and unstructured objects are checked.
type trusting struct {
	managedfields.TypeConverter
	schema *smd.Schema
	ref    smd.TypeRef
}

func (t *trusting) ObjectToTyped(obj runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	if _, ok := obj.(runtime.Unstructured); ok || !slices.Contains(opts, typed.AllowDuplicates) {
		return t.TypeConverter.ObjectToTyped(obj, opts...)
	}
	v, err := value.NewValueReflect(obj)
	if err != nil {
		return nil, err
	}
	//lint:ignore SA1019 the other way checks
	return typed.AsTypedUnvalidated(v, t.schema, t.ref), nil
}
