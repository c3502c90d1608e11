package program_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/app/program/programtest"
)

// A denial is a refusal, whatever its code.
func TestWebhooks_codes(t *testing.T) {
	_, client := mustGuard(t)
	codes := []int32{-1, 0, 100, 101, 200, 204, 304, 399, 400, 418, 600, 999, 1000, 999_999}
	next := make(chan int32, len(codes))
	deny := programtest.MustHook(t, func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		return &admissionv1.AdmissionResponse{Result: &metav1.Status{Code: <-next, Message: "no"}}
	})
	mustFollow(t, client, mutating("deny", deny.Client(), nil))
	for _, code := range codes {
		next <- code
		want := code
		if code < 400 {
			want = 400
		} else if code > 999 {
			want = 500
		}
		_, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), labelled("a", "deny"), metav1.CreateOptions{})
		status, ok := err.(apierrors.APIStatus)
		if !ok || status.Status().Code != want || !strings.Contains(err.Error(), "denied the request: no") {
			t.Errorf("%d: %v", code, err)
		}
	}
}

// A webhook that patches the object of a deletion, of which there is none, is refused as in kube-apiserver.
func TestWebhooks_patchOfDelete(t *testing.T) {
	_, client := mustGuard(t)
	hook := programtest.MustHook(t, func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		a := programtest.Patching("hook", "x")
		a.Patch = []byte(`[{"op":"add","path":"/nope","value":5}]`)
		return a
	})
	maps := client.CoreV1().ConfigMaps("default")
	must[*corev1.ConfigMap](t)(maps.Create(t.Context(), labelled("a", "deleted"), metav1.CreateOptions{}))
	mustFollow(t, client, mutating("deleted", hook.Client(), func(w *admissionregistrationv1.MutatingWebhook) {
		w.Rules = programtest.Rules(admissionregistrationv1.Delete)
	}))
	err := maps.Delete(t.Context(), "a", metav1.DeleteOptions{})
	const want = "attempted to modify the object, which is not supported for this operation"
	if !apierrors.IsInternalError(err) || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}

// A webhook that gives a taken name to an object with a generateName ends the create with a 409 that says when to
// come again.
func TestWebhooks_generatedName(t *testing.T) {
	_, client := mustGuard(t)
	hook := programtest.MustHook(t, func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		a := programtest.Patching("hook", "x")
		a.Patch = []byte(`[{"op":"add","path":"/metadata/name","value":"taken"}]`)
		return a
	})
	maps := client.CoreV1().ConfigMaps("default")
	must[*corev1.ConfigMap](t)(maps.Create(t.Context(), labelled("taken", "none"), metav1.CreateOptions{}))
	mustFollow(t, client, mutating("name", hook.Client(), nil))
	unnamed := labelled("", "name")
	unnamed.GenerateName = "x-"
	_, err := maps.Create(t.Context(), unnamed, metav1.CreateOptions{})
	const want = `configmaps "taken" already exists, the server was not able to generate a unique name for the object`
	if seconds, _ := apierrors.SuggestsClientDelay(err); seconds != 1 || !apierrors.IsAlreadyExists(err) || err.Error() != want {
		t.Errorf("%v, after %d s", err, seconds)
	}
}

// A review of a binding and of an eviction says who owns their fields; one of a proxy has the path behind it.
func TestWebhooks_subresources(t *testing.T) {
	_, client := mustGuard(t)
	hook := programtest.MustHook(t, func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		return &admissionv1.AdmissionResponse{Allowed: true}
	})
	mustFollow(t, client, mutating("sub", hook.Client(), func(w *admissionregistrationv1.MutatingWebhook) {
		w.ObjectSelector = nil
		w.Rules = programtest.Rules(admissionregistrationv1.OperationAll)
		w.Rules[0].Resources = []string{"pods/binding", "pods/eviction", "pods/proxy"}
	}))
	pods := client.CoreV1().Pods("default")
	must[*corev1.Pod](t)(pods.Create(t.Context(), pod("a"), metav1.CreateOptions{}))
	binding := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Target: corev1.ObjectReference{Name: "n"}}
	if err := pods.Bind(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", "/", "/b", "/b/", "//b"} {
		uri := "/api/v1/namespaces/default/pods/a/proxy" + path + "?path=/asked"
		client.CoreV1().RESTClient().Get().RequestURI(uri).Do(t.Context())
	}
	atOnce := &metav1.DeleteOptions{GracePeriodSeconds: new(int64)}
	if err := pods.EvictV1(t.Context(), &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "a"}, DeleteOptions: atOnce}); err != nil {
		t.Fatal(err)
	}
	hook.Mu.Lock()
	defer hook.Mu.Unlock()
	var got []string
	for _, r := range hook.Asked {
		var object struct {
			Metadata metav1.ObjectMeta
			Path     *string
		}
		if err := json.Unmarshal(r.Request.Object.Raw, &object); err != nil {
			t.Fatal(err)
		}
		said := r.Request.SubResource
		if object.Path != nil {
			said += " " + *object.Path
		}
		for _, f := range object.Metadata.ManagedFields {
			said += " " + f.APIVersion + " " + f.Subresource + " " + string(f.FieldsV1.Raw)
		}
		got = append(got, said)
	}
	want := []string{`binding v1 binding {"f:target":{}}`, "proxy", "proxy /", "proxy /b", "proxy /b/", "proxy /b",
		`eviction policy/v1 eviction {"f:deleteOptions":{".":{},"f:gracePeriodSeconds":{}}}`}
	if !slices.Equal(got, want) {
		t.Errorf("asked about\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
