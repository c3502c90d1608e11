package registry

import (
	"context"
	"errors"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"

	"kubarium/server/storage"
)

// immortal are the namespaces that may not be deleted, as the NamespaceLifecycle plugin has them.
var immortal = map[string]bool{"default": true, "kube-system": true, "kube-public": true}

// NamespaceLifecycle is the admission plugin of that name: nothing is created in a namespace that is missing or
// terminating, and three namespaces are not deleted. The official one asks an informer, which may be late; this one
// asks what is newest, and the transaction asks once more.
func NamespaceLifecycle(r *Registry) admission.MutationInterface { return lifecycle{r} }

type lifecycle struct{ r *Registry }

// Handles fulfils admission.Interface.
func (lifecycle) Handles(op admission.Operation) bool {
	return op == admission.Create || op == admission.Update || op == admission.Delete
}

// Admit fulfils admission.MutationInterface.
func (l lifecycle) Admit(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	resource := a.GetResource().GroupResource()
	if resource == (schema.GroupResource{Resource: namespaces}) {
		if a.GetOperation() == admission.Delete && immortal[a.GetName()] {
			return apierrors.NewForbidden(resource, a.GetName(), fmt.Errorf("this namespace may not be deleted"))
		}
		return nil
	}
	if a.GetOperation() != admission.Create || a.GetNamespace() == "" || asksAccess(resource) {
		return nil // updates are for what is there already, even in a namespace that is gone
	}
	_, err := l.r.namespaceAdmits(ctx, a.GetNamespace(), resource, a.GetName(), 0)
	return err
}

// asksAccess reports whether a resource is a review of access, which a namespace that is missing does not forbid.
func asksAccess(r schema.GroupResource) bool {
	return r == schema.GroupResource{Group: authorizationv1.GroupName, Resource: "localsubjectaccessreviews"}
}

// namespaceAdmits looks the namespace of a create up once the cache has followed up to min, and refuses the create
// while it terminates. It returns the revision at which it admits. Nothing is refused by what another server of the
// store may have changed.
func (r *Registry) namespaceAdmits(ctx context.Context, namespace string, resource schema.GroupResource, name string, min storage.Revision) (storage.Revision, error) {
	at, err := r.namespaceAdmitted(ctx, namespace, resource, name, min)
	if err == nil || !apierrors.IsNotFound(err) && !apierrors.IsForbidden(err) {
		return at, err
	}
	if err := r.Current(ctx); err != nil {
		return 0, err
	}
	return r.namespaceAdmitted(ctx, namespace, resource, name, min)
}

func (r *Registry) namespaceAdmitted(ctx context.Context, namespace string, resource schema.GroupResource, name string, min storage.Revision) (storage.Revision, error) {
	found, _, err := r.Cache.Get(ctx, storage.NewKey(namespaces, "", namespace), min)
	if errors.Is(err, storage.ErrNotFound) {
		return 0, namespaceNotFound(namespace)
	}
	if err != nil {
		return 0, interpret(err, Target{Kind: r.Catalogue.Stored(namespaces), Name: namespace})
	}
	if found.Err != nil {
		return 0, found.Err
	}
	// The phase is a selectable field of Namespace, so the cache has it at hand.
	if found.Fields.Get("status.phase") == string(corev1.NamespaceTerminating) {
		return 0, terminating(namespace, resource, name)
	}
	return found.Revision, nil
}

// commitNew writes a new object. One in a namespace is admitted again right before, by the namespace at a revision at
// which the transaction must find it still: nothing comes into a namespace that terminates, however long ago the
// create passed admission. So the namespace controller may let the namespace go once it has found nothing left in it.
func (r *Registry) commitNew(ctx context.Context, t Target, w storage.Write) (storage.Record, error) {
	w.Since = t.Since
	if !t.Kind.Namespaced {
		return r.commit(ctx, w, nil)
	}
	w.Within = storage.NewKey(namespaces, "", t.Namespace)
	for seen := storage.Revision(0); ; {
		at, err := r.namespaceAdmits(ctx, t.Namespace, t.resource(), t.Name, seen)
		if err != nil {
			return storage.Record{}, err
		}
		w.WithinAt = at
		rec, err := r.commit(ctx, w, nil)
		var moved *storage.KeyError
		if !errors.Is(err, storage.ErrConflict) || !errors.As(err, &moved) || moved.Key != w.Within {
			return rec, err
		}
		seen = moved.Stored.Revision
	}
}

// terminating is the refusal of a create in a namespace that is being deleted.
func terminating(namespace string, resource schema.GroupResource, name string) error {
	err := apierrors.NewForbidden(resource, name, fmt.Errorf("unable to create new content in namespace %s because it is being terminated", namespace))
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{
		Type: corev1.NamespaceTerminatingCause, Message: fmt.Sprintf("namespace %s is being terminated", namespace), Field: "metadata.namespace",
	})
	return err
}
