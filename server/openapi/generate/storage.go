package main

import (
	"context"
	"errors"
	"net/http"

	metainternalversion "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/registry/rest"
)

// The installer learns from the methods of a storage which verbs a path has, and from New and NewList what they speak
// of. Nothing is ever asked of it, so the verbs themselves have nothing to do.

var errNoServer = errors.New("this storage only describes routes")

// plain is what all shapes have.
type plain struct {
	kind       schema.GroupVersionKind
	singular   string
	namespaced bool
}

func (p plain) New() runtime.Object { return mustNew(p.kind) }

func (p plain) Destroy() {}

func (p plain) NamespaceScoped() bool { return p.namespaced }

func (p plain) GetSingularName() string { return p.singular }

func (p plain) GroupVersionKind(schema.GroupVersion) schema.GroupVersionKind { return p.kind }

func mustNew(kind schema.GroupVersionKind) runtime.Object {
	obj, err := scheme.New(kind)
	if err != nil {
		panic(err)
	}
	return obj
}

func mustNewList(kind schema.GroupVersionKind) runtime.Object {
	return mustNew(kind.GroupVersion().WithKind(kind.Kind + "List"))
}

// maker can be created and no more: reviews, bindings, evictions.
type maker struct{ plain }

func (maker) Create(context.Context, runtime.Object, rest.ValidateObjectFunc, *metav1.CreateOptions) (runtime.Object, error) {
	return nil, errNoServer
}

// namedMaker is one behind a named object.
type namedMaker struct{ plain }

func (namedMaker) Create(context.Context, string, runtime.Object, rest.ValidateObjectFunc, *metav1.CreateOptions) (runtime.Object, error) {
	return nil, errNoServer
}

// view can be read, updated and patched: a subresource.
type view struct{ target }

func (view) Get(context.Context, string, *metav1.GetOptions) (runtime.Object, error) {
	return nil, errNoServer
}

// target can be updated and no more.
type target struct{ plain }

func (target) Update(context.Context, string, rest.UpdatedObjectInfo, rest.ValidateObjectFunc, rest.ValidateObjectUpdateFunc, bool, *metav1.UpdateOptions) (runtime.Object, bool, error) {
	return nil, false, errNoServer
}

// reader can be listed and read and no more.
type reader struct {
	plain
	rest.TableConvertor
}

func (reader) Get(context.Context, string, *metav1.GetOptions) (runtime.Object, error) {
	return nil, errNoServer
}

func (r reader) NewList() runtime.Object { return mustNewList(r.kind) }

func (reader) List(context.Context, *metainternalversion.ListOptions) (runtime.Object, error) {
	return nil, errNoServer
}

// connector hands a connection on.
type connector struct {
	plain
	subresource
}

func (connector) Connect(context.Context, string, runtime.Object, rest.Responder) (http.Handler, error) {
	return nil, errNoServer
}

func (c connector) NewConnectOptions() (options runtime.Object, below bool, parameter string) {
	if c.below {
		return c.New(), true, "path"
	}
	return c.New(), false, ""
}

func (c connector) ConnectMethods() []string { return c.methods }

// log is what a container wrote.
type log struct{ plain }

func (log) Get(context.Context, string, runtime.Object) (runtime.Object, error) {
	return nil, errNoServer
}

func (log) NewGetOptions() (options runtime.Object, below bool, parameter string) {
	return mustNew(core("PodLogOptions")), false, ""
}

func (log) ProducesMIMETypes(string) []string { return []string{"text/plain"} }

func (log) ProducesObject(string) any { return "" }

// object has all verbs but deletecollection.
type object struct {
	view
	rest.TableConvertor
}

func (object) Create(context.Context, runtime.Object, rest.ValidateObjectFunc, *metav1.CreateOptions) (runtime.Object, error) {
	return nil, errNoServer
}

func (o object) NewList() runtime.Object { return mustNewList(o.kind) }

func (object) List(context.Context, *metainternalversion.ListOptions) (runtime.Object, error) {
	return nil, errNoServer
}

func (object) Watch(context.Context, *metainternalversion.ListOptions) (watch.Interface, error) {
	return nil, errNoServer
}

func (object) Delete(context.Context, string, rest.ValidateObjectFunc, *metav1.DeleteOptions) (runtime.Object, bool, error) {
	return nil, false, errNoServer
}

// DeleteReturnsDeletedObject says what the answer of a delete is described as: the object for the kinds that return it.
func (o object) DeleteReturnsDeletedObject() bool {
	switch o.kind.Kind {
	case "Pod", "Service", "ServiceAccount", "PersistentVolume", "PersistentVolumeClaim", "PodTemplate", "ResourceQuota":
		return o.kind.Group == ""
	}
	switch o.kind.Kind {
	case "CSIStorageCapacity", "DeviceTaintRule":
		return false
	}
	return o.kind.Group == "storage.k8s.io" || o.kind.Group == "resource.k8s.io"
}

// collection has all verbs.
type collection struct{ object }

func (collection) DeleteCollection(context.Context, rest.ValidateObjectFunc, *metav1.DeleteOptions, *metainternalversion.ListOptions) (runtime.Object, error) {
	return nil, errNoServer
}

// storages gives the paths of a resource with their shapes.
func (r resource) storages(gv schema.GroupVersion) map[string]rest.Storage {
	own := plain{kind: gv.WithKind(r.kind), singular: r.singular, namespaced: r.namespaced}
	columns := rest.NewDefaultTableConvertor(schema.GroupResource{Group: gv.Group, Resource: r.name})
	o := object{view: view{target{own}}, TableConvertor: columns}
	paths := map[string]rest.Storage{r.name: collection{o}}
	switch {
	case r.readOnly:
		paths[r.name] = reader{own, columns}
	case r.single:
		paths[r.name] = o
	}
	for _, d := range r.connects {
		paths[r.name+"/"+d.name] = connector{own.as(d), d}
		if d.name == "log" {
			paths[r.name+"/"+d.name] = log{own}
		}
	}
	for _, d := range r.subresources {
		paths[r.name+"/"+d.name] = view{target{own.as(d)}}
		if d.name == "finalize" {
			paths[r.name+"/"+d.name] = target{own}
		}
	}
	for _, d := range r.makes {
		if d.name == "" {
			paths[r.name] = maker{own}
			continue
		}
		paths[r.name+"/"+d.name] = namedMaker{own.as(d)}
	}
	return paths
}

func (p plain) as(d subresource) plain {
	if !d.kind.Empty() {
		p.kind = d.kind
	}
	return p
}
