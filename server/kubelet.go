package server

import (
	"net/http"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/httpstream"
	genericrest "k8s.io/apiserver/pkg/registry/generic/rest"

	"kubarium/server/answer"
	"kubarium/server/kinds"
	"kubarium/server/registry"
)

// servePodNode answers log, exec, attach and portforward. A pod without a node has an empty log and cannot be reached;
// no kubelet listens at the address of a node.
func (s *Server) servePodNode(q *Request) (*answer.Answer, error) {
	if err := s.enterPodNode(q); err != nil {
		return nil, err
	}
	find := kinds.PodNode{
		Pod: func() (runtime.Object, error) {
			pod, err := s.stored(q, q.Target)
			if err != nil {
				return nil, err
			}
			return q.Target.Kind.Internal(pod)
		},
		Kubelet: func(node string) (string, error) { return s.kubelet(q, node) },
	}
	at, err := find.Location(q.Context(), q.Target.Subresource, q.Target.Name, q.Query)
	switch {
	case err != nil:
		return nil, err
	case q.Media.As != "":
		_, err := q.Metadata(&genericrest.LocationStreamer{}) // as kube-apiserver calls a log, which has none
		return nil, err
	case at == nil:
		return &answer.Answer{Status: http.StatusNoContent, Raw: []byte{}, ContentType: "text/plain"}, nil
	}
	refused := "dial tcp " + at.Host + ": connect: connection refused"
	switch {
	case q.Target.Subresource == "log":
		return nil, bare500(`Get "` + at.String() + `": ` + refused)
	case !httpstream.IsUpgradeRequest(q.Request):
		return nil, apierrors.NewBadRequest("Upgrade request required")
	}
	return nil, bare500("error dialing backend: " + refused)
}

// enterPodNode does what comes before the pod: a log is negotiated, and a connection asked for.
func (s *Server) enterPodNode(q *Request) error {
	if q.Target.Subresource != "log" {
		return s.connect(q)
	}
	offer := q.objects()
	offer.Raw = "text/plain"
	return q.Negotiate(offer)
}

// kubelet is the address of a node's kubelet. The error is that of a node that is not there, or has no address.
func (s *Server) kubelet(q *Request, node string) (string, error) {
	nodes := s.o.Registry.Catalogue.Kind(schema.GroupVersionResource{Version: "v1", Resource: "nodes"})
	obj, err := s.stored(q, registry.Target{Kind: nodes, Name: node})
	if apierrors.IsNotFound(err) { // whatever is not there, the official error calls it what the request is for
		return "", apierrors.NewNotFound(schema.GroupResource{Resource: q.Target.Kind.Resource}, node)
	}
	if err != nil {
		return "", err
	}
	address, err := kinds.KubeletAddress(obj.(*corev1.Node))
	if err != nil {
		return "", bare500(err.Error())
	}
	return address, nil
}

// bare500 is a 500 that says no more than its message.
func bare500(message string) error {
	return answer.StatusError(http.StatusInternalServerError, "", message)
}
