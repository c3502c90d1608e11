package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// maxAlike is how many objects of one resource a rule names one by one for a client; of more, the gravest finding
// speaks for all.
const maxAlike = 5

// merge puts many findings of one rule about objects of one resource into one.
func merge(found []Finding) []Finding {
	type group struct{ client, resource string }
	groups := map[group][]Finding{}
	var seen []group
	for _, f := range found {
		g := group{f.Client, f.resource}
		if groups[g] == nil {
			seen = append(seen, g)
		}
		groups[g] = append(groups[g], f)
	}
	var out []Finding
	for _, g := range seen {
		if alike := groups[g]; len(alike) <= maxAlike {
			out = append(out, alike...)
		} else {
			out = append(out, mergeAlike(alike, g.resource))
		}
	}
	return out
}

// mergeAlike is one finding for many of one client and one resource.
func mergeAlike(alike []Finding, resource string) Finding {
	order(alike)
	all := alike[0]
	all.Object = fmt.Sprintf("%s, %d objects", resource, len(alike))
	all.What = fmt.Sprintf("%s The same holds for %d more objects of %s.", all.What, len(alike)-1, resource)
	all.Records = slices.Clone(all.Records[:min(len(all.Records), maxRecords/2)])
	for _, f := range alike[1:] {
		all.Count += f.Count
		all.requests += f.requests
		all.waited += f.waited
		if f.First.Before(all.First) {
			all.First = f.First
		}
		if f.Last.After(all.Last) {
			all.Last = f.Last
		}
		if len(f.Records) > 0 && len(all.Records) < maxRecords {
			all.Records = append(all.Records, f.Records[0])
		}
	}
	all.finish()
	return all
}

// order sorts findings: the gravest first, then the dearest, then by their names, so that a report keeps its order.
func order(found []Finding) {
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Severity.rank(), b.Severity.rank()), cmp.Compare(b.requests, a.requests),
			cmp.Compare(b.waited, a.waited), cmp.Compare(b.Count, a.Count), strings.Compare(a.Rule, b.Rule),
			strings.Compare(a.Client, b.Client), strings.Compare(a.Object, b.Object), a.First.Compare(b.First))
	})
}
