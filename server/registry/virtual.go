package registry

import (
	"context"
	"slices"
	"sync"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/authn"
	"kubarium/server/kinds"
)

// A Virtual is a resource whose objects are questions: a create is answered at once, and nothing is stored.
type Virtual struct {
	*kinds.Kind
	admits bool // answer asks admission itself
	answer func(ctx context.Context, r *Registry, q Question) (runtime.Object, error)
}

// A Question is an object of a Virtual, or of a subresource that is created and not stored, as a request brought it.
type Question struct {
	Target
	WriteOptions
	Object runtime.Object
	User   authenticationv1.UserInfo // who asks
	Authn  *authn.Station            // whose tokens are true
}

// Virtuals lists them in no particular order. The rows are the same at each call.
var Virtuals = sync.OnceValue(func() []*Virtual {
	return slices.Concat(accessReviews(), identityReviews(), []*Virtual{bindings()})
})

// FindVirtual returns the one that a path names by group, version and plural, or nil.
func FindVirtual(gvr schema.GroupVersionResource) *Virtual {
	i := slices.IndexFunc(Virtuals(), func(v *Virtual) bool { return v.GroupVersion().WithResource(v.Resource) == gvr })
	if i < 0 {
		return nil
	}
	return Virtuals()[i]
}

// Answer answers a question of v. The answer is mostly the object itself with its status.
func (r *Registry) Answer(ctx context.Context, v *Virtual, q Question) (runtime.Object, error) {
	if err := r.receive(&q); err != nil {
		return nil, err
	}
	if v.admits {
		return v.answer(ctx, r, q)
	}
	admit, err := r.mutateAction(ctx, q.Target, q.Object, q.WriteOptions)
	if err != nil {
		return nil, err
	}
	if err := admit(); err != nil {
		return nil, err
	}
	return v.answer(ctx, r, q)
}

// receive does with a question what a create does with any object before it is stored.
func (r *Registry) receive(q *Question) error {
	m := access(q.Object)
	wipeSystemFields(m)
	if err := matchNamespace(q.Target, m); err != nil {
		return err
	}
	q.Object = r.Managers.Update(q.Target.Kind, q.Subresource, blank(q.Target.Kind), q.Object, q.Manager)
	return nil
}

// bindings is the row of Binding, the older way to give a pod its node; the newer is the pod's subresource binding.
func bindings() *Virtual {
	return &Virtual{
		Kind:   bindingKind,
		admits: true,
		answer: func(ctx context.Context, r *Registry, q Question) (runtime.Object, error) {
			b := q.Object.(*corev1.Binding)
			return success(), r.Bind(ctx, q.Target, b, q.WriteOptions)
		},
	}
}

// success is the answer of a create that has done something and has nothing to show.
func success() *metav1.Status {
	return &metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess, Code: 201}
}
