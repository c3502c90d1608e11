package compare

import (
	"strings"

	"kubarium/flow"
)

// asked are the requests of all clients of an agent in one run, with their answers: each kubectl is a client of its
// own.
type asked map[uint64]bool

func (a asked) has(it *item) bool { return a[mix(it.token, it.outcome)] }

func askedBy(clients []*client) asked {
	out := asked{}
	for _, c := range clients {
		for _, it := range c.items {
			out[mix(it.token, it.outcome)] = true
		}
	}
	return out
}

// explained says of the items of a client in one run that have no partner which softness they have.
func explained(items []*item, partner []int, theirs asked) []Soft {
	out := make([]Soft, len(items))
	waits := waited(items, partner)
	again, lost := repeated(items), lostRaces(items, partner)
	for i, it := range items {
		if partner[i] >= 0 {
			continue
		}
		f := it.flow
		switch {
		case ofItself(f) != "":
			out[i] = ofItself(f)
		case f.Target.Verb == "watch" && theirs.has(it):
			out[i] = Rewatched
		case isRead(f) && (theirs.has(it) || waits[i]):
			out[i] = ReadAgain
		case !isRead(f) && (again[i] || lost[i] || failed(f) && theirs.has(it)):
			out[i] = Retried
		case !isRead(f) && !failed(f) && len(f.Effects) == 0 && theirs.has(it):
			out[i] = SentAgain
		}
	}
	return out
}

// ofItself is the softness of a request whatever the other run has.
func ofItself(f *flow.Flow) Soft {
	t := &f.Target
	switch {
	case t.Resource == "leases":
		return Renewed
	case t.Resource == "events":
		return Evented
	case t.Resource == "" && isRead(f) && isDiscovery(f.Path):
		return Discovery
	}
	return ""
}

func isDiscovery(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch first {
	case "api", "apis", "openapi", "version", "healthz", "livez", "readyz", "metrics":
		return true
	}
	return false
}

// waited finds reads that were answered otherwise until the answer came that the other run has too: a read of the same
// that has a partner follows, and the client wrote nothing in between that the other run does not have.
func waited(items []*item, partner []int) []bool {
	out := make([]bool, len(items))
	comes := map[uint64]bool{} // reads with a partner after this place
	for i := len(items) - 1; i >= 0; i-- {
		switch it := items[i]; {
		case !isRead(it.flow):
			if partner[i] < 0 {
				clear(comes)
			}
		case partner[i] >= 0:
			comes[it.key] = true
		default:
			out[i] = comes[it.key]
		}
	}
	return out
}

// repeated finds writes that were sent again after they had failed, and those that were refused for the time being and
// sent again later.
func repeated(items []*item) []bool {
	out := make([]bool, len(items))
	failed := map[uint64]bool{}
	for i, it := range items {
		write := mix(it.key, it.body)
		out[i] = failed[write]
		if status := it.flow.Status; status == 0 || status >= 400 {
			failed[write] = true
		}
	}
	comes := map[uint64]bool{}
	for i := len(items) - 1; i >= 0; i-- {
		it := items[i]
		write := mix(it.key, it.body)
		if forTheTimeBeing(it.flow.Status) {
			out[i] = comes[write]
		} else {
			comes[write] = true
		}
	}
	return out
}

// lostRaces finds writes that met a conflict and changed nothing, where a write of the same object follows that both
// runs have.
func lostRaces(items []*item, partner []int) []bool {
	out := make([]bool, len(items))
	comes := map[uint64]bool{}
	for i := len(items) - 1; i >= 0; i-- {
		switch it := items[i]; {
		case isRead(it.flow):
		case it.flow.Status == 409 && it.flow.Reason == "Conflict":
			out[i] = comes[it.key]
		case partner[i] >= 0 && !failed(it.flow):
			comes[it.key] = true
		}
	}
	return out
}
