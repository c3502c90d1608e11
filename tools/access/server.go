package main

import (
	"context"
	"encoding/json"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// A server is one of the two that are asked.
type server struct {
	kubernetes.Interface
	name   string
	config *rest.Config
}

func newServer(name, url string) (*server, error) {
	if url == "" {
		return nil, fmt.Errorf("the URL of %s is missing", name)
	}
	config := &rest.Config{
		Host: url, QPS: -1, UserAgent: "access/1", WarningHandlerWithContext: rest.NoWarnings{},
		ContentConfig: rest.ContentConfig{ContentType: "application/json"},
	}
	api, err := kubernetes.NewForConfig(config)
	return &server{api, name, config}, err
}

// as is the server as it answers a user.
func (s *server) as(user string) (*server, error) {
	config := rest.CopyConfig(s.config)
	config.Impersonate.UserName = user
	api, err := kubernetes.NewForConfig(config)
	return &server{api, s.name, config}, err
}

// review is the answer to a SubjectAccessReview, as JSON.
func (s *server) review(ctx context.Context, spec authorizationv1.SubjectAccessReviewSpec) (string, error) {
	review, err := s.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{Spec: spec}, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.name, err)
	}
	text, err := json.Marshal(review.Status)
	return string(text), err
}

// post sends a body as it is and returns code and body of the answer, in one text, without times.
func (s *server) post(ctx context.Context, path, body string) (string, error) {
	var code int
	result := s.CoreV1().RESTClient().Post().AbsPath(path).Body([]byte(body)).Do(ctx).StatusCode(&code)
	raw, err := result.Raw()
	if code == 0 {
		return "", fmt.Errorf("%s: POST %s: %w", s.name, path, err)
	}
	var answer map[string]any
	if err := json.Unmarshal(raw, &answer); err != nil {
		return fmt.Sprintf("%d %s", code, raw), nil
	}
	forgetTimes(answer)
	text, err := json.Marshal(answer)
	return fmt.Sprintf("%d %s", code, text), err
}

// forgetTimes takes out when the entries of managedFields were written.
func forgetTimes(object map[string]any) {
	meta, _ := object["metadata"].(map[string]any)
	entries, _ := meta["managedFields"].([]any)
	for _, e := range entries {
		if entry, ok := e.(map[string]any); ok {
			delete(entry, "time")
		}
	}
}
