package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// impersonates reports whether a server answers as the user that its client says to be.
func (s *server) impersonates(ctx context.Context, user string) (bool, error) {
	as, err := s.as(user)
	if err != nil {
		return false, err
	}
	review, err := as.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return false, fmt.Errorf("%s as %s: %w", s.name, user, err)
	}
	return review.Status.UserInfo.Username == user, nil
}

// rules is a server's answer to a user about its rules; to its own client if user is "". Bindings are read in no order,
// so the rules are sorted.
func (s *server) rules(ctx context.Context, user, in string) (string, error) {
	as, err := s.as(user)
	if err != nil {
		return "", err
	}
	review := &authorizationv1.SelfSubjectRulesReview{Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: in}}
	review, err = as.AuthorizationV1().SelfSubjectRulesReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("%s: rules of %q: %w", s.name, user, err)
	}
	var texts []string
	for _, r := range review.Status.ResourceRules {
		texts = append(texts, text(r))
	}
	for _, r := range review.Status.NonResourceRules {
		texts = append(texts, text(r))
	}
	slices.Sort(texts)
	return fmt.Sprintf("incomplete %t, error %q, rules %s", review.Status.Incomplete, review.Status.EvaluationError, text(texts)), nil
}

func text(v any) string {
	t, err := json.Marshal(v)
	if err != nil {
		panic(err) // a rule is plain strings
	}
	return string(t)
}
