// Package patch makes a new JSON object of an old one and a patch: JSON Patch (RFC 6902), JSON Merge Patch (RFC 7396)
// and the strategic merge patch of Kubernetes. It is a pure room: no store, no HTTP. Its errors are apimachinery
// StatusErrors with the texts of kube-apiserver.
package patch

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	jsonpatch "github.com/evanphx/json-patch/v5"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// Strictness is what becomes of unknown and duplicate fields in a patch (API Concepts, "Field validation").
type Strictness int

const (
	Ignore Strictness = iota // drop them silently
	Warn                     // drop them and tell
	Strict                   // refuse the patch
)

// maxOperations is the most operations that kube-apiserver takes in one JSON Patch.
const maxOperations = 10_000

// Apply returns before with the patch body applied, and warnings for the client. model is an empty object of the kind,
// whose struct tags guide a strategic merge.
func Apply(t types.PatchType, before, body []byte, model runtime.Object, s Strictness) (after []byte, warnings []string, err error) {
	switch t {
	case types.JSONPatchType:
		return jsonPatch(before, body, s)
	case types.MergePatchType:
		return mergePatch(before, body, s)
	case types.StrategicMergePatchType:
		return strategicPatch(before, body, model, s)
	}
	return nil, nil, fmt.Errorf("unknown Content-Type header for patch: %v", t)
}

// jsonPatch applies the operations of RFC 6902.
func jsonPatch(before, body []byte, s Strictness) ([]byte, []string, error) {
	var operations []struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		From  string `json:"from"`
		Value any    `json:"value"`
	}
	strict, err := checkStrict(body, &operations, s, "json patch ")
	if err != nil {
		return nil, nil, err
	}
	p, err := jsonpatch.DecodePatch(body)
	if err != nil {
		return nil, nil, apierrors.NewBadRequest(err.Error())
	}
	if len(p) > maxOperations {
		return nil, nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("The allowed maximum operations in a JSON patch is %d, got %d", maxOperations, len(p)))
	}
	after, err := p.Apply(before)
	if err != nil {
		return nil, nil, unprocessable(err)
	}
	return settle(after, strict, s)
}

// unprocessable is the 422 of a patch that reads well and can not be applied.
func unprocessable(err error) error {
	return apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
}

// mergePatch merges as RFC 7396 says: null removes, objects merge, all else replaces.
func mergePatch(before, body []byte, s Strictness) ([]byte, []string, error) {
	strict, err := checkStrict(body, &map[string]any{}, s, "")
	if err != nil {
		return nil, nil, err
	}
	after, err := jsonpatch.MergePatch(before, body)
	if errors.Is(err, jsonpatch.ErrBadJSONPatch) {
		return nil, nil, apierrors.NewBadRequest(err.Error())
	}
	if err != nil {
		return nil, nil, err
	}
	return settle(after, strict, s)
}

// strategicPatch merges lists by their keys, as the tags of the kind say.
func strategicPatch(before, body []byte, model runtime.Object, s Strictness) ([]byte, []string, error) {
	var strict []error
	changes := map[string]any{}
	err := kjson.UnmarshalCaseSensitivePreserveInts(body, &changes)
	if s != Ignore {
		changes = map[string]any{}
		strict, err = kjson.UnmarshalStrict(body, &changes)
	}
	if err != nil {
		return nil, nil, apierrors.NewBadRequest(err.Error())
	}
	original := map[string]any{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(before, &original); err != nil {
		return nil, nil, err
	}
	merged, err := strategicpatch.StrategicMergeMapPatch(original, changes, model)
	if err != nil {
		return nil, nil, strategicError(err)
	}
	after, err := json.Marshal(merged)
	if err != nil {
		return nil, nil, err
	}
	return settle(after, strict, s)
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

// Configuration reads the body of an apply, YAML or JSON.
func Configuration(body []byte, s Strictness) (config *unstructured.Unstructured, warnings []string, err error) {
	config = &unstructured.Unstructured{Object: map[string]any{}}
	if err := yaml.Unmarshal(body, &config.Object); err != nil {
		return nil, nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
	}
	if s == Ignore {
		return config, nil, nil
	}
	err = yaml.UnmarshalStrict(body, &map[string]any{})
	switch {
	case err == nil:
		return config, nil, nil
	case s == Strict:
		return nil, nil, apierrors.NewBadRequest(fmt.Sprintf("error strict decoding patch: %v", err))
	}
	return config, []string{err.Error()}, nil
}

// checkStrict collects duplicate and unknown fields of the patch itself.
func checkStrict(body []byte, into any, s Strictness, prefix string) ([]error, error) {
	if s == Ignore {
		return nil, nil
	}
	strict, err := kjson.UnmarshalStrict(body, into)
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
	}
	for i, e := range strict {
		strict[i] = fmt.Errorf("%s%w", prefix, e)
	}
	return strict, nil
}

// settle hands strict errors on as warnings, or refuses the patch.
func settle(after []byte, strict []error, s Strictness) ([]byte, []string, error) {
	if len(strict) == 0 {
		return after, nil, nil
	}
	if s == Strict {
		return after, nil, runtime.NewStrictDecodingError(strict)
	}
	warnings := make([]string, len(strict))
	for i, e := range strict {
		warnings[i] = e.Error()
	}
	return after, warnings, nil
}
