package patch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// maxPairs is how many pairs of items a strategic merge may compare: the library looks for the partner of each item of a
// patch's list in all of the object's list, and cannot be stopped. Two lists of 1,400 are below it; what is at it takes
// some 0.2 s.
const maxPairs = 4 << 20

// The directives of a strategic merge patch that are lists themselves (Kubernetes API conventions, strategic merge patch).
const (
	elementOrder    = "$setElementOrder/"
	deletePrimitive = "$deleteFromPrimitiveList/"
)

// strategicWork counts the pairs that a strategic merge will compare.
type strategicWork struct {
	ctx   context.Context
	pairs int
}

// boundStrategic refuses a strategic merge patch whose lists are too long for the lists that they meet.
func boundStrategic(ctx context.Context, original, changes map[string]any, model runtime.Object) error {
	schema, err := strategicpatch.NewPatchMetaFromStruct(model)
	if err != nil {
		return err
	}
	w := &strategicWork{ctx: ctx}
	w.object(schema, original, changes)
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.pairs > maxPairs {
		return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d pairs of items that a strategic merge patch compares", maxPairs))
	}
	return nil
}

func (w *strategicWork) done() bool { return w.pairs > maxPairs || w.ctx.Err() != nil }

// object counts the lists in an object of a patch. The library reports what the schema does not know.
func (w *strategicWork) object(schema strategicpatch.LookupPatchMeta, original, changes map[string]any) {
	for name, change := range changes {
		if w.done() {
			return
		}
		switch change := change.(type) {
		case map[string]any:
			inner, _, err := schema.LookupPatchMetadataForStruct(name)
			if err != nil {
				continue
			}
			old, _ := original[name].(map[string]any)
			w.object(inner, old, change)
		case []any:
			field := strings.TrimPrefix(strings.TrimPrefix(name, elementOrder), deletePrimitive)
			inner, meta, err := schema.LookupPatchMetadataForSlice(field)
			if err != nil || !slices.Contains(meta.GetPatchStrategies(), "merge") {
				continue
			}
			old, _ := original[field].([]any)
			beside, _ := changes[field].([]any)
			w.pairs += len(change) * (len(change) + len(old) + len(beside))
			if field == name && meta.GetPatchMergeKey() != "" {
				w.list(inner, meta.GetPatchMergeKey(), old, change)
			}
		}
	}
}

// list counts the lists in the items of a list, each with those of its partner.
func (w *strategicWork) list(schema strategicpatch.LookupPatchMeta, key string, original, changes []any) {
	partners := map[string]map[string]any{}
	for _, item := range original {
		if old, ok := item.(map[string]any); ok {
			partners[fmt.Sprint(old[key])] = old
		}
	}
	for _, item := range changes {
		if w.done() {
			return
		}
		if change, ok := item.(map[string]any); ok {
			w.object(schema, partners[fmt.Sprint(change[key])], change)
		}
	}
}
