package explore

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"kubarium/flow/object"
)

// Plan chooses faults for the clients of a run, by what it recorded. possible is how many there were to choose from.
func Plan(s *Server, o Options) (faults []Fault, possible int) {
	if o.StaleFor == 0 {
		o.StaleFor = DefaultStale
	}
	p := &planner{o: o, server: s, random: map[object.Ref]bool{}}
	p.targets = p.clients()
	p.generated()
	for _, k := range Kinds {
		if o.Kinds != nil && !slices.Contains(o.Kinds, k) {
			continue
		}
		switch k {
		case Stale:
			p.stale()
		case Unseen:
			p.unseen()
		case Lost:
			p.lost()
		case Cut:
			p.cut()
		case Late:
			p.late()
		case Away:
			p.away()
		case Refused:
			p.refused()
		}
	}
	for _, c := range spread(p.candidates, o.Most, o.Seed) {
		faults = append(faults, c.fault())
	}
	return faults, len(p.candidates)
}

// Clients are the User-Agents of those that Plan would try.
func Clients(s *Server, o Options) (out []string) {
	p := &planner{o: o, server: s}
	for agent := range p.clients() {
		out = append(out, agent)
	}
	slices.Sort(out)
	return out
}

// spread chooses most of the candidates, 0 for all: the lower tiers first, and of these in turn from each kind and each
// group. Chance chooses within a group.
func spread(all []candidate, most int, seed uint64) []candidate {
	if most <= 0 || len(all) <= most {
		return all
	}
	chance := rand.New(rand.NewPCG(seed, 1))
	order := chance.Perm(len(all))
	type rank struct{ tier, turn, kind int }
	ranks := make([]rank, len(all))
	turns := map[[3]any]int{}
	for _, i := range order {
		c := &all[i]
		of := [3]any{c.kind, c.group, c.tier}
		ranks[i] = rank{c.tier, turns[of], slices.Index(Kinds, c.kind)}
		turns[of]++
	}
	perKind := map[Kind]int{} // so that a kind with many groups does not take the places of the others
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(ranks[a].tier, ranks[b].tier), cmp.Compare(ranks[a].turn, ranks[b].turn))
	})
	places := make([]int, len(all))
	for _, i := range order {
		places[i] = perKind[all[i].kind]
		perKind[all[i].kind]++
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(places[a], places[b]), cmp.Compare(ranks[a].kind, ranks[b].kind))
	})
	chosen := slices.Clone(order[:most])
	slices.Sort(chosen) // as they were found
	out := make([]candidate, 0, most)
	for _, i := range chosen {
		out = append(out, all[i])
	}
	return out
}
