package trials

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"kubarium/analysis/explore"
)

// A client that sends so many times the requests of the runs without a fault, and so many more, is in a loop.
const (
	timesRequests = 5
	moreRequests  = 100
)

// panicked finds a panic in what a controller printed: that of the Go runtime, or one that a controller caught and reported.
var panicked = regexp.MustCompile(`(?m)^panic: |Observed a panic`)

// panics is how often the controller of a run panicked.
func (r *ran) panics() int {
	text, _ := os.ReadFile(filepath.Join(r.folder, controllerFile))
	return len(panicked.FindAll(text, -1))
}

// requests are how many each client of a run sent.
func (r *ran) requests(controller bool) map[string]int {
	all := map[string]int{}
	for _, s := range r.servers {
		for who, n := range s.Requests(controller) {
			all[who] += n
		}
	}
	return all
}

// behaviour is what clients did in a run and in none without a fault.
func (j *judge) behaviour(r *ran) (out []explore.Behaviour) {
	falls, panics, requests, quiet := 0, 0, map[string]int{}, true
	for _, b := range j.bases {
		falls, panics, quiet = max(falls, b.Falls), max(panics, b.Panicked), quiet && b.Busy == nil
		for who, n := range b.requests(j.x.controller != nil) {
			requests[who] = max(requests[who], n)
		}
	}
	add := func(kind, who, format string, values ...any) {
		out = append(out, explore.Behaviour{Kind: kind, Who: who, What: fmt.Sprintf(format, values...)})
	}
	if r.Falls > falls {
		add("ended", "", "the controller ended by itself %s, and without the fault %s", count(r.Falls, "time"), count(falls, "time"))
	}
	if r.Panicked > panics {
		add("panicked", "", "the controller panicked %s, and without the fault %s", count(r.Panicked, "time"), count(panics, "time"))
	}
	sent := r.requests(j.x.controller != nil)
	for _, who := range slices.Sorted(maps.Keys(sent)) {
		if n, most := sent[who], requests[who]; n > timesRequests*most && n > most+moreRequests {
			add("requests", who, "%s sent %s, and without the fault %d at most", who, count(n, "request"), most)
		}
	}
	if r.Busy != nil && quiet {
		add("restless", r.Busy[0].Who, "it does not come to rest, as it does without the fault; the busiest is %s", r.Busy[0])
	}
	return out
}
