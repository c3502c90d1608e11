package program_test

import (
	"compress/gzip"
	"net/http"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/app/program/programtest"
	"kubarium/flow"
)

// An answer of a webhook is bounded, unpacked too, and so is the patch in it. The error names the limit; the call
// has failed, so that it may be ignored.
func TestWebhooks_bounded(t *testing.T) {
	p, client := mustGuard(t)
	ignore := admissionregistrationv1.Ignore
	endless := at(t, func(w http.ResponseWriter, _ *http.Request) {
		for chunk, sent := make([]byte, 1<<20), 0; sent < 1<<10; sent++ {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	packed := at(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for chunk, sent := make([]byte, 1<<20), 0; sent < 64; sent++ {
			if _, err := z.Write(chunk); err != nil {
				return
			}
		}
		_ = z.Close()
	})
	many := programtest.MustHook(t, func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		a := programtest.Patching("hook", "x")
		a.Patch = []byte("[" + strings.Repeat(`{},`, 1<<16) + "{}]")
		return a
	})
	mustFollow(t, client,
		mutating("endless", endless, nil), mutating("packed", packed, nil), mutating("many", many.Client(), nil),
		mutating("ignored", endless, func(w *admissionregistrationv1.MutatingWebhook) { w.FailurePolicy = &ignore }))
	maps := client.CoreV1().ConfigMaps("default")
	for hook, want := range map[string]string{
		"endless": "the answer is too large: limit is 8388608 bytes",
		"packed":  "the answer is too large: limit is 8388608 bytes",
		"many":    "the patch in the answer: Request entity too large: limit is 32768 objects and lists in a body",
	} {
		_, err := maps.Create(t.Context(), labelled(hook, hook), metav1.CreateOptions{})
		if err == nil || !apierrors.IsInternalError(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", hook, err)
		}
	}
	if _, err := maps.Create(t.Context(), labelled("ignored", "ignored"), metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
	marks := plugins(t, p, "create", "configmaps")
	if !slices.ContainsFunc(marks, func(m flow.PluginMark) bool {
		return len(m.Opinions) > 0 && m.Opinions[0].Said == flow.SaidIgnored &&
			strings.Contains(m.Opinions[0].Message, "limit is 8388608 bytes")
	}) {
		t.Errorf("marks %+v", marks)
	}
}
