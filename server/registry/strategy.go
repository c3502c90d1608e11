package registry

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/kinds"
)

// prepareCreate sets what the server decides about a new object of a kind: no status, generation 1.
func prepareCreate(k *kinds.Kind, obj runtime.Object) {
	if k.Status && !k.StatusAtCreate {
		k.Parts().ClearStatus(obj)
	}
	if k.Generation {
		access(obj).SetGeneration(1)
	}
	if k.PrepareForCreate != nil {
		k.PrepareForCreate(obj)
	}
}

// prepareUpdate lets through what the door of the update is for: spec and metadata by the main one, status by its own
// (API conventions, "Spec and Status").
func prepareUpdate(t Target, obj, old runtime.Object) {
	k := t.Kind
	access(obj).SetGeneration(access(old).GetGeneration())
	if t.Subresource == "finalize" {
		k.Parts().KeepStatus(obj, old)
		return
	}
	if t.Subresource == "status" {
		k.Parts().KeepRest(obj, old)
		if k.StatusAlone {
			metav1.ResetObjectMetaForStatus(access(obj), access(old))
		}
		if k.PrepareForStatusUpdate != nil {
			k.PrepareForStatusUpdate(obj, old)
		}
		return
	}
	if d := k.Doors[t.Subresource]; d != nil {
		d.Prepare(obj, old)
		return
	}
	if k.Status {
		k.Parts().KeepStatus(obj, old)
	}
	if k.PrepareForUpdate != nil {
		k.PrepareForUpdate(obj, old)
	}
	if k.Generation && access(obj).GetGeneration() == access(old).GetGeneration() && k.Parts().SpecChanged(obj, old) {
		access(obj).SetGeneration(access(old).GetGeneration() + 1)
	}
}
