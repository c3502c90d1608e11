package server

import (
	"bytes"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/registry"
)

// encodeTyped makes an answer in an encoding of typed objects. The stored JSON becomes such an object first.
func (s *Server) encodeTyped(q *Request, a *answer) ([]byte, error) {
	obj, err := s.typed(q, a)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = q.Media.Codec.Encode(&b, obj, false)
	return b.Bytes(), err
}

// typed is an answer as one typed object.
func (s *Server) typed(q *Request, a *answer) (runtime.Object, error) {
	if a.object != nil {
		return a.object, nil
	}
	if q.Media.As != "" {
		return s.view(q, a)
	}
	objects, listMeta, err := decodeAnswer(q.Context(), a, registry.DecodeServed)
	if err != nil {
		return nil, err
	}
	if a.record != nil {
		return objects[0], nil
	}
	list := a.kind.NewList()
	list.GetObjectKind().SetGroupVersionKind(a.kind.ListGroupVersionKind())
	for _, obj := range objects {
		if !a.kind.Dynamic {
			obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{}) // items of a built-in list carry none
		}
	}
	if err := meta.SetList(list, objects); err != nil {
		return nil, err
	}
	m, err := meta.ListAccessor(list)
	if err != nil {
		return nil, err
	}
	m.SetResourceVersion(listMeta.ResourceVersion)
	m.SetContinue(listMeta.Continue)
	m.SetRemainingItemCount(listMeta.RemainingItemCount)
	return list, nil
}
