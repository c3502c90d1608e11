package server

import (
	"errors"
	"fmt"
	"slices"

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
	if q.Target.Name == "" {
		return "", nil, o, registry.ErrNoName
	}
	if err := q.Negotiate(offer); err != nil {
		return "", nil, o, err
	}
	if err := q.Flow.Before(q.Context(), "decode"); err != nil {
		return "", nil, o, err
	}
	q.Flow.Enter("decode")
	body, err = q.readBody()
	q.Flow.Leave(fmt.Sprintf("%d B", len(body)), err)
	if err != nil {
		return "", nil, o, err
	}
	o, err = q.patchOptions(types.PatchType(name))
	if err == nil {
		q.out.Audit.Patch(func() ([]byte, error) { return patch.JSON(types.PatchType(name), body) })
	}
	return types.PatchType(name), body, o, err
}

// servePatch answers with what was patched or applied.
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
