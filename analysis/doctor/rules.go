package doctor

// allRules are the rules in the order in which they are told, each with nothing seen.
func allRules() []rule {
	return []rule{
		&conflicts{}, &unchangedWrites{}, &circles{}, &unversioned{}, &repeatedLists{}, &unlimitedLists{}, &polling{}, &unmarkedWatches{},
		&expired{}, &statusWrites{}, &forcedApplies{}, &foughtFields{}, &finalizersLeft{}, &ownersLeft{}, &bursts{}, &throttledWaits{},
	}
}

// Rules are all rules, in the order in which they are told.
func Rules() []Rule {
	var out []Rule
	for _, r := range allRules() {
		out = append(out, r.about())
	}
	return out
}
