package registry

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/admission"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/endpoints/handlers"
	"k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager"

	"kubarium/flow"
	"kubarium/server/kinds"
	"kubarium/server/objects"
)

// A question is what admission plugins are asked about: one operation on one object ("Admission Control in
// Kubernetes").
type question struct {
	Target
	op admission.Operation
	WriteOptions
	collection bool // the object is one of a collection, whose deletion names none
	further    bool // the request was authorized as an update, and needs the right to create, too
	asked      bool // the plugins were asked about the request that this is a part of, and are not asked again
}

// about is a question with the object as it shall be and as it is, or with copies of them; either may be nil.
func (q question) about(obj, old runtime.Object, copies bool) *attributes {
	k := q.Kind
	namespace, name := q.Namespace, q.Name
	if k.StorageResource() == namespaces {
		namespace = name // as the path of a namespace is read
	}
	if q.collection {
		name = ""
	}
	record := admission.NewAttributesRecord(nil, nil, k.Shown(q.Subresource), namespace, name, k.GroupVersion().WithResource(k.Resource),
		q.Subresource, q.op, optionsOf(q.op, q.Options), q.DryRun, q.who())
	return &attributes{Attributes: record, obj: shown{obj: obj, copies: copies}, old: shown{obj: old, copies: copies}}
}

// chain is the admission plugins between a request and the store.
func (r *Registry) chain() admission.Interface {
	if r.Admission == nil {
		return NamespaceLifecycle(r)
	}
	return r.Admission
}

// mutate asks the mutating admission plugins, which may change obj. Its managedFields must still be valid after them.
func (r *Registry) mutate(ctx context.Context, q question, obj, old runtime.Object) error {
	chain, ok := r.chain().(admission.MutationInterface)
	if !ok || !chain.Handles(q.op) || q.asked {
		return nil
	}
	a := q.about(obj, old, false)
	a.keep = flow.From(ctx) != nil
	return asking(ctx, flow.Mutate, a, func(ctx context.Context) error {
		m, err := meta.Accessor(obj)
		if err != nil {
			return chain.Admit(ctx, a, r.interfaces(q.Kind)) // a deletion
		}
		before := m.GetManagedFields()
		if err := chain.Admit(ctx, a, r.interfaces(q.Kind)); err != nil {
			return err
		}
		if after := m.GetManagedFields(); !slices.Equal(before, after) {
			if err := managedfields.ValidateManagedFields(after); err != nil {
				m.SetManagedFields(before)
				q.warn(fmt.Sprintf(fieldmanager.InvalidManagedFieldsAfterMutatingAdmissionWarningFormat, err.Error()))
			}
		}
		return nil
	})
}

// mutateObject asks the mutating plugins about an object that is to be stored. Owners that they name twice are kept
// once.
func (r *Registry) mutateObject(ctx context.Context, q question, obj, old runtime.Object) error {
	if err := r.mutate(ctx, q, obj, old); err != nil {
		return err
	}
	dedupOwners(objects.Meta(obj), q.WriteOptions, handlers.DuplicateOwnerReferencesAfterMutatingAdmissionWarningFormat)
	return nil
}

// asking runs a station of plugins, and notes on the flow what they annotate.
func asking(ctx context.Context, name string, a *attributes, ask func(context.Context) error) error {
	err := station(ctx, name, "", func() error { return ask(a.hear(ctx)) })
	if f := flow.From(ctx); f != nil && a.annotations != nil {
		f.Annotate(a.GetAnnotations(auditinternal.LevelRequestResponse))
	}
	return err
}

// admit asks the validating admission plugins about an object that has been prepared and checked, and that they get a
// copy of.
func (r *Registry) admit(ctx context.Context, q question, obj, old runtime.Object) error {
	chain, ok := r.chain().(admission.ValidationInterface)
	if !ok || !chain.Handles(q.op) || q.asked {
		return nil
	}
	a := q.about(obj, old, true)
	return asking(ctx, flow.Admit, a, func(ctx context.Context) error { return chain.Validate(ctx, a, r.interfaces(q.Kind)) })
}

