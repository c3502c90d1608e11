package server_test

import (
	"bytes"
	"net/http"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/codecs"
)

// Questions come and are answered in every form of a body.
func TestVirtual_forms(t *testing.T) {
	url := mustDemo(t)
	for _, c := range codecs.All {
		t.Run(c.Name, func(t *testing.T) {
			play(t, url, []call{{"pod", "POST", inDemo + "pods", "", pod, 201, ""}})
			review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "get"}}}
			got := ask(t, url, c, access+"selfsubjectaccessreviews", authorizationv1.SchemeGroupVersion.WithKind("SelfSubjectAccessReview"), review)
			if !got.(*authorizationv1.SelfSubjectAccessReview).Status.Allowed {
				t.Errorf("not allowed: %+v", got)
			}
			got = ask(t, url, c, inDemo+"serviceaccounts/till/token", authenticationv1.SchemeGroupVersion.WithKind("TokenRequest"), &authenticationv1.TokenRequest{})
			if got.(*authenticationv1.TokenRequest).Status.Token == "" {
				t.Errorf("no token: %+v", got)
			}
			eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
			got = ask(t, url, c, inDemo+"pods/a/eviction", policyv1.SchemeGroupVersion.WithKind("Eviction"), eviction)
			if got.(*metav1.Status).Status != metav1.StatusSuccess {
				t.Errorf("not evicted: %+v", got)
			}
		})
	}
}

// ask creates an object and returns the answer, both in one form.
func ask(t *testing.T, url string, c *codecs.Codec, path string, kind schema.GroupVersionKind, obj runtime.Object) runtime.Object {
	t.Helper()
	obj.GetObjectKind().SetGroupVersionKind(kind)
	var body bytes.Buffer
	if err := c.Encode(&body, obj, false); err != nil {
		t.Fatal(err)
	}
	q := request{method: "POST", path: path, contentType: c.MediaType, body: body.String(), header: http.Header{"Accept": {c.MediaType}}}
	code, answer := send(t, url, q)
	if code != http.StatusCreated {
		t.Fatalf("%s: %d %.300s", path, code, answer)
	}
	got, _, _, err := c.Decode([]byte(answer), kind, nil, codecs.Strict)
	if err != nil {
		t.Fatalf("%s: %v in %.300s", path, err, answer)
	}
	return got
}
