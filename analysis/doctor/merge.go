package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const (
	// maxAlike is how many objects of one resource a rule reports one by one for a client; of more, the gravest finding
	// speaks for all.
	maxAlike = 2
	// maxResources is the same for all that a rule reports for a client, of whatever resource.
	maxResources = 5
	// maxNamed is how many objects such a finding has the names of, and maxTold how many of them its sentence names.
	maxNamed = 10
	maxTold  = 3
)

// merge makes one finding of many that differ by their objects only: first of those about one resource, then of all
// those of one rule and client.
func merge(found []Finding) []Finding {
	found = mergeBy(found, maxAlike, func(f *Finding) string { return f.resource })
	return mergeBy(found, maxResources, func(*Finding) string { return "several resources" })
}

// mergeBy merges findings that have the rule, the client and what of gives in common, if there are more than most.
func mergeBy(found []Finding, most int, of func(*Finding) string) (out []Finding) {
	type group struct{ rule, client, of string }
	groups := map[group][]Finding{}
	var seen []group
	for _, f := range found {
		g := group{f.Rule, f.Client, of(&f) + f.apart}
		if groups[g] == nil {
			seen = append(seen, g)
		}
		groups[g] = append(groups[g], f)
	}
	for _, g := range seen {
		if alike := groups[g]; len(alike) <= most {
			out = append(out, alike...)
		} else {
			out = append(out, mergeAlike(alike, g.of))
		}
	}
	return out
}

// mergeAlike is one finding for many.
func mergeAlike(alike []Finding, object string) Finding {
	order(alike)
	all := alike[0]
	all.Object, all.objects, all.Objects = object, 0, nil
	all.Records = slices.Clone(all.Records[:min(len(all.Records), maxRecords/2)])
	lesser, elsewhere := 0, 0
	for i, f := range alike {
		all.objects += max(1, f.objects)
		all.Objects = append(all.Objects, f.named()...)
		if i == 0 {
			continue
		}
		if f.Severity != all.Severity {
			lesser += max(1, f.objects)
		}
		if f.server != all.server {
			elsewhere += max(1, f.objects)
		}
		all.Count += f.Count
		all.requests += f.requests
		all.waited += f.waited
		if f.First.Before(all.First) {
			all.First = f.First
		}
		if f.Last.After(all.Last) {
			all.Last = f.Last
		}
		if len(f.Records) > 0 && len(all.Records) < maxRecords && f.server == all.server {
			all.Records = append(all.Records, f.Records[0])
		}
	}
	how := ""
	if elsewhere > 0 {
		how = fmt.Sprintf(", %d of them of other servers", elsewhere)
	}
	if lesser > 0 {
		how += fmt.Sprintf(", less gravely for %d of them", lesser)
	}
	all.Objects = all.Objects[:min(len(all.Objects), maxNamed)]
	others := all.Objects[1:min(len(all.Objects), 1+maxTold)]
	if more := all.objects - 1 - len(others); more > 0 {
		others = append(slices.Clone(others), fmt.Sprintf("and %d more", more))
	}
	all.one = alike[0].sentence()
	all.What = fmt.Sprintf("%s The same holds for %d more%s: %s.", all.one, all.objects-1, how, strings.Join(others, ", "))
	all.finish()
	return all
}

// named are the first objects that a finding is about.
func (f *Finding) named() []string {
	if f.Objects != nil {
		return f.Objects
	}
	return []string{f.Object}
}

// sentence is what a finding says of the first of its objects.
func (f *Finding) sentence() string { return cmp.Or(f.one, f.What) }

// order sorts findings: the gravest first, then the dearest, then by their names, so that a report keeps its order.
func order(found []Finding) {
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Severity.rank(), b.Severity.rank()), cmp.Compare(b.requests, a.requests),
			cmp.Compare(b.waited, a.waited), cmp.Compare(b.Count, a.Count), strings.Compare(a.Rule, b.Rule),
			strings.Compare(a.Client, b.Client), strings.Compare(a.Object, b.Object), a.First.Compare(b.First))
	})
}
