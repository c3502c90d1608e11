package play

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"kubarium/scenarios"
	"kubarium/scenarios/check"
	"kubarium/scenarios/client"
)

// hands reports whether the reader is to send a step's request. Without a Witness it would not be seen, so the player sends it then.
func (p *Player) hands(s scenarios.Step) bool {
	return s.As == scenarios.Reader && p.options.Witness != nil
}

// follow begins to read what other clients do.
func (p *Player) follow(st *stage) {
	if p.options.Witness == nil {
		return
	}
	others := p.options.Witness.Follow(st.ctx)
	go func() {
		for seen := range others {
			p.saw(st, seen)
		}
	}()
}

// saw takes a request of another client: as the reader's own that the lesson waits for, or as one that may disturb it.
func (p *Player) saw(st *stage, seen Seen) {
	if seen.Own || seen.Lesson || p.hand(st, seen) || p.harmless(seen) {
		return
	}
	if lost := st.of(seen.Written); len(lost) > 0 && st.ctx.Err() == nil {
		p.disturbed(&Notice{Who: seen.Who, UserAgent: seen.UserAgent, Did: did(seen), Object: lost[0], More: len(lost) - 1, ID: seen.ID})
	}
}

// controlPlane are the beginnings of User-Agents of the cluster's own programs, which write to all objects.
var controlPlane = []string{"kube-controller-manager", "kube-scheduler", "kubelet", "cloud-controller-manager", "kwok"}

// harmless reports whether a request disturbs no lesson: a part of the cluster sent it, or it may be the lesson's own change of what is
// stored past the API, where it cannot be seen who did it.
func (p *Player) harmless(seen Seen) bool {
	ofCluster := func(program string) bool { return strings.HasPrefix(seen.UserAgent, program) }
	ownRows := func(s scenarios.Step) bool {
		return s.Request != nil && s.Request.Method == http.MethodPut && strings.HasPrefix(s.Request.Path, "/debug/rows")
	}
	return slices.ContainsFunc(controlPlane, ofCluster) || seen.Method == "" && slices.ContainsFunc(p.Lesson.Steps, ownRows)
}

// hand takes a request as the reader's, if the lesson waits for one, and reports whether it was what the step asks for.
// If its answer is as expected, the step is done.
func (p *Player) hand(st *stage, seen Seen) bool {
	if !p.awaits() {
		return false
	}
	p.turn.Lock()
	defer p.turn.Unlock()
	if p.stage != st || !p.awaits() {
		return false
	}
	s, ns := p.State().Step, st.values["ns"]
	if why := differs(s, seen, ns); why != "" {
		if concerns(s, seen, ns) {
			p.came(fmt.Sprintf("%s sent %s; %s", seen.Who, described(seen, ns), why))
		}
		return false
	}
	at := p.place()
	o := st.seen(s, seen)
	r, err := p.check(at, s).Outcome(o)
	if m := new(check.Mismatch); errors.As(err, &m) {
		p.came(fmt.Sprintf("%s sent %s, but %s: %s", seen.Who, described(seen, ns), m.What, m.Difference()))
		return true
	}
	if s.Request != nil {
		st.made(s.Request, o.Response)
	}
	p.taken(seen, sentence(seen))
	_ = p.finish(st.ctx, at, r, err) // State has the error
	p.paused()
	p.notify()
	return true
}

// seen returns what came of the reader's request, as if the player had sent it. Of a watch it opens one of its own, which the next
// steps can read.
func (st *stage) seen(s scenarios.Step, seen Seen) check.Outcome {
	if s.Watch != nil && seen.Status == http.StatusOK {
		return st.watch(s)
	}
	response, _ := client.ResponseOf(seen.Status, seen.Header, seen.Body) // what cannot be unpacked has no fields
	return check.Outcome{Method: seen.Method, Path: pathOf(seen), Response: response, Asked: st.asked(s), Reader: true, Cut: seen.Cut}
}
