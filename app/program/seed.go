package program

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/authz"
	"kubarium/server/bootstrap"
	"kubarium/server/registry"
	"kubarium/server/storage"
)

// seed makes what must be there before the port answers: the namespaces that every cluster has, and where RBAC
// decides, the default roles, without which no request would be allowed at first, not even one for /readyz.
func seed(ctx context.Context, r *registry.Registry, modes authz.Modes) error {
	if err := seedNamespaces(ctx, r); err != nil {
		return err
	}
	if !modes.Has(authz.ModeRBAC) {
		return nil
	}
	return seedRoles(ctx, r)
}

// seedNamespaces creates the namespaces where they are missing.
func seedNamespaces(ctx context.Context, r *registry.Registry) error {
	k := r.Catalogue.Stored("namespaces")
	for _, name := range bootstrap.Namespaces {
		t := registry.Target{Kind: k, Name: name}
		if _, err := r.Get(ctx, t, ""); err == nil {
			continue
		}
		if err := create(ctx, r, "namespaces", &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
			return err
		}
	}
	return nil
}

var clusterRoles = rbacv1.SchemeGroupVersion.WithResource("clusterroles")

// atOnce is how many roles are written at once, so that they share transactions.
const atOnce = 32

// seedRoles creates all default roles and bindings in a database that has none yet. Later starts leave them to the
// bootstrap, which adds what is missing.
func seedRoles(ctx context.Context, r *registry.Registry) error {
	if r.Catalogue.Kind(clusterRoles) == nil {
		return nil
	}
	page, err := r.Store.List(ctx, storage.ListOptions{Resource: clusterRoles.GroupResource().String(), Limit: 1})
	if err != nil || len(page.Records) > 0 {
		return err
	}
	var group errgroup.Group
	group.SetLimit(atOnce)
	for resource, roles := range bootstrap.DefaultRoles() {
		for _, role := range roles {
			group.Go(func() error { return create(ctx, r, resource.String(), role) })
		}
	}
	return group.Wait()
}

// create stores an object as kube-apiserver's own; that it is there already is no error.
func create(ctx context.Context, r *registry.Registry, resource string, o runtime.Object) error {
	k := r.Catalogue.Stored(resource)
	m, err := meta.Accessor(o)
	if err != nil {
		return err
	}
	k.Default(o)
	internal, err := k.Internal(o)
	if err == nil {
		_, err = r.Create(ctx, registry.Target{Kind: k, Namespace: m.GetNamespace()}, internal, registry.WriteOptions{Manager: "kube-apiserver"})
	}
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create %s %s: %w", resource, m.GetName(), err)
	}
	return nil
}
