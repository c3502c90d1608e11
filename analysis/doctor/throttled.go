package doctor

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"kubarium/flow"
)

const (
	// client-go's rate limit where nothing is said (rest.DefaultQPS and DefaultBurst): 10 requests at once, then one each
	// 200 ms.
	defaultBurst    = 10
	defaultInterval = 200 * time.Millisecond
	// nearInterval is by how much one gap may be off, and nearMean all of them in the mean: a queue of its own keeps time
	// that well.
	nearInterval = 30 * time.Millisecond
	nearMean     = 6 * time.Millisecond
	// burstBefore is how many requests must come close together before the even ones: the bucket of tokens was full. One
	// may have been used.
	burstBefore = defaultBurst - 2
	// closeTogether is the largest gap within such a burst.
	closeTogether = 100 * time.Millisecond
	// manyEven is from how many even gaps on the pattern is unmistakable.
	manyEven = 10
	// longWait is from when on waiting is a warning.
	longWait = 5 * time.Second
	// manyRefused is from how many 429s on they are a warning.
	manyRefused = 3
)

// throttledWaits finds waits that rate limits made: the server's, by 429, and the client's own.
type throttledWaits struct {
	refused tally[refusedWaits]
	queued  tally[queue]
	waiting ongoing[asked, time.Time] // since which answer 429
	paces   ongoing[*client, *pace]
}

// refusedWaits are the 429s of a client.
type refusedWaits struct{ asked time.Duration }

// asked is a request that is sent again.
type asked struct{ client, verb, path string }

// A queue is the client's own rate limit.
type queue struct{ burst, even int }

// A paced is a request, as far as the next one is compared with it.
type paced struct {
	Path       string
	Target     flow.Target
	start, end time.Time
}

// A pace is how the requests of a client follow each other.
type pace struct {
	last     paced
	fast     int // requests close together up to the last one
	burst    int // those before the even ones
	even     int // gaps of about the interval in a row
	sum      time.Duration
	waited   time.Duration
	varied   int // requests that were not the same as the one before
	records  []uint64
	began    time.Time
	reported *request
}

func (t *throttledWaits) add(r *request) {
	if r.Phase == flow.WatchClosed || r.Target.Resource == "" {
		return
	}
	t.pace(r)
	k := asked{r.client.key, r.Target.Verb, r.Path}
	if since, again := t.waiting[k]; again {
		delete(t.waiting, k)
		if one := t.refused.has(r.who(), listRef(r)); one != nil {
			one.waited += max(0, r.Start.Sub(since))
		}
	}
	if r.Status != 429 || r.Target.Subresource == "eviction" || !r.reported { // an eviction waits for a disruption budget
		return
	}
	one := t.refused.at(r.who(), listRef(r))
	one.cost(r)
	if seconds, err := strconv.Atoi(r.ResponseHeader.Get("Retry-After")); err == nil && seconds > 0 && seconds < 3600 {
		one.own.asked += time.Duration(seconds) * time.Second
	}
	t.waiting.put(k, r.end)
}

// pace follows how the requests of a client come.
func (t *throttledWaits) pace(r *request) {
	p := follow(&t.paces, r.client)
	if p.last.Path == "" {
		p.fast = 1
	} else {
		gap := r.Start.Sub(p.last.start)
		switch off := gap - defaultInterval; {
		case gap < closeTogether:
			t.endPace(p)
			p.fast++
		case off.Abs() <= nearInterval && (p.even > 0 || p.fast >= burstBefore):
			p.goOn(r, gap)
		default:
			t.endPace(p)
			p.fast = 1
		}
	}
	p.last = paced{r.Path, r.Target, r.Start, r.end}
}

// goOn counts a gap of about the interval.
func (p *pace) goOn(r *request, gap time.Duration) {
	if p.even == 0 {
		p.burst, p.began = p.fast, r.Start
	}
	p.even++
	p.sum += gap
	p.waited += max(0, r.Start.Sub(p.last.end))
	if r.writes() || r.Path != p.last.Path || r.Target.Verb != p.last.Target.Verb { // only reads can be polling
		p.varied++
	}
	if r.reported && len(p.records) < maxRecords {
		p.records = append(p.records, r.Seq)
		if p.reported == nil {
			p.reported = light(r)
		}
	}
	p.fast = 0
}

// unmistakable reports whether the even requests are a queue's: many, well in time, and not one and the same, which
// would be polling.
func (p *pace) unmistakable() bool {
	if p.even < manyEven || p.reported == nil || p.varied*2 < p.even {
		return false
	}
	off := p.sum/time.Duration(p.even) - defaultInterval
	return off.Abs() <= nearMean
}

// endPace ends the even requests of a client.
func (t *throttledWaits) endPace(p *pace) {
	if p.unmistakable() {
		p.take(&t.queued)
	}
	*p = pace{last: p.last, fast: p.fast}
}

func (t *throttledWaits) report(*run) []Finding {
	queues := t.queued.copy() // those that are over, and those that go on
	for _, p := range t.paces {
		if p.unmistakable() {
			p.take(&queues)
		}
	}
	return append(t.refused.findings(sayRefused), queues.findings(sayQueue)...)
}

func sayRefused(one *instance[refusedWaits]) (Severity, string) {
	s := fmt.Sprintf("%s was answered 429 Too Many Requests %s for %s", one.who, times(one.count), nameOf(one.ref))
	if one.own.asked > 0 {
		s += fmt.Sprintf(", was asked to wait %s in all", brief(one.own.asked))
	}
	if one.waited > 0 {
		s += fmt.Sprintf(", and sent the same again after %s in all", brief(one.waited))
	}
	return warningFrom(manyRefused, one.count), s + "."
}

func sayQueue(one *instance[queue]) (Severity, string) {
	slices.Sort(one.records)
	return warningFrom(longWait, one.waited), fmt.Sprintf(
		"After a burst of %d requests %s sent %d more at one each %s, as client-go's default limit of 5 a second lets it; "+
			"its own queue made it wait about %s in all.",
		one.own.burst, one.who, one.own.even, brief(defaultInterval), brief(one.waited))
}

// take counts the even requests of a client.
func (p *pace) take(t *tally[queue]) {
	one := t.at(p.reported.client.name, listRef(p.reported))
	one.series(p.even, p.began, p.last.start, p.records)
	one.waited += p.waited
	one.own.burst = max(one.own.burst, p.burst)
	one.own.even += p.even
}

// forget drops what is going on.
func (t *throttledWaits) forget() {
	clear(t.waiting)
	clear(t.paces)
}
