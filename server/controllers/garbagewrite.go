package controllers

import (
	"context"
	"errors"
	"net/http"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// delete deletes the object that was looked at, and no other of its name.
func (c *collector) delete(ctx context.Context, n node, policy metav1.DeletionPropagation) error {
	o := metav1.DeleteOptions{
		TypeMeta:          metav1.TypeMeta{Kind: "DeleteOptions", APIVersion: "v1"},
		Preconditions:     &metav1.Preconditions{UID: &n.uid},
		PropagationPolicy: &policy,
	}
	return c.settled(c.plain(ctx, http.MethodDelete, n.path(), o))
}

// dropOwners takes owner references off an object, if it is still as it was.
func (c *collector) dropOwners(ctx context.Context, n node, uids []types.UID) error {
	return c.edit(ctx, n, func(m *metav1.ObjectMeta) {
		m.OwnerReferences = slices.DeleteFunc(m.OwnerReferences, func(o metav1.OwnerReference) bool { return slices.Contains(uids, o.UID) })
	})
}

// dropFinalizer takes a finalizer off an object.
func (c *collector) dropFinalizer(ctx context.Context, t task, finalizer string) error {
	return c.edit(ctx, t.node, func(m *metav1.ObjectMeta) {
		m.Finalizers = slices.DeleteFunc(m.Finalizers, func(f string) bool { return f == finalizer })
	})
}

// edit changes the owners and finalizers of an object in its newest version.
func (c *collector) edit(ctx context.Context, n node, change func(*metav1.ObjectMeta)) error {
	var object metav1.PartialObjectMetadata
	one := c.Client
	one.Accept = metadataOnly
	if err := one.do(ctx, http.MethodGet, n.path(), nil, &object); err != nil {
		return c.settled(err)
	}
	if object.UID != n.uid {
		return nil
	}
	change(&object.ObjectMeta)
	return c.settled(c.plain(ctx, http.MethodPatch, n.path(), map[string]any{"metadata": map[string]any{
		"resourceVersion": object.ResourceVersion, "uid": object.UID,
		"ownerReferences": object.OwnerReferences, "finalizers": object.Finalizers,
	}}))
}

// plain sends a request whose answer does not matter.
func (c *collector) plain(ctx context.Context, method, path string, body any) error {
	one := c.Client
	one.Accept = ""
	return one.do(ctx, method, path, body, nil)
}

// settled makes nothing of an object that is gone already; a conflict is tried again.
func (c *collector) settled(err error) error {
	if isNotFound(err) {
		return nil
	}
	var refused *StatusError
	if errors.As(err, &refused) && refused.Status.Code == http.StatusUnprocessableEntity {
		c.log.Warn("garbage can not be collected", "error", err)
		return nil
	}
	return err
}
