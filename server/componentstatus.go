package server

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/codecs"
	"kubarium/server/answer"
	"kubarium/server/cache"
	"kubarium/server/registry"
	"kubarium/server/storage"
)

// components are asked in this order. Those with an address run on the server's machine in a cluster.
var components = []struct{ name, address string }{
	{"controller-manager", "https://127.0.0.1:10257/healthz"},
	{"scheduler", "https://127.0.0.1:10259/healthz"},
	{"etcd-0", ""},
}

// serveComponents lists the components that the selectors name. They are not stored and have no versions, so a
// resourceVersion has no effect.
func (s *Server) serveComponents(q *Request) (*answer.Answer, error) {
	if err := q.Negotiate(q.collections()); err != nil {
		return nil, err
	}
	o, err := q.listOptions()
	if err != nil {
		return nil, err
	}
	var l registry.List
	for _, c := range components {
		named := o.FieldSelector == nil || o.FieldSelector.Matches(fields.Set{"metadata.name": c.name})
		if !named || o.LabelSelector != nil && !o.LabelSelector.Matches(labels.Set{}) {
			continue
		}
		status, err := s.askComponent(q.Context(), c.name, c.address)
		if err != nil {
			return nil, err
		}
		l.Objects = append(l.Objects, status)
	}
	return &answer.Answer{List: &l, Kind: q.Target.Kind}, nil
}

// serveNoWatch refuses a watch of components.
func (s *Server) serveNoWatch(q *Request) (*answer.Answer, error) {
	if _, err := q.listOptions(); err != nil {
		return nil, err
	}
	return nil, apierrors.NewMethodNotSupported(q.Target.Kind.GroupResource(), "watch")
}

func (s *Server) serveComponent(q *Request) (*answer.Answer, error) {
	if err := q.Negotiate(q.objects()); err != nil {
		return nil, err
	}
	if _, err := q.getOptions(); err != nil {
		return nil, err
	}
	for _, c := range components {
		if c.name != q.Target.Name {
			continue
		}
		status, err := s.askComponent(q.Context(), c.name, c.address)
		if err != nil {
			return nil, err
		}
		return q.record(storage.Record{Key: status.Key, Value: status.Value}), nil
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "componentstatus"}, q.Target.Name)
}

// askComponent asks a component how it is; the one without an address is the store.
func (s *Server) askComponent(ctx context.Context, name, address string) (*cache.Object, error) {
	var message string
	var err error
	if address == "" {
		message, err = "ok", s.checks()["storage"]
	} else {
		message, err = probe(ctx, address)
	}
	health := corev1.ComponentCondition{Type: corev1.ComponentHealthy, Status: corev1.ConditionTrue, Message: message}
	if err != nil {
		health.Status, health.Message = corev1.ConditionFalse, err.Error()
	}
	value, err := json.Marshal(&corev1.ComponentStatus{
		TypeMeta:   metav1.TypeMeta{Kind: "ComponentStatus", APIVersion: "v1"},
		ObjectMeta: metav1.ObjectMeta{Name: name}, Conditions: []corev1.ComponentCondition{health},
	})
	p := codecs.FindPlace(value)
	return &cache.Object{Key: storage.NewKey("componentstatuses", "", name), Value: value, Marks: [2]int32{p.Metadata, p.Version}}, err
}

// probeTime is how long a component may take to answer.
const probeTime = 2 * time.Second

// prober trusts any certificate: those of components are their own.
var prober = &http.Client{Timeout: probeTime, Transport: &http.Transport{
	TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true,
}}

func probe(ctx context.Context, address string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	resp, err := prober.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	switch {
	case err != nil:
		return "", err
	case !slices.Contains([]int{http.StatusOK, http.StatusNoContent}, resp.StatusCode):
		return "", fmt.Errorf("HTTP probe failed with statuscode: %d", resp.StatusCode)
	}
	return strings.TrimSpace(string(body)), nil
}
