package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"kubarium/codecs"
	"kubarium/server/answer"
	"kubarium/server/features"
	"kubarium/server/kinds"
	"kubarium/server/patch"
	"kubarium/server/registry"
)

// patchTypes are the media types of the patches that built-in kinds take.
var patchTypes = []string{
	string(types.JSONPatchType), string(types.MergePatchType),
	string(types.StrategicMergePatchType), string(types.ApplyYAMLPatchType), string(types.ApplyCBORPatchType),
}

// customPatchTypes are those that custom resources take: without a Go type there is no strategic merge.
var customPatchTypes = slices.DeleteFunc(slices.Clone(patchTypes), func(t string) bool { return t == string(types.StrategicMergePatchType) })

// patchTypes are those that the target takes with the feature gates as they are.
func (q *Request) patchTypes() []string {
	ts := patchTypes
	if q.Target.Kind.Dynamic {
		ts = customPatchTypes
	}
	if q.Features.Enabled(features.CBORServingAndStorage) {
		return ts
	}
	return slices.DeleteFunc(slices.Clone(ts), func(t string) bool { return t == string(types.ApplyCBORPatchType) })
}

// readPatch negotiates, and reads body and options of a patch.
func (q *Request) readPatch() (t types.PatchType, body []byte, o writing, err error) {
	offer := q.objects()
	offer.Consumes = q.patchTypes()
	name, err := codecs.Consumed(q.Header.Get("Content-Type"), offer)
	if err != nil {
		return "", nil, o, err
	}
	if err := q.Negotiate(offer); err != nil {
		return "", nil, o, err
	}
	q.Flow.Enter("decode")
	body, err = q.readBody()
	q.Flow.Leave(fmt.Sprintf("%d B", len(body)), err)
	if err != nil {
		return "", nil, o, err
	}
	o, err = q.patchOptions(types.PatchType(name))
	return types.PatchType(name), body, o, err
}

func (s *Server) servePatch(q *Request) (*answer.Answer, error) {
	t, body, o, err := q.readPatch()
	if err != nil {
		return nil, err
	}
	p := registry.Patch{Type: t, Body: body, Strict: patch.Strictness(o.validation), Force: o.force}
	p.Decode = func(k *kinds.Kind, patched patch.Result) (runtime.Object, []error, error) {
		obj, strict, err := q.decodePatched(k.New(), k.GroupVersionKind, patched, o.validation, k.Coerce)
		if err != nil {
			return nil, nil, err
		}
		k.Default(obj)
		obj, err = k.Internal(obj)
		return obj, strict, err
	}
	rec, created, err := s.o.Registry.Patch(q.Context(), q.Target, p, o.WriteOptions)
	if err != nil {
		return nil, err
	}
	return q.written(rec, created), nil
}

// decodePatched makes an object of a patch's result, and lists the unknown fields in it.
func (q *Request) decodePatched(into runtime.Object, want schema.GroupVersionKind, patched patch.Result, v codecs.Validation, coerce codecs.Coercion) (runtime.Object, []error, error) {
	if patched.Merged != nil {
		return q.convertPatched(into, want, patched, v)
	}
	obj, _, unknown, err := codecs.JSON.DecodeCoerced(patched.After, want, into, min(v, codecs.Warn), coerce)
	if err != nil {
		return nil, nil, err
	}
	strict := make([]error, len(unknown))
	for i, text := range unknown {
		strict[i] = errors.New(text)
	}
	q.sent(obj)
	return obj, strict, nil
}

// convertPatched does the same for a strategic merge. Such a patch cannot change the kind: that of the path counts.
func (q *Request) convertPatched(into runtime.Object, want schema.GroupVersionKind, patched patch.Result, v codecs.Validation) (runtime.Object, []error, error) {
	unknown, err := patched.Convert(into, patch.Strictness(v))
	if err != nil {
		return nil, nil, err
	}
	into.GetObjectKind().SetGroupVersionKind(want)
	q.sent(into)
	return into, unknown, nil
}

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
	return q.Unstored(scale)
}

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
		return q.Unstored(scale)
	}
	if err := patch.Check(body); err != nil { // before it is looked for what it would change
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
	return q.Unstored(scale)
}

// errScaleOfCustom is all that kube-apiserver says of a body that is no Scale where a custom resource is scaled: what would
// say it does not know the type.
var errScaleOfCustom = apierrors.NewBadRequest(`no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"`)

// scaleKind is what the subresource scale reads and writes.
var scaleKind = schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}
