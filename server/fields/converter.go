// Package fields keeps metadata.managedFields: which manager owns which field of an object. It joins apimachinery's
// field manager to the published schemas, reading of them only what a kind refers to, when the kind is first written.
// It works on plain objects and knows neither requests nor the store.
package fields

import (
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

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
	return managedfields.NewTypeConverter(schemas, false)
}
