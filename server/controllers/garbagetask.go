package controllers

import (
	"context"
	"errors"
	"net/http"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// A task is a copy of what the graph says of an object, to work on without the lock.
type task struct {
	node
	dependents []node
	owners     []owner
}

// task copies a node; false if there is nothing to work on.
func (c *collector) task(uid types.UID) (task, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.graph[uid]
	if n == nil || !n.present {
		return task{}, false
	}
	t := task{node: *n}
	for _, d := range n.dependents {
		t.dependents = append(t.dependents, *d)
	}
	for _, ref := range n.owners {
		o := owner{OwnerReference: ref}
		if p := c.graph[ref.UID]; p != nil && p.present && c.sees(n, p) {
			o.present, o.waits = true, p.deleting && p.holds(metav1.FinalizerDeleteDependents)
		}
		t.owners = append(t.owners, o)
	}
	return t, true
}

// An owner is an owner reference and what the graph says of its object.
type owner struct {
	metav1.OwnerReference
	present bool
	waits   bool // it is being deleted and waits for its dependents
}

// sees tells whether an object can be owned by another: owners live in the same namespace, or in none.
func (c *collector) sees(n, owner *node) bool {
	return owner.namespace == "" || owner.namespace == n.namespace
}

// collect does what one object needs.
func (c *collector) collect(ctx context.Context, uid types.UID) error {
	t, ok := c.task(uid)
	switch {
	case !ok:
		return nil
	case t.deleting && t.holds(metav1.FinalizerOrphanDependents):
		return c.orphan(ctx, t)
	case t.deleting && t.holds(metav1.FinalizerDeleteDependents):
		return c.deleteDependents(ctx, t)
	case t.deleting || len(t.owners) == 0:
		return nil
	}
	return c.deleteIfOwnerless(ctx, t)
}

// orphan takes the owner reference off all dependents, and then lets the object go.
func (c *collector) orphan(ctx context.Context, t task) error {
	for _, d := range t.dependents {
		if err := c.dropOwners(ctx, d, []types.UID{t.uid}); err != nil {
			return err
		}
	}
	return c.dropFinalizer(ctx, t, metav1.FinalizerOrphanDependents)
}

// deleteDependents deletes dependents in the foreground, and lets the object go when none is left that blocks it.
func (c *collector) deleteDependents(ctx context.Context, t task) error {
	blocked := false
	for _, d := range t.dependents {
		if blocks(d, t.uid) {
			blocked = true
		}
		c.enqueue(ctx, d.uid)
	}
	if blocked {
		return nil
	}
	return c.dropFinalizer(ctx, t, metav1.FinalizerDeleteDependents)
}

// blocks tells whether a dependent keeps its owner from going.
func blocks(d node, owner types.UID) bool {
	return slices.ContainsFunc(d.owners, func(o metav1.OwnerReference) bool {
		return o.UID == owner && o.BlockOwnerDeletion != nil && *o.BlockOwnerDeletion
	})
}

// deleteIfOwnerless deletes an object none of whose owners will stay. With one that stays, it loses its references to
// the others.
func (c *collector) deleteIfOwnerless(ctx context.Context, t task) error {
	var gone []types.UID
	stays, waits := false, false
	for _, o := range t.owners {
		present, err := c.there(ctx, t, o)
		switch {
		case err != nil:
			return err
		case !present:
			gone = append(gone, o.UID)
		case o.waits:
			waits = true
			gone = append(gone, o.UID)
		default:
			stays = true
		}
	}
	switch {
	case stays && len(gone) > 0:
		return c.dropOwners(ctx, t.node, gone)
	case stays:
		return nil
	case waits && len(t.dependents) > 0:
		return c.delete(ctx, t.node, metav1.DeletePropagationForeground)
	}
	return c.delete(ctx, t.node, policyOf(t.node))
}

// policyOf is how an object is deleted whose owners are gone: as its own finalizers say, else in the background.
func policyOf(n node) metav1.DeletionPropagation {
	switch {
	case n.holds(metav1.FinalizerOrphanDependents):
		return metav1.DeletePropagationOrphan
	case n.holds(metav1.FinalizerDeleteDependents):
		return metav1.DeletePropagationForeground
	}
	return metav1.DeletePropagationBackground
}

// there tells whether an owner exists. One that the graph has not seen is asked for, since its own watch may be behind;
// one of a kind that is not served, or no longer, is taken to be there, because nobody can know.
func (c *collector) there(ctx context.Context, t task, o owner) (bool, error) {
	if o.present {
		return true, nil
	}
	c.mu.Lock()
	in, ok := c.kinds[o.APIVersion+" "+o.Kind]
	c.mu.Unlock()
	if !ok {
		return true, nil
	}
	namespace := ""
	if in.namespaced {
		if namespace = t.namespace; namespace == "" {
			return true, nil // a cluster-wide object cannot be owned by one in a namespace: leave it alone
		}
	}
	var found metav1.PartialObjectMetadata
	one := c.Client
	one.Accept = metadataOnly
	err := one.do(ctx, http.MethodGet, in.in(namespace)+"/"+o.Name, nil, &found)
	if isNotFound(err) {
		return !isAbout(err, o.Name), nil
	}
	return err == nil && found.UID == o.UID, err
}

// isAbout tells whether an error is about an object of this name, and not about a path that nobody serves.
func isAbout(err error, name string) bool {
	var refused *StatusError
	return errors.As(err, &refused) && refused.Status.Details != nil && refused.Status.Details.Name == name
}