// admitDelete asks all plugins about the deletion of an object.
func (r *Registry) admitDelete(ctx context.Context, q question, old runtime.Object) error {
	old = old.DeepCopyObject()
	if err := r.mutate(ctx, q, nil, old); err != nil {
		return err
	}
	return r.admit(ctx, q, nil, old)
}

// interfaces are what plugins need to make, default and convert objects of a kind.
func (r *Registry) interfaces(k *kinds.Kind) admission.ObjectInterfaces {
	return objectInterfaces{k.Scheme(), r.Catalogue}
}

// objectInterfaces fulfils admission.ObjectInterfaces.
type objectInterfaces struct {
	kinds.ObjectScheme
	runtime.EquivalentResourceMapper
}

func (i objectInterfaces) GetObjectCreater() runtime.ObjectCreater     { return i.ObjectScheme }
func (i objectInterfaces) GetObjectTyper() runtime.ObjectTyper         { return i.ObjectScheme }
func (i objectInterfaces) GetObjectDefaulter() runtime.ObjectDefaulter { return i.ObjectScheme }
func (i objectInterfaces) GetObjectConvertor() runtime.ObjectConvertor { return i.ObjectScheme }
func (i objectInterfaces) GetEquivalentResourceMapper() runtime.EquivalentResourceMapper {
	return i.EquivalentResourceMapper
}

// optionsOf are the options of a request in the type of the operation that it turns out to be: a PUT or an apply may
// create.
func optionsOf(op admission.Operation, options runtime.Object) runtime.Object {
	var dryRun []string
	var manager, validation string
	switch from := options.(type) {
	case *metav1.UpdateOptions:
		if op == admission.Update {
			return from
		}
		dryRun, manager, validation = from.DryRun, from.FieldManager, from.FieldValidation
	case *metav1.PatchOptions:
		dryRun, manager, validation = from.DryRun, from.FieldManager, from.FieldValidation
	default:
		return options
	}
	if op == admission.Update {
		u := &metav1.UpdateOptions{DryRun: dryRun, FieldManager: manager, FieldValidation: validation}
		u.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("UpdateOptions"))
		return u
	}
	o := &metav1.CreateOptions{DryRun: dryRun, FieldManager: manager, FieldValidation: validation}
	o.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("CreateOptions"))
	return o
}

// closed refuses a create where the kind says that no object can be made any more.
func closed(t Target) error {
	if t.Kind.Closed == "" {
		return nil
	}
	return apierrors.NewForbidden(t.resource(), t.Name, errors.New(t.Kind.Closed))
}

// mutateAction asks the mutating plugins about an object that does something instead of being stored, such as a
// binding or a review. served, in the version in which it came, is changed as they change it. admit asks the
// validating plugins, once the object has been checked.
func (r *Registry) mutateAction(ctx context.Context, t Target, served runtime.Object, o WriteOptions) (admit func() error, err error) {
	q := question{Target: t, op: admission.Create, WriteOptions: o}
	ctx = r.official(ctx, "create", t, o)
	obj, err := kinds.ToInternal(served)
	if err != nil {
		return nil, err
	}
	if err := r.mutate(ctx, q, obj, nil); err != nil {
		return nil, err
	}
	if err := kinds.Scheme.Convert(obj, served, nil); err != nil {
		return nil, err
	}
	return func() error {
		obj, err := kinds.ToInternal(served)
		if err != nil {
			return err
		}
		return r.admit(ctx, q, obj, nil)
	}, nil
}

// Connect asks all plugins whether a connection may be opened to what runs for an object, such as a shell in a pod.
// query has the options.
func (r *Registry) Connect(ctx context.Context, t Target, query url.Values, by Asker) error {
	t.Subresource, _, _ = strings.Cut(t.Subresource, "/") // a path follows proxy
	options, err := kinds.ConnectOptions(t.Kind.Shown(t.Subresource), query)
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	q := question{Target: t, op: admission.Connect, WriteOptions: WriteOptions{Asker: by}}
	ctx = r.official(ctx, "connect", t, q.WriteOptions)
	if err := r.mutate(ctx, q, options, nil); err != nil {
		return err
	}
	return r.admit(ctx, q, options, nil)
}
