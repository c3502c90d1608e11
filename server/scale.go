package server

import (
	"encoding/json"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/codecs"
	"kubarium/server/answer"
	"kubarium/server/patch"
	"kubarium/server/registry"
)

// serveGetScale answers with an object's scale.
func (s *Server) serveGetScale(q *Request) (*answer.Answer, error) {
	if err := q.Negotiate(q.objects()); err != nil {
		return nil, err
	}
	o, err := q.getOptions()
	if err != nil {
		return nil, err
	}
	scale, err := s.o.Registry.GetScale(q.Context(), q.Target, o.ResourceVersion)
	if err != nil {
		return nil, err
	}
	return q.shownScale(scale)
}

// serveUpdateScale answers with the scale as it was replaced.
func (s *Server) serveUpdateScale(q *Request) (*answer.Answer, error) {
	obj, o, err := q.readWrite(q.updateOptions, func(v codecs.Validation) (runtime.Object, error) {
		sent, err := q.decodeKind(&autoscalingv1.Scale{}, scaleKind, v)
		if apierrors.IsBadRequest(err) && q.Target.Kind.Dynamic {
			return nil, errScaleOfCustom
		}
		return sent, err
	})
	if err != nil {
		return nil, err
	}
	scale, err := s.o.Registry.UpdateScale(q.Context(), q.Target, o.WriteOptions, obj.(*autoscalingv1.Scale))
	if err != nil {
		return nil, err
	}
	return q.shownScale(scale)
}

// servePatchScale answers with the scale as it was patched or applied.
func (s *Server) servePatchScale(q *Request) (*answer.Answer, error) {
	t, body, o, err := q.readPatch()
	if err != nil {
		return nil, err
	}
	if patch.IsApply(t) {
		p := registry.Patch{Type: t, Body: body, Strict: patch.Strictness(o.validation), Force: o.force}
		scale, err := s.o.Registry.ApplyScale(q.Context(), q.Target, p, o.WriteOptions)
		if err != nil {
			return nil, err
		}
		return q.shownScale(scale)
	}
	if err := patch.Check(body); err != nil { // before its target is looked up
		return nil, err
	}
	scale, err := s.o.Registry.PatchScale(q.Context(), q.Target, o.WriteOptions, func(old *autoscalingv1.Scale) (*autoscalingv1.Scale, error) {
		before, err := json.Marshal(old)
		if err != nil {
			return nil, err
		}
		result, err := patch.Apply(q.Context(), t, before, body, &autoscalingv1.Scale{}, patch.Strictness(o.validation))
		if err != nil {
			return nil, err
		}
		obj, unknown, err := q.decodePatched(&autoscalingv1.Scale{}, scaleKind, result, o.validation, nil)
		if err := registry.CheckPatched(result, unknown, err, patch.Strictness(o.validation), o.WriteOptions); err != nil {
			return nil, err
		}
		return obj.(*autoscalingv1.Scale), nil
	})
	if err != nil {
		return nil, err
	}
	return q.shownScale(scale)
}

// shownScale is the answer that shows a scale.
func (q *Request) shownScale(scale *autoscalingv1.Scale) (*answer.Answer, error) {
	switch {
	case q.Media.As == "PartialObjectMetadataList" && q.Target.Kind.Dynamic: // whose Scale has no internal form
		return nil, answer.NotListOf(scale)
	case q.Media.As != "Table":
		return q.Unstored(scale)
	}
	row := q.Target.Kind.Scale.Row
	obj, err := row.Internal(scale)
	if err != nil {
		return nil, err
	}
	t, err := q.Table(row, []runtime.Object{obj}, metav1.ListMeta{ResourceVersion: scale.ResourceVersion}, q.Media.Group+"/"+q.Media.Version)
	return &answer.Answer{Object: t}, err
}

// errScaleOfCustom is all that kube-apiserver says of a body that is no Scale where a custom resource is scaled: what
// would say it does not know the type.
var errScaleOfCustom = apierrors.NewBadRequest(`no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"`)

// scaleKind is what the subresource scale reads and writes.
var scaleKind = schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}
