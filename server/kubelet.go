package server

import (
	"cmp"
	"net"
	"net/http"
	"net/url"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/httpstream"

	"kubarium/server/answer"
	"kubarium/server/registry"
)

// kubeletPort is where a kubelet listens unless its Node says otherwise.
const kubeletPort = "10250"

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
	addresses := obj.(*corev1.Node).Status.Addresses
	if len(addresses) == 0 {
		return "", bare500("no preferred addresses found; known addresses: []")
	}
	return net.JoinHostPort(addresses[0].Address, kubeletPort), nil
}

// askKubelet is the error of a log, exec, attach or portforward: nobody listens where the kubelet should.
func (s *Server) askKubelet(q *Request, pod *corev1.Pod) error {
	address, err := s.kubelet(q, pod.Spec.NodeName)
	if err != nil {
		return err
	}
	refused := "dial tcp " + address + ": connect: connection refused"
	switch {
	case q.Target.Subresource == "log":
		u := url.URL{Scheme: "https", Host: address, RawQuery: q.logParameters().Encode()}
		u.Path = "/containerLogs/" + pod.Namespace + "/" + pod.Name + "/" + cmp.Or(q.Query.Get("container"), pod.Spec.Containers[0].Name)
		return bare500(`Get "` + u.String() + `": ` + refused)
	case !httpstream.IsUpgradeRequest(q.Request):
		return apierrors.NewBadRequest("Upgrade request required")
	}
	return bare500("error dialing backend: " + refused)
}

// logParameters are those of a log that a kubelet is told, but for what is as it is without them.
func (q *Request) logParameters() url.Values {
	told := url.Values{}
	for _, name := range []string{"follow", "previous", "timestamps", "sinceSeconds", "sinceTime", "tailLines", "limitBytes"} {
		if value := q.Query.Get(name); value != "" && value != "false" {
			told.Set(name, value)
		}
	}
	return told
}

// bare500 is a 500 that says no more than its message.
func bare500(message string) error {
	return answer.StatusError(http.StatusInternalServerError, "", message)
}
