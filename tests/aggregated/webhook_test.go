package aggregated_test

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// asWebhook makes this test's binary the webhook: it is the address to listen on.
const asWebhook = "KUBARIUM_TEST_WEBHOOK"

// A verdict is a webhook's answer: a reason to deny, a JSON Patch, a warning, or nothing.
type verdict struct {
	deny  string
	patch []operation
	warn  []string
}

type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// add is the patch that adds one value.
func add(path string, value any) verdict {
	return verdict{patch: []operation{{Op: "add", Path: path, Value: value}}}
}

// labelled is the part of objects that the webhooks read.
type labelled struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Data     map[string]string `json:"data"`
}

// unwanted is the label, and the key of data, that determines a webhook's answer.
const unwanted = "webhook-e2e-test"

// webhooks are the answers of the process, by path.
var webhooks = map[string]func(*admissionv1.AdmissionRequest) verdict{
	"/always-deny": func(*admissionv1.AdmissionRequest) verdict {
		return verdict{deny: "this webhook " +
			"denies all requests"}
	},
	"/slow":                     slow,
	"/add-label":                addLabel,
	"/pods":                     lookAtPod,
	"/pods/attach":              lookAtAttach,
	"/configmaps":               lookAtData,
	"/custom-resource":          lookAtData,
	"/crd":                      lookAtLabel,
	"/mutating-configmaps":      addStages,
	"/mutating-custom-resource": addStages,
	"/mutating-pods":            addInitContainer,
	"/count":                    count,
	"/warn": func(*admissionv1.AdmissionRequest) verdict {
		return verdict{warn: []string{"this webhook has seen it"}}
	},
	"/who": who,
}

// slow takes two seconds.
func slow(*admissionv1.AdmissionRequest) verdict {
	time.Sleep(2 * time.Second)
	return verdict{}
}

// look decodes the new object, or on a delete the old one.
func look[T any](r *admissionv1.AdmissionRequest) (object T) {
	raw := r.Object.Raw
	if r.Operation == admissionv1.Delete {
		raw = r.OldObject.Raw
	}
	if err := json.Unmarshal(raw, &object); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return object
}

func lookAtPod(r *admissionv1.AdmissionRequest) verdict {
	pod := look[corev1.Pod](r)
	if pod.Labels[unwanted] == "wait" {
		return slow(r)
	}
	var deny string
	for _, c := range pod.Spec.Containers {
		if c.Name == "webhook-disallow" {
			deny += "the pod has an unwanted name of a container; "
		}
	}
	if pod.Labels[unwanted] == "webhook-disallow" {
		deny += "the pod has an unwanted label; "
	}
	return verdict{deny: deny}
}

func lookAtAttach(r *admissionv1.AdmissionRequest) verdict {
	if o := look[corev1.PodAttachOptions](r); o.Container == "container1" && r.Name == "to-be-attached-pod" {
		return verdict{deny: fmt.Sprintf("attaching to pod '%s' is not allowed", r.Name)}
	}
	return verdict{}
}

func lookAtData(r *admissionv1.AdmissionRequest) verdict {
	switch value := look[labelled](r).Data[unwanted]; {
	case value == "webhook-disallow":
		return verdict{deny: "the object has an unwanted key and value"}
	case value == "webhook-nondeletable" && r.Operation == admissionv1.Delete:
		return verdict{deny: "the object cannot be deleted because it has an unwanted key and value"}
	}
	return verdict{}
}

func lookAtLabel(r *admissionv1.AdmissionRequest) verdict {
	if look[labelled](r).Metadata.Labels[unwanted] == "webhook-disallow" {
		return verdict{deny: "the object has an unwanted label"}
	}
	return verdict{}
}

func addLabel(r *admissionv1.AdmissionRequest) verdict {
	if look[labelled](r).Metadata.Labels == nil {
		return add("/metadata/labels", map[string]string{"added-label": "yes"})
	}
	return add("/metadata/labels/added-label", "yes")
}

// addStages adds the next stage to those that are done.
func addStages(r *admissionv1.AdmissionRequest) verdict {
	data := look[labelled](r).Data
	switch {
	case data["mutation-start"] == "yes" && data["mutation-stage-1"] == "":
		return add("/data/mutation-stage-1", "yes")
	case data["mutation-stage-1"] == "yes" && data["mutation-stage-2"] == "":
		return add("/data/mutation-stage-2", "yes")
	}
	return verdict{}
}

func addInitContainer(*admissionv1.AdmissionRequest) verdict {
	return add("/spec/initContainers", []map[string]string{{"name": "added-by-webhook",
		"image": "registry.example.com/init:1"}})
}

// count counts in an annotation how often it was called for an object.
func count(r *admissionv1.AdmissionRequest) verdict {
	seen := look[labelled](r).Metadata.Annotations["seen"]
	if seen == "" {
		return add("/metadata/annotations", map[string]string{"seen": "x"})
	}
	return add("/metadata/annotations/seen", seen+"x")
}

// who denies, with the user of the request in its message.
func who(r *admissionv1.AdmissionRequest) verdict {
	dry := r.DryRun != nil && *r.DryRun
	return verdict{deny: fmt.Sprintf("%s %s as %s of %s %s in %q by %s %v, dry run %t, old %t, options %s", r.Operation,
		r.Resource, r.RequestKind,
		r.Name, r.SubResource, r.Namespace, r.UserInfo.Username, r.UserInfo.Groups, dry, r.OldObject.Raw != nil,
		r.Options.Raw)}
}

// runWebhook is the process.
func runWebhook(addr, certificate, key string) error {
	mux := http.NewServeMux()
	for path, look := range webhooks {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { review(w, r, look) })
	}
	mux.HandleFunc("/broken", func(w http.ResponseWriter,
		_ *http.Request) {
		http.Error(w, "broken", http.StatusInternalServerError)
	})
	mux.HandleFunc("/nonsense", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"kind": "ConfigMap"}`) })
	mux.HandleFunc("/readyz", func(http.ResponseWriter, *http.Request) {})
	s := &http.Server{Addr: addr, Handler: mux, TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12},
		ReadHeaderTimeout: time.Minute}
	return s.ListenAndServeTLS(certificate, key)
}

// review answers an AdmissionReview.
func review(w http.ResponseWriter, r *http.Request, look func(*admissionv1.AdmissionRequest) verdict) {
	var a admissionv1.AdmissionReview
	if err := json.NewDecoder(r.Body).Decode(&a); err != nil || a.Request == nil {
		http.Error(w, fmt.Sprint("no review: ", err), http.StatusBadRequest)
		return
	}
	v := look(a.Request)
	a.Response = &admissionv1.AdmissionResponse{UID: a.Request.UID, Allowed: v.deny == "", Warnings: v.warn}
	if v.deny != "" {
		a.Response.Result = &metav1.Status{Message: v.deny}
	}
	if v.patch != nil {
		kind := admissionv1.PatchTypeJSONPatch
		a.Response.PatchType = &kind
		a.Response.Patch, _ = json.Marshal(v.patch) // strings and maps of them
	}
	a.Request = nil
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(a); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
