package registry

import (
	"context"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
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
