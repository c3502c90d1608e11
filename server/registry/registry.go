// Package registry is the Kubernetes API without HTTP and without SQL: what each verb does to an object. A verb is
// one file. Reads come from the cache; a write reads, makes the new object with pure functions, and hands the store a
// conditional change, again where another writer was faster (retry.go). Package catalogue knows what is served,
// package objects what a stored value means, package managers who owns which fields.
//
// Every error that a client should see is an apimachinery StatusError; any other error is internal. The package marks
// its stations on the flow that the context carries, and takes nothing else from the context.
package registry

import (
	"context"
	"net"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"

	"kubarium/server/authz"
	"kubarium/server/budget"
	"kubarium/server/cache"
	"kubarium/server/catalogue"
	"kubarium/server/kinds"
	"kubarium/server/storage"
)

// A Registry performs the verbs of the API on the objects of one store.
type Registry struct {
	Catalogue  *catalogue.Catalogue
	Store      storage.Store
	Cache      *cache.Cache
	Managers   FieldManagers
	Allocators map[string]kinds.Allocator // by storage resource; nil where a kind allocates nothing
	Now        func() time.Time
	Budget     *budget.Budget      // in which long lists are read; nil bounds nothing
	Authorizer *authz.Authorizer   // who may do what, for reviews and where a write needs a further right; nil means AlwaysAllow
	Admission  admission.Interface // the chain of admission plugins; nil means NamespaceLifecycle alone
	// EndpointsOnly leads to nothing but the endpoints of Services, as kube-apiserver's --enable-aggregator-routing
	// does; not to a name of DNS either.
	EndpointsOnly bool
	// Dial opens all connections to webhooks; nil is the network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	hot hot
}

// FieldManagers keeps metadata.managedFields (Server-Side Apply, "Field management").
type FieldManagers interface {
	// Update returns obj with managedFields as they are after manager has written it over live, which is an empty
	// object at a create. Fields that cannot be tracked keep their owners.
	Update(k *kinds.Kind, subresource string, live, obj runtime.Object, manager string) runtime.Object
	// Apply merges an apply configuration into live and sets the defaults. A conflict is a StatusError with its causes.
	Apply(k *kinds.Kind, subresource string, live, patch runtime.Object, manager string, force bool) (runtime.Object, error)
}

// WriteOptions are the options that create, update and patch share.
type WriteOptions struct {
	Asker
	DryRun  bool   // run every station except the commit
	Manager string // field manager; never empty
	// ForceCreate lets an update or patch create what is not there: a Server-Side Apply.
	ForceCreate bool
	// Options are the request's own: a *metav1.CreateOptions, UpdateOptions, PatchOptions or DeleteOptions that
	// states its kind. Admission plugins read them; with nil they see none.
	Options runtime.Object
}

// An Asker is who makes a request, and how to warn them.
type Asker struct {
	User user.Info // nil for Kubarium itself
	// Warn receives each warning for the client; nil drops them.
	Warn func(text string)
}

// who is the user, or the server itself where none is named.
func (a Asker) who() user.Info {
	if a.User == nil {
		return &user.DefaultInfo{Name: user.APIServerUser, Groups: []string{user.SystemPrivilegedGroup}}
	}
	return a.User
}

func (a Asker) warn(text string) {
	if a.Warn != nil {
		a.Warn(text)
	}
}

func (r *Registry) authorizer() *authz.Authorizer { return r.Authorizer.OrAlwaysAllow() }
