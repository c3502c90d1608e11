package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/codecs"
	"kubarium/server/answer"
	"kubarium/server/registry"
)

func (s *Server) serveBinding(q *Request) (*answer.Answer, error) {
	obj, o, err := q.readWrite(q.createOptions, func(v codecs.Validation) (runtime.Object, error) {
		return q.decodeKind(&corev1.Binding{}, corev1.SchemeGroupVersion.WithKind("Binding"), v)
	})
	if err != nil {
		return nil, err
	}
	if err := s.o.Registry.Bind(q.Context(), q.Target, obj.(*corev1.Binding), o.WriteOptions); err != nil {
		return nil, err
	}
	return done(), nil
}

// servePodNode answers log, exec, attach and portforward. A pod without a node has said nothing yet, and cannot be
// reached.
func (s *Server) servePodNode(q *Request) (*answer.Answer, error) {
	if q.Target.Subresource != "log" {
		if err := s.connect(q); err != nil {
			return nil, err
		}
	}
	obj, err := s.stored(q, q.Target)
	if err != nil {
		return nil, err
	}
	pod := obj.(*corev1.Pod)
	if q.Target.Subresource != "portforward" {
		if err := checkContainer(pod, q.Query.Get("container")); err != nil {
			return nil, err
		}
	}
	switch {
	case pod.Spec.NodeName != "":
		return nil, s.askKubelet(q, pod)
	case q.Target.Subresource == "log":
		return &answer.Answer{Status: http.StatusNoContent, Raw: []byte{}, ContentType: "text/plain"}, nil
	}
	return nil, apierrors.NewBadRequest(fmt.Sprintf("pod %s does not have a host assigned", pod.Name))
}

// stored reads an object as it is now.
func (s *Server) stored(q *Request, t registry.Target) (any, error) {
	t.Subresource = ""
	found, err := s.o.Registry.Get(q.Context(), t, "")
	if err != nil {
		return nil, err
	}
	return registry.DecodeServed(t.Kind, found.Record())
}

// checkContainer finds the container that a request names, or the only one.
func checkContainer(p *corev1.Pod, name string) error {
	names, initial := containerNames(p.Spec.Containers), containerNames(p.Spec.InitContainers)
	if name == "" && len(names) == 1 {
		return nil
	}
	if name != "" {
		for _, e := range p.Spec.EphemeralContainers {
			initial = append(initial, e.Name)
		}
		if slices.Contains(names, name) || slices.Contains(initial, name) {
			return nil
		}
		return apierrors.NewBadRequest(fmt.Sprintf("container %s is not valid for pod %s", name, p.Name))
	}
	text := fmt.Sprintf("a container name must be specified for pod %s, choose one of: [%s]", p.Name, strings.Join(names, " "))
	if len(initial) > 0 {
		text += fmt.Sprintf(" or one of the init containers: [%s]", strings.Join(initial, " "))
	}
	return apierrors.NewBadRequest(text)
}

func containerNames(containers []corev1.Container) []string {
	var names []string
	for _, c := range containers {
		names = append(names, c.Name)
	}
	return names
}
