package registry

import (
	"context"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// accessReviews are the rows of authorization.k8s.io.
func accessReviews() []*Virtual {
	return []*Virtual{
		accessReview("LocalSubjectAccessReview", true),
		accessReview("SelfSubjectAccessReview", false),
		accessReview("SelfSubjectRulesReview", false),
		accessReview("SubjectAccessReview", false),
	}
}

// accessReview is one such row: the registry's authorizer answers.
func accessReview(kind string, namespaced bool) *Virtual {
	row := review(authorizationv1.SchemeGroupVersion.WithKind(kind), namespaced)
	row.admits = true
	row.answer = func(ctx context.Context, r *Registry, q Question) (runtime.Object, error) {
		admit, err := r.mutateAction(ctx, q.Target, q.Object, q.WriteOptions)
		if err != nil {
			return nil, err
		}
		obj, err := q.Target.Kind.Internal(q.Object)
		if err != nil {
			return nil, err
		}
		ctx = r.official(ctx, "create", q.Target, q.WriteOptions)
		obj, err = r.authorizer().Review(kind).Create(ctx, obj, func(context.Context, runtime.Object) error { return admit() }, &metav1.CreateOptions{})
		if err != nil {
			return nil, err
		}
		return q.Target.Kind.Served(obj)
	}
	return row
}

// identityReviews are the rows of authentication.k8s.io.
func identityReviews() []*Virtual {
	group := authenticationv1.SchemeGroupVersion
	self := review(group.WithKind("SelfSubjectReview"), false)
	self.answer = reviewIdentity
	token := review(group.WithKind("TokenReview"), false)
	token.answer = reviewToken
	return []*Virtual{self, token}
}

// reviewIdentity answers who asks.
func reviewIdentity(_ context.Context, r *Registry, q Question) (runtime.Object, error) {
	review := &authenticationv1.SelfSubjectReview{Status: authenticationv1.SelfSubjectReviewStatus{UserInfo: q.User}}
	review.CreationTimestamp = metav1.NewTime(r.Now().UTC())
	review.SetGroupVersionKind(q.Target.Kind.GroupVersionKind)
	return review, nil
}

// reviewToken answers whose a token is.
func reviewToken(ctx context.Context, _ *Registry, q Question) (runtime.Object, error) {
	review := q.Object.(*authenticationv1.TokenReview)
	return review, q.Authn.Review(ctx, review)
}
