package deletion

import (
	"encoding/json"
	"time"

	"kubarium/flow/object"
)

// remains is what of an object its deletion depends on.
type remains struct {
	Kind     string
	Metadata struct {
		UID                        string
		DeletionTimestamp          *time.Time
		DeletionGracePeriodSeconds int64
		Finalizers                 []string
		OwnerReferences            []object.OwnerRef
	}
	Spec struct{ Finalizers json.RawMessage }
}

// remainsOf reads what an object's deletion depends on.
func remainsOf(b []byte) (r remains) {
	// An object that cannot be read has nothing that holds it: it is removed by force.
	_ = json.Unmarshal(b, &r)
	return r
}

// specFinalizers are those that a namespace has in its spec.
func (r *remains) specFinalizers() []string {
	var out []string
	if r.Kind == "Namespace" && json.Unmarshal(r.Spec.Finalizers, &out) != nil {
		return nil
	}
	return out
}
