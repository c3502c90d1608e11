package server

import (
	"net/http"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/codecs"
)

// serveEviction answers the subresource eviction of a pod.
func (s *Server) serveEviction(q *Request) (*answer, error) {
	obj, o, err := q.readWrite(q.createOptions, func(v codecs.Validation) (runtime.Object, error) {
		return q.decodeKind(&policyv1.Eviction{}, policyv1.SchemeGroupVersion.WithKind("Eviction"), v)
	})
	if err != nil {
		return nil, err
	}
	var dryRun []string
	if o.DryRun {
		dryRun = []string{metav1.DryRunAll}
	}
	if err := s.o.Registry.Evict(q.Context(), q.Target, obj.(*policyv1.Eviction), dryRun); err != nil {
		return nil, err
	}
	return done(), nil
}

// done is the answer of a create that has done something and has nothing to show.
func done() *answer {
	return created(&metav1.Status{TypeMeta: statusType, Status: metav1.StatusSuccess, Code: http.StatusCreated})
}
