package server

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/codecs"
	"kubarium/server/answer"
	"kubarium/server/objects"
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

// stored reads an object as it is now.
func (s *Server) stored(q *Request, t registry.Target) (runtime.Object, error) {
	t.Subresource = ""
	found, err := s.o.Registry.Get(q.Context(), t, "")
	if err != nil {
		return nil, err
	}
	return objects.DecodeServed(t.Kind, found.Record())
}
