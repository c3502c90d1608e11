package authn

import (
	"context"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/apis/authentication"
	conversions "k8s.io/kubernetes/pkg/apis/authentication/v1"
	"k8s.io/kubernetes/pkg/registry/authentication/tokenreview"
)

// reviews answers TokenReviews as kube-apiserver does: by asking the authenticator of requests about one that brings the token.
type reviews struct{ rest rest.Creater }

func newReviews(a authenticator.Request, audiences authenticator.Audiences) reviews {
	return reviews{tokenreview.NewREST(a, audiences)}
}

// Review writes into the status of a review whose its token is.
func (s *Station) Review(ctx context.Context, review *authenticationv1.TokenReview) error {
	internal := &authentication.TokenReview{Spec: authentication.TokenReviewSpec{Token: review.Spec.Token, Audiences: review.Spec.Audiences}}
	if _, err := s.reviews.rest.Create(ctx, internal, nil, nil); err != nil {
		return err
	}
	review.Status = authenticationv1.TokenReviewStatus{}
	return conversions.Convert_authentication_TokenReviewStatus_To_v1_TokenReviewStatus(&internal.Status, &review.Status, nil)
}
