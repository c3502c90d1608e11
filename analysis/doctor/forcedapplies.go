package doctor

import (
	"fmt"
	"maps"
	"slices"

	"kubarium/analysis/ownership"
	"kubarium/flow/object"
)

// manyForced is from how many forced applies that took fields of one object on they are a warning: a controller takes the fields that are its
// own once, and keeps them.
const manyForced = 3

// forcedApplies finds applies with force that took fields from another manager.
type forcedApplies struct{ tally tally[taken] }

// taken is what they took.
type taken struct{ fields, owners map[string]bool }

func (a *forcedApplies) add(r *request) {
	if !r.reported || r.Target.Verb != "apply" || !r.accepted() || len(r.Effects) != 1 || r.Effects[0].Before == nil || !ownership.Forced(r.Query) {
		return
	}
	fields, owners := takenFields(r)
	if len(fields) == 0 {
		return
	}
	one := a.tally.at(r.who(), r.ref)
	one.note(r)
	if one.own.fields == nil {
		one.own = taken{map[string]bool{}, map[string]bool{}}
	}
	for _, f := range fields {
		if len(one.own.fields) < maxRecords {
			one.own.fields[f] = true
		}
	}
	for _, o := range owners {
		one.own.owners[o] = true
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

func (a *forcedApplies) report(*run) (out []Finding) {
	for _, one := range a.tally.all() {
		severity := Note
		if one.count >= manyForced {
			severity = Warning
		}
		out = append(out, one.finding(severity, fmt.Sprintf("%s took fields of %s from %s by force, %s: %s.", one.who, nameOf(one.ref),
			few(slices.Sorted(maps.Keys(one.own.owners)), 3), times(one.count), few(slices.Sorted(maps.Keys(one.own.fields)), 4))))
	}
	return out
}

func (*forcedApplies) forget() {}
