package controllers

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// A furnisher keeps in each namespace what every namespace of a cluster has: the ServiceAccount "default" and the
// ConfigMap "kube-root-ca.crt"; and creates at the start the Service "kubernetes" and what else every cluster has.
type furnisher struct {
	Client
	log    *slog.Logger
	failed sync.Once // told of a server that cannot write at all, whatever is missing by it
}

// furnish creates what a namespace lacks.
func (f *furnisher) furnish(ctx context.Context, object json.RawMessage) {
	var ns corev1.Namespace
	if json.Unmarshal(object, &ns) != nil || ns.Status.Phase == corev1.NamespaceTerminating {
		return
	}
	path := "/api/v1/namespaces/" + ns.Name
	f.ensure(ctx, path+"/serviceaccounts", "default", &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}})
	f.ensure(ctx, path+"/configmaps", "kube-root-ca.crt", rootCA())
}

// rootCA is the bundle by which pods check the API server's certificate. There is no certificate on a plain port, so
// it is empty but for a word about that.
func rootCA() *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name: "kube-root-ca.crt",
			Annotations: map[string]string{
				"kubernetes.io/description": "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.",
			},
		},
		Data: map[string]string{"ca.crt": ""},
	}
}

// kubernetesService creates the Service by which pods find the API server.
func (f *furnisher) kubernetesService(ctx context.Context) {
	f.ensure(ctx, "/api/v1/namespaces/default/services", "kubernetes", &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "kubernetes", Labels: map[string]string{"component": "apiserver", "provider": "kubernetes"}},
		Spec: corev1.ServiceSpec{
			ClusterIP: "10.96.0.1",
			Ports:     []corev1.ServicePort{{Name: "https", Protocol: corev1.ProtocolTCP, Port: 443, TargetPort: intstr.FromInt32(6443)}},
		},
	})
}

// ensure creates an object that is missing.
func (f *furnisher) ensure(ctx context.Context, path, name string, object any) {
	err := f.do(ctx, http.MethodGet, path+"/"+name, nil, nil)
	if isNotFound(err) {
		err = f.do(ctx, http.MethodPost, path, object, nil)
	}
	f.missing(ctx, path, err)
}

// missing tells people what could not be created. Where somebody else was faster, or where a namespace is going, nothing
// is missing.
func (f *furnisher) missing(ctx context.Context, path string, err error) {
	var refused *StatusError
	if errors.As(err, &refused) {
		switch refused.Status.Code {
		case http.StatusConflict, http.StatusForbidden, http.StatusNotFound:
			return
		case http.StatusServiceUnavailable, http.StatusInsufficientStorage:
			f.failed.Do(func() { f.log.Warn("furniture is missing", "path", path, "error", err) })
			return
		}
	}
	if err != nil && ctx.Err() == nil {
		f.log.Warn("furniture is missing", "path", path, "error", err)
	}
}
