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
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/cache"
	"kubarium/server/discovery"
	"kubarium/server/kinds"
	"kubarium/server/registry"
	"kubarium/server/storage"
)

// componentRow is the one resource whose objects are nowhere: each is a question to a component of the cluster.
var componentRow = sync.OnceValue(kinds.ComponentStatus)

// componentDiscovery is what discovery says of it.
func componentDiscovery() discovery.Resource {
	r := row(componentRow())
	r.Verbs, r.Storage = []string{"get", "list"}, schema.GroupVersion{}
	return r
}

// componentVerb picks the handler of a request for components; nil for any other request.
func (s *Server) componentVerb(q *Request) (handler, error) {
	switch {
	case q.Group != "" || q.Resource != "componentstatuses":
		return nil, nil
	case q.Namespace != "" || q.Subresource != "" || q.deprecatedWatch:
		return nil, errNoResource
	case q.Method != http.MethodGet:
		return nil, errNoMethod
	case q.Name == "" && isTrue(q.Query["watch"]):
		return nil, apierrors.NewMethodNotSupported(componentRow().GroupResource(), "watch")
	}
	q.Verb = "list"
	if q.Name != "" {
		q.Verb = "get"
	}
	q.Target = registry.Target{Kind: componentRow(), Name: q.Name}
	q.warn("v1 ComponentStatus is deprecated in v1.19+")
	return s.serveComponents, nil
}

// components are asked in this order. Those with an address run beside the server in a cluster, if anywhere.
var components = []struct{ name, address string }{
	{"controller-manager", "https://127.0.0.1:10257/healthz"},
	{"scheduler", "https://127.0.0.1:10259/healthz"},
	{"etcd-0", ""},
}

func (s *Server) serveComponents(q *Request) (*answer, error) {
	if err := q.negotiate(q.objects()); err != nil {
		return nil, err
	}
	var l registry.List
	for _, c := range components {
		if q.Name != "" && q.Name != c.name {
			continue
		}
		status, err := s.askComponent(q.Context(), c.name, c.address)
		if err != nil {
			return nil, err
		}
		l.Objects = append(l.Objects, status)
	}
	switch {
	case q.Name == "":
		return &answer{list: &l, kind: q.Target.Kind}, nil
	case len(l.Objects) == 0:
		//lint:ignore ST1005 this is the official text
		return nil, apierrors.NewInternalError(fmt.Errorf("Component not found: %s", q.Name))
	}
	return q.record(storage.Record{Key: l.Objects[0].Key, Value: l.Objects[0].Value}), nil
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
	return &cache.Object{Key: storage.NewKey("componentstatuses", "", name), Value: value}, err
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
