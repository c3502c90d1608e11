package kinds

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/kubernetes/pkg/capabilities"
)

// Attributes are the values that official code looks for in the context of a request.
type Attributes struct {
	Kind        *Kind
	Verb        string // "create", "update", "delete"
	Subresource string
	Namespace   string
	Name        string
	User        user.Info
	Warn        func(text string) // receives warnings for the client; nil drops them
	// GetNamespace reads a namespace as it is now.
	GetNamespace func(ctx context.Context, name string) (*corev1.Namespace, error)
	// Get reads an object of a built-in cluster-wide kind, by its storage resource, as it is now, in its internal form.
	Get func(ctx context.Context, resource, name string) (runtime.Object, error)
	// Authorizer is asked where the rules of a kind need a further right; nil allows everything.
	Authorizer authorizer.UnconditionalAuthorizer
	// Resource gives the plural under which a kind is served.
	Resource func(schema.GroupVersionKind) (schema.GroupVersionResource, error)
}

type attributesKey struct{}

// attributesOf returns the attributes that Context put into ctx, or none.
func attributesOf(ctx context.Context) Attributes {
	a, _ := ctx.Value(attributesKey{}).(Attributes)
	return a
}

// Context is ctx with the values that official strategies look for there. Kubarium's own code passes these as arguments
// and never reads them from a context.
func Context(ctx context.Context, a Attributes) context.Context {
	settle()
	ctx = request.WithRequestInfo(ctx, &request.RequestInfo{
		IsResourceRequest: true, Verb: a.Verb, APIGroup: a.Kind.Group, APIVersion: a.Kind.Version, Resource: a.Kind.Resource,
		Subresource: a.Subresource, Namespace: a.Namespace, Name: a.Name,
	})
	ctx = request.WithNamespace(ctx, a.Namespace)
	ctx = request.WithUser(ctx, a.User)
	if a.Warn != nil {
		ctx = warning.WithWarningRecorder(ctx, recorder(a.Warn))
	}
	return context.WithValue(ctx, attributesKey{}, a)
}

// A recorder hands warnings on.
type recorder func(text string)

// AddWarning fulfils warning.Recorder. Agents name components that speak through others; ours never do.
func (r recorder) AddWarning(_, text string) { r(text) }

// settle sets, once, what official code keeps in globals: privileged containers are allowed, as kube-apiserver does with
// --allow-privileged.
var settle = sync.OnceFunc(func() { capabilities.Setup(true, 0) })
