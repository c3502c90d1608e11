package patch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4" // the version that kube-apiserver applies: v5 refuses what v4 takes
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	cbor "k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/util/yaml"
	kjson "sigs.k8s.io/json"

	"kubarium/codecs"
)

// Strictness is what becomes of unknown and duplicate fields in a patch (API Concepts, "Field validation").
type Strictness int

const (
	Ignore Strictness = iota // drop them silently
	Warn                     // drop them and warn
	Strict                   // refuse the patch
)

// maxOperations is the most operations that kube-apiserver takes in one JSON Patch.
const maxOperations = 10_000

// A Result is an object with a patch applied.
type Result struct {
	After  []byte         // the new object's JSON; nil for a strategic merge
	Merged map[string]any // the new object of a strategic merge, for Convert; else nil
	Strict []error        // unknown and duplicate fields of the patch itself; empty for Ignore
	// Shown is what an error about the result quotes: the result, or for a strategic merge the patch.
	Shown string
}

// Apply returns before with the patch body applied. model is an empty object of the kind, whose struct tags guide a
// strategic merge.
func Apply(ctx context.Context, t types.PatchType, before, body []byte, model runtime.Object, s Strictness) (Result, error) {
	if err := Check(body); err != nil {
		return Result{}, err
	}
	switch t {
	case types.JSONPatchType:
		return jsonPatch(ctx, before, body, s)
	case types.MergePatchType:
		return mergePatch(ctx, before, body, s)
	case types.StrategicMergePatchType:
		return strategicPatch(ctx, before, body, model, s)
	}
	return Result{}, fmt.Errorf("unknown Content-Type header for patch: %v", t)
}

// Check refuses a body that Apply cannot read: one that is not JSON, or has more parts than a body may.
func Check(body []byte) error {
	if err := codecs.JSON.Bound(body, nil); err != nil {
		return err
	}
	if !json.Valid(body) {
		return apierrors.NewBadRequest("invalid JSON patch")
	}
	return nil
}

// A jsonPatchOp is one step of a JSON Patch, as its fields are checked.
type jsonPatchOp struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	From  string `json:"from"`
	Value any    `json:"value"`
}

// jsonPatch applies the operations of RFC 6902.
func jsonPatch(ctx context.Context, before, body []byte, s Strictness) (Result, error) {
	var operations []jsonPatchOp
	strict, err := checkStrict(body, &operations, s, "json patch ")
	if err != nil {
		return Result{}, err
	}
	p, err := jsonpatch.DecodePatch(body)
	if err != nil {
		return Result{}, apierrors.NewBadRequest(err.Error())
	}
	if len(p) > maxOperations {
		return Result{}, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("The allowed maximum operations in a JSON patch is %d, got %d", maxOperations, len(p)))
	}
	if err := boundJSON(ctx, before, p); err != nil {
		return Result{}, err
	}
	after, err := p.Apply(before)
	if err != nil {
		return Result{}, unprocessable(err)
	}
	if err := boundResult(after); err != nil {
		return Result{}, err
	}
	return Result{After: after, Strict: strict, Shown: string(after)}, nil
}

// boundResult refuses, with a 422, a result that is larger than a body may be: no client could have sent it.
func boundResult(after []byte) error {
	err := codecs.JSON.Bound(after, nil)
	if err == nil {
		return nil
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid, Message: "the patched object: " + err.Error(),
	}}
}

// unprocessable is the 422 of a patch that reads well and cannot be applied.
func unprocessable(err error) error {
	return apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
}

// mergePatch merges as RFC 7396 says: null removes, objects merge, all else replaces.
func mergePatch(ctx context.Context, before, body []byte, s Strictness) (Result, error) {
	strict, err := checkStrict(body, &map[string]any{}, s, "")
	if err != nil {
		return Result{}, err
	}
	after, err := merge(ctx, before, body)
	if errors.Is(err, jsonpatch.ErrBadJSONPatch) {
		return Result{}, apierrors.NewBadRequest(err.Error())
	}
	if err == nil {
		err = boundResult(after)
	}
	if err != nil {
		return Result{}, err
	}
	return Result{After: after, Strict: strict, Shown: string(after)}, nil
}

