package doctor

import (
	"fmt"
	"math"

	"kubarium/analysis/ownership"
	"kubarium/flow/object"
)

// manyForced is from how many forced applies that took fields of one object on they are a warning: a controller takes
// the fields that are its own once, and keeps them.
const manyForced = 3

// forcedApplies finds applies with force that took fields from another manager.
type forcedApplies struct{ tally[taken] }

// taken is what they took.
type taken struct{ fields, owners set }

func (a *forcedApplies) add(r *request) {
	if !r.reported || r.Target.Verb != "apply" || !r.accepted() || len(r.Effects) != 1 || r.Effects[0].Before == nil ||
		!ownership.Forced(r.Query) {
		return
	}
	if fields, owners := takenFields(r); len(fields) > 0 {
		one := a.at(r.who(), r.ref)
		one.note(r)
		one.own.fields.add(maxRecords, fields...)
		one.own.owners.add(math.MaxInt, owners...)
	}
}

// takenFields are the fields that an apply took from managers of another name, and their names.
func takenFields(r *request) (fields, owners []string) {
	m := ownership.MakeMatrix(r.Flow, object.Parse(r.Effects[0].Before))
	for _, row := range m.Rows {
		if row.What != ownership.Clashes {
			continue
		}
		others := false
		for i, owns := range row.Owns {
			if owns && m.Owners[i].Name != m.Manager {
				others = true
				owners = append(owners, cut(m.Owners[i].Name))
			}
		}
		if others {
			fields = append(fields, row.Path)
		}
	}
	return fields, owners
}

func (a *forcedApplies) report(*run) []Finding {
	return a.findings(func(one *instance[taken]) (Severity, string) {
		return warningFrom(manyForced, one.count), fmt.Sprintf("%s took fields of %s from %s by force, %s: %s.",
			one.who, nameOf(one.ref), one.own.owners.first(3), times(one.count), one.own.fields.first(4))
	})
}
