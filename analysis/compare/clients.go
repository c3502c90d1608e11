package compare

import (
	"cmp"
	"fmt"
	"slices"
)

// A clientPair is a client as it is in both runs; one that only one run has has nothing on the other side.
type clientPair struct {
	name        string
	left, right []*item

	lefts, rights asked // by all clients of the agent
}

// pairClients finds the clients of one run in the other: those of the same agent by what each asked for first, since
// every kubectl is a client of its own, and then in the order in which they come.
func pairClients(l, r *run) (out []clientPair) {
	byAgent := map[string][2][]*client{}
	var agents []string
	for side, clients := range [][]*client{l.clients, r.clients} {
		for _, c := range clients {
			both, known := byAgent[c.agent]
			if !known {
				agents = append(agents, c.agent)
			}
			both[side] = append(both[side], c)
			byAgent[c.agent] = both
		}
	}
	for _, agent := range agents {
		both := byAgent[agent]
		pairs := pairAgent(both[0], both[1])
		lefts, rights := askedBy(both[0]), askedBy(both[1])
		for i, p := range pairs {
			p.lefts, p.rights = lefts, rights
			p.name = cmp.Or(agent, "(no User-Agent)")
			if len(pairs) > 1 {
				p.name = fmt.Sprintf("%s %d", p.name, i+1)
			}
			out = append(out, p)
		}
	}
	return out
}

func pairAgent(left, right []*client) (out []clientPair) {
	pairs := align(firstAsked(left), firstAsked(right))
	l, r := 0, 0
	for _, p := range append(pairs, pair{len(left), len(right)}) {
		for l < p.left || r < p.right { // what is between those that begin alike
			var c clientPair
			if l < p.left {
				c.left = left[l].items
				l++
			}
			if r < p.right {
				c.right = right[r].items
				r++
			}
			out = append(out, c)
		}
		if p.left < len(left) {
			out = append(out, clientPair{left: left[p.left].items, right: right[p.right].items})
			l, r = p.left+1, p.right+1
		}
	}
	return out
}

// firstAsked are numbers that identify the clients of an agent by their first request for an object.
func firstAsked(clients []*client) []uint64 {
	out := make([]uint64, len(clients))
	for i, c := range clients {
		at := max(0, slices.IndexFunc(c.items, func(it *item) bool { return it.flow.Target.Resource != "" }))
		out[i] = mix(hash(c.items[at].flow.Client.Command), c.items[at].key)
	}
	return out
}
