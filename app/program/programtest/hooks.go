package programtest

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
)

// A Hook is an admission webhook over HTTPS.
type Hook struct {
	*httptest.Server
	Mu     sync.Mutex
	Asked  []admissionv1.AdmissionReview
	Answer func(r *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse
}

func MustHook(t *testing.T, answer func(r *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse) *Hook {
	h := &Hook{Answer: answer}
	h.Server = httptest.NewTLSServer(h)
	t.Cleanup(h.Close)
	return h
}

func Rules(operations ...admissionregistrationv1.OperationType) []admissionregistrationv1.RuleWithOperations {
	return []admissionregistrationv1.RuleWithOperations{{Operations: operations, Rule: admissionregistrationv1.Rule{
		APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"},
	}}}
}

// Patching answers with a JSON Patch that adds to data.
func Patching(key, value string) *admissionv1.AdmissionResponse {
	kind := admissionv1.PatchTypeJSONPatch
	return &admissionv1.AdmissionResponse{
		Allowed: true, PatchType: &kind, Patch: fmt.Appendf(nil, `[{"op":"add","path":"/data/%s","value":%q}]`, key, value), Warnings: []string{"seen by " + key},
	}
}

// ServeHTTP fulfils http.Handler.
func (h *Hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	h.Mu.Lock()
	h.Asked = append(h.Asked, review)
	h.Mu.Unlock()
	answer := h.Answer(review.Request)
	if answer == nil {
		http.Error(w, "nothing to say", http.StatusInternalServerError)
		return
	}
	answer.UID = review.Request.UID
	review.Request, review.Response = nil, answer
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(review)
}

// Client is how to reach the hook.
func (h *Hook) Client() admissionregistrationv1.WebhookClientConfig {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.Certificate().Raw})
	url := h.URL + "/admit"
	return admissionregistrationv1.WebhookClientConfig{URL: &url, CABundle: ca}
}