// strategicPatch merges lists by their keys, as the tags of the kind say.
func strategicPatch(ctx context.Context, before, body []byte, model runtime.Object, s Strictness) (Result, error) {
	var strict []error
	changes := map[string]any{}
	err := kjson.UnmarshalCaseSensitivePreserveInts(body, &changes)
	if s != Ignore {
		changes = map[string]any{}
		strict, err = kjson.UnmarshalStrict(body, &changes)
	}
	if err != nil {
		return Result{}, apierrors.NewBadRequest(err.Error())
	}
	original := map[string]any{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(before, &original); err != nil {
		return Result{}, err
	}
	if err := boundStrategic(ctx, original, changes, model); err != nil {
		return Result{}, err
	}
	shown := fmt.Sprintf("%+v", changes)
	merged, err := strategicpatch.StrategicMergeMapPatch(original, changes, model)
	if err != nil {
		return Result{}, strategicError(err)
	}
	return Result{Merged: merged, Strict: strict, Shown: shown}, nil
}

// Convert fills obj from Merged and returns the unknown fields in it, none for Ignore. It goes there without JSON, as
// kube-apiserver does, which shows in the words of its error about a field of a wrong type.
func (r Result) Convert(obj runtime.Object, s Strictness) (unknown []error, err error) {
	err = runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(r.Merged, obj, s != Ignore)
	if strict, ok := runtime.AsStrictDecodingError(err); ok {
		return strict.Errors(), nil
	}
	return nil, err
}

// strategicError words a failed strategic merge: a patch of a wrong form is a 400, one that does not fit a 422.
func strategicError(err error) error {
	switch {
	case slices.Contains(badForms, err):
		return apierrors.NewBadRequest(err.Error())
	case errors.Is(err, mergepatch.ErrNoListOfLists), errors.Is(err, mergepatch.ErrPatchContentNotMatchRetainKeys):
		return unprocessable(err)
	}
	return err
}

// badForms are the errors that say that a strategic merge patch itself is wrong.
var badForms = []error{
	mergepatch.ErrBadJSONDoc,
	mergepatch.ErrBadPatchFormatForPrimitiveList,
	mergepatch.ErrBadPatchFormatForRetainKeys,
	mergepatch.ErrBadPatchFormatForSetElementOrderList,
	mergepatch.ErrUnsupportedStrategicMergePatchFormat,
}

// IsApply reports whether a patch is a Server-Side Apply, whose body is a Configuration, and not one of the patches of
// Apply.
func IsApply(t types.PatchType) bool {
	return t == types.ApplyYAMLPatchType || t == types.ApplyCBORPatchType
}

// A Config is the body of an apply.
type Config struct {
	Object *unstructured.Unstructured // nil if the body is Unfit
	// Unfit is the 400 of a body that is well formed and not an object. kube-apiserver answers it after it has found an
	// object to apply the body to.
	Unfit error
	// duplicates names keys that occur twice; nil if there are none.
	duplicates error
}

// Configuration reads the body of an apply: YAML, which JSON is too, or CBOR. An error is the 400 of one that is malformed.
func Configuration(t types.PatchType, body []byte, s Strictness) (c Config, err error) {
	form := codecs.YAML
	if t == types.ApplyCBORPatchType {
		form = codecs.CBOR
	}
	if err := form.Bound(body, nil); err != nil {
		return Config{}, err
	}
	unmarshal := func(data []byte, into any) error { return yaml.Unmarshal(data, into) }
	if t == types.ApplyCBORPatchType {
		unmarshal = cbor.Unmarshal
	}
	object := map[string]any{}
	if err := unmarshal(body, &object); err != nil {
		c.Unfit = apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
		_, malformed := JSON(t, body)
		return c, malformed
	}
	c.Object = &unstructured.Unstructured{Object: object}
	if s != Ignore && t == types.ApplyYAMLPatchType { // CBOR with a key that occurs twice was refused
		c.duplicates = yaml.UnmarshalStrict(body, &map[string]any{})
	}
	return c, nil
}

// JSON is the body of a patch of any type as JSON, as an audit log has it. The error is the 400 of a body of which none can be
// made.
func JSON(t types.PatchType, body []byte) ([]byte, error) {
	switch t {
	case types.ApplyYAMLPatchType:
		if err := codecs.YAML.Bound(body, nil); err != nil {
			return nil, err
		}
		text, err := yaml.ToJSON(body) // what begins like JSON stays as it is
		if err != nil {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("error encoding patch: %v", err))
		}
		return text, nil
	case types.ApplyCBORPatchType:
		if err := codecs.CBOR.Bound(body, nil); err != nil {
			return nil, err
		}
		var v any
		if err := cbor.Unmarshal(body, &v); err != nil {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
		}
		text, err := json.Marshal(v)
		if err != nil {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("error encoding patch: %v", err))
		}
		return text, nil
	}
	return body, Check(body)
}

// Judge judges keys that occur twice, after the apply has succeeded: they are an error for Strict, warnings for Warn.
func (c Config) Judge(s Strictness) (warnings []string, err error) {
	switch {
	case c.duplicates == nil:
		return nil, nil
	case s == Strict:
		return nil, apierrors.NewBadRequest(fmt.Sprintf("error strict decoding patch: %v", c.duplicates))
	}
	return yamlWarnings(c.duplicates), nil
}

// yamlWarnings are the lines of the one error in which the YAML library lists all that it found.
func yamlWarnings(err error) []string {
	_, lines, ok := strings.Cut(err.Error(), "yaml: unmarshal errors:\n")
	if !ok {
		return []string{err.Error()}
	}
	var warnings []string
	for line := range strings.SplitSeq(lines, "\n") {
		warnings = append(warnings, strings.TrimSpace(line))
	}
	return warnings
}

// checkStrict collects duplicate and unknown fields of the patch itself.
func checkStrict(body []byte, into any, s Strictness, prefix string) ([]error, error) {
	if s == Ignore {
		return nil, nil
	}
	strict, err := kjson.UnmarshalStrict(body, into)
	if err != nil {
		text := strings.ReplaceAll(err.Error(), "patch.jsonPatchOp", "handlers.jsonPatchOp") // where kube-apiserver has the type
		return nil, apierrors.NewBadRequest("error decoding patch: " + text)
	}
	for i, e := range strict {
		strict[i] = fmt.Errorf("%s%w", prefix, e)
	}
	return strict, nil
}
