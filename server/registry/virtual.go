package registry

import (
	"context"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/authn"
	"kubarium/server/kinds"
	"kubarium/server/objects"
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
	m := objects.Meta(q.Object)
	wipeSystemFields(m)
	if err := matchNamespace(q.Target, m); err != nil {
		return err
	}
	q.Object = r.Managers.Update(q.Target.Kind, q.Subresource, objects.Blank(q.Target.Kind), q.Object, q.Manager)
	return nil
}

// success is the answer of a create that has done something and has nothing to show.
func success() *metav1.Status {
	return &metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess, Code: 201}
}

// review is a row that has names and types, and no answer yet.
func review(gvk schema.GroupVersionKind, namespaced bool) *Virtual {
	plural, singular := pathNames(gvk)
	return &Virtual{Kind: kinds.Unstored(gvk, plural, singular, namespaced)}
}

// pathNames are plural and singular of a kind whose plural is regular.
func pathNames(gvk schema.GroupVersionKind) (plural, singular string) {
	singular = strings.ToLower(gvk.Kind)
	return singular + "s", singular
}
