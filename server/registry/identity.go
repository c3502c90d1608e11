package registry

import (
	"context"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// identityReviews are the rows of authentication.k8s.io.
func identityReviews() []*Virtual {
	group := authenticationv1.SchemeGroupVersion
	self := review(group.WithKind("SelfSubjectReview"), false)
	self.answer = reviewIdentity
	token := review(group.WithKind("TokenReview"), false)
	token.answer = reviewToken
	return []*Virtual{self, token}
}

// pathNames are plural and singular of a kind whose plural is regular.
func pathNames(gvk schema.GroupVersionKind) (plural, singular string) {
	singular = strings.ToLower(gvk.Kind)
	return singular + "s", singular
}

// reviewIdentity tells who asks.
func reviewIdentity(_ context.Context, r *Registry, q Question) (runtime.Object, error) {
	review := &authenticationv1.SelfSubjectReview{Status: authenticationv1.SelfSubjectReviewStatus{UserInfo: q.User}}
	review.CreationTimestamp = metav1.NewTime(r.Now().UTC())
	review.SetGroupVersionKind(q.Target.Kind.GroupVersionKind)
	return review, nil
}

// reviewToken tells whose a token is.
func reviewToken(ctx context.Context, _ *Registry, q Question) (runtime.Object, error) {
	review := q.Object.(*authenticationv1.TokenReview)
	return review, q.Authn.Review(ctx, review)
}

// lookUp reads an object of a built-in kind as it is now, in its served form.
func (r *Registry) lookUp(ctx context.Context, resource, namespace, name string) (metav1.Object, error) {
	t := Target{Kind: r.Catalogue.Stored(resource), Namespace: namespace, Name: name}
	found, _, err := r.Cache.Get(ctx, t.key(), 0)
	if err != nil {
		return nil, interpret(err, t)
	}
	obj, err := DecodeServed(t.Kind, found.Record())
	if err != nil {
		return nil, err
	}
	return access(obj), nil
}
