package server

import (
	"context"
	"net/http"
	"net/url"
	"path"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/httpstream"
	genericrest "k8s.io/apiserver/pkg/registry/generic/rest"

	"kubarium/server/answer"
	"kubarium/server/kinds"
	"kubarium/server/kubelet"
	"kubarium/server/nodes/script"
	"kubarium/server/registry"
)

// servePodNode answers log, exec, attach and portforward. A pod without a node has an empty log and cannot be reached;
// no kubelet listens at the address of a node, except that simulated ones have one here.
func (s *Server) servePodNode(q *Request) (*answer.Answer, error) {
	if err := s.enterPodNode(q); err != nil {
		return nil, err
	}
	simulated := false
	find := kinds.PodNode{
		Pod: func() (runtime.Object, error) {
			pod, err := s.stored(q, q.Target)
			if err != nil {
				return nil, err
			}
			return q.Target.Kind.Internal(pod)
		},
		Kubelet: func(node string) (address string, err error) {
			address, simulated, err = s.kubelet(q, node)
			return address, err
		},
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
	if simulated {
		return s.serveSimulated(q, at)
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

// kubelet is the address of a node's kubelet, and whether the node is simulated. The error is that of a node that is not there,
// or has no address.
func (s *Server) kubelet(q *Request, node string) (address string, simulated bool, err error) {
	nodes := s.o.Registry.Catalogue.Kind(schema.GroupVersionResource{Version: "v1", Resource: "nodes"})
	obj, err := s.stored(q, registry.Target{Kind: nodes, Name: node})
	if apierrors.IsNotFound(err) { // whatever is not there, the official error calls it what the request is for
		return "", false, apierrors.NewNotFound(schema.GroupResource{Resource: q.Target.Kind.Resource}, node)
	}
	if err != nil {
		return "", false, err
	}
	address, err = kinds.KubeletAddress(obj.(*corev1.Node))
	if err != nil {
		return "", false, bare500(err.Error())
	}
	return address, script.IsSimulated(obj.(*corev1.Node)), nil
}

// bare500 is a 500 that says no more than its message.
func bare500(message string) error {
	return answer.StatusError(http.StatusInternalServerError, "", message)
}

// serveSimulated answers for the kubelet of a simulated node. at is what would be asked of a kubelet:
// /containerLogs/NAMESPACE/POD/CONTAINER?follow=true.
func (s *Server) serveSimulated(q *Request, at *url.URL) (*answer.Answer, error) {
	container := func() (kubelet.Container, error) {
		pod, err := s.stored(q, q.Target)
		if err != nil {
			return kubelet.Container{}, err
		}
		return kubelet.Container{Pod: pod.(*corev1.Pod), Name: path.Base(at.Path)}, nil
	}
	c, err := container()
	if err != nil {
		return nil, err
	}
	if q.Target.Subresource == "log" {
		logs, err := c.Logs(at.Query())
		if err != nil || at.Query().Get("follow") != "true" {
			return &answer.Answer{Raw: logs, ContentType: "text/plain"}, err
		}
		return &answer.Answer{Stream: func(w *answer.Response) {
			ctx, end := context.WithCancel(q.Context())
			defer end()
			defer context.AfterFunc(s.closing, end)()
			kubelet.Follow(ctx, w, logs, container)
		}}, nil
	}
	if !httpstream.IsUpgradeRequest(q.Request) {
		return nil, apierrors.NewBadRequest("Upgrade request required")
	}
	if q.Target.Subresource == "portforward" {
		c.Name = ""
		return nil, c.Refusal()
	}
	found, err := c.Answer(q.Target.Subresource)
	switch {
	case err != nil:
		return nil, err
	case found == nil:
		return nil, c.Refusal()
	}
	return &answer.Answer{Stream: func(w *answer.Response) {
		if err := kubelet.Command(w, q.Request, found); err != nil {
			q.Flow.Leave(err.Error(), nil)
		}
	}}, nil
}
