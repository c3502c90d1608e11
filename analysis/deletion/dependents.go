package deletion

import (
	"bytes"

	"kubarium/flow"
	"kubarium/flow/object"
)

// maxDependents is how many entries of ownerReferences are known at most; beyond them all are forgotten.
const maxDependents = 20_000

// dependents are the objects that name owners.
type dependents struct {
	of    map[string]map[object.Ref]bool // by the owner's uid: whether its deletion waits for the dependent
	known int                            // entries in all
}

// ownersOf are the owners that an object names. Most name none, and are not parsed for it.
func ownersOf(stored []byte) []object.OwnerRef {
	if !bytes.Contains(stored, []byte(`"ownerReferences"`)) {
		return nil
	}
	return remainsOf(stored).Metadata.OwnerReferences
}

// note remembers whom an object depends on after a change of it.
func (d *dependents) note(e flow.Effect) {
	ref := object.RefOf(e.Commit)
	for _, o := range ownersOf(e.Before) {
		if _, ok := d.of[o.UID][ref]; ok {
			d.known--
			delete(d.of[o.UID], ref)
		}
		if len(d.of[o.UID]) == 0 {
			delete(d.of, o.UID)
		}
	}
	for _, o := range ownersOf(e.After) {
		if d.known >= maxDependents {
			clear(d.of)
			d.known = 0
		}
		if d.of[o.UID] == nil {
			d.of[o.UID] = map[object.Ref]bool{}
		}
		if _, ok := d.of[o.UID][ref]; !ok {
			d.known++
		}
		d.of[o.UID][ref] = o.BlockOwnerDeletion
	}
}
