package server

import (
	"bytes"
	"io"
	"net/http"

	policyv1 "k8s.io/api/policy/v1"
	policyv1beta1 "k8s.io/api/policy/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/codecs"
	"kubarium/server/answer"
)

// serveEviction answers the subresource eviction of a pod.
func (s *Server) serveEviction(q *Request) (*answer.Answer, error) {
	obj, o, err := q.readWrite(q.createOptions, q.decodeEviction)
	if err != nil {
		return nil, err
	}
	if err := s.o.Registry.Evict(q.Context(), q.Target, obj.(*policyv1.Eviction), o.WriteOptions); err != nil {
		return nil, err
	}
	return done(), nil
}

// decodeEviction reads an eviction in its present version or the older one, which says the same.
func (q *Request) decodeEviction(v codecs.Validation) (runtime.Object, error) {
	body, err := q.readBody()
	if err != nil {
		return nil, err
	}
	q.Body = io.NopCloser(bytes.NewReader(body))
	if !q.isOldEviction(body) {
		return q.decodeKind(&policyv1.Eviction{}, policyv1.SchemeGroupVersion.WithKind("Eviction"), v)
	}
	obj, err := q.decodeKind(&policyv1beta1.Eviction{}, policyv1beta1.SchemeGroupVersion.WithKind("Eviction"), v)
	if err != nil {
		return nil, err
	}
	old := obj.(*policyv1beta1.Eviction)
	return &policyv1.Eviction{ObjectMeta: old.ObjectMeta, DeleteOptions: old.DeleteOptions}, nil
}

// isOldEviction reports whether a body calls itself an Eviction of policy/v1beta1.
func (q *Request) isOldEviction(body []byte) bool {
	codec, err := codecs.ContentType(q.Header.Get("Content-Type"), q.Offer(codecs.Offer{}))
	if err != nil {
		return false
	}
	_, gvk, _, _ := codec.Decode(body, policyv1.SchemeGroupVersion.WithKind("Eviction"), nil, codecs.Ignore)
	return gvk == policyv1beta1.SchemeGroupVersion.WithKind("Eviction")
}

// done is the answer of a create that has done something and has nothing to show.
func done() *answer.Answer {
	return &answer.Answer{Status: http.StatusCreated, Object: &metav1.Status{TypeMeta: answer.StatusType, Status: metav1.StatusSuccess, Code: http.StatusCreated}}
}
