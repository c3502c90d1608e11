package doctor

import (
	"strings"
	"time"

	"kubarium/flow"
)

const (
	// shortestPoll is the shortest interval that is taken for one: what comes faster is a loop without a pause, or many at
	// once.
	shortestPoll = 5 * time.Millisecond
	// longestPoll is the longest: a look every few minutes costs nothing, and informers' resyncs and relists are as rare.
	longestPoll = 2 * time.Minute
	// even is by which part of their mean the gaps between reads may differ.
	even = 0.4

	// longestBeat is the longest interval at which tests wait: Gomega's default is 10 ms, and most suites take 250 ms.
	longestBeat = time.Second
	// longestWait is how long a test waits at most: suites give up after 10 s, or 30 s.
	longestWait = 30 * time.Second
	// someReads is from how many reads on it shows whether they come at an even interval.
	someReads = 3
	// steadyReads is the same for those whose last answer is as the one before, so that it is no chance.
	steadyReads = 6
)

// A rhythm is the same read again and again, at an even interval.
type rhythm struct {
	count   int
	last    time.Time
	mean    time.Duration // of the gaps
	began   time.Time
	answer  readAnswer // the last one
	same    int        // answers that were as the one before
	changed bool       // whether the last one was not
	seqs    []uint64
	first   *request
	test    bool // whether a test program sent it
	void    bool // whether it was no more than how a watch or a write begins
	over    bool
	noticed bool     // by the rule polling
	then    []func() // called when it is over
}

// A readAnswer is what distinguishes the answers to a read.
type readAnswer struct {
	revision      int64 // of an object; that of a list changes with all objects
	status, items int
	bytes         int64
}

func answerOf(r *request) readAnswer {
	if r.Page != nil {
		return readAnswer{status: r.Status, items: r.Page.Items, bytes: r.ResponseBody.Total}
	}
	return readAnswer{revision: r.Revision, status: r.Status}
}

func newRhythm(r *request) *rhythm {
	h := &rhythm{count: 1, last: r.Start, began: r.Start, answer: answerOf(r)}
	h.test = ofTest(r.client.name)
	if r.reported {
		h.first, h.seqs = light(r), []uint64{r.Seq}
	}
	return h
}

// goesOn reports whether a gap is about as long as those before.
func (h *rhythm) goesOn(gap time.Duration) bool {
	if gap < shortestPoll || gap > longestPoll {
		return false
	}
	off := gap - h.mean
	return h.count == 1 || off.Abs() <= time.Duration(even*float64(h.mean))
}

func (h *rhythm) add(r *request) {
	h.mean += (r.Start.Sub(h.last) - h.mean) / time.Duration(h.count)
	h.count++
	h.last = r.Start
	is := answerOf(r)
	if h.changed = is != h.answer; !h.changed {
		h.same++
	}
	h.answer = is
	if r.reported && len(h.seqs) < maxRecords {
		if len(h.seqs) == 0 {
			h.first = light(r)
		}
		h.seqs = append(h.seqs, r.Seq)
	}
}

// waits reports whether a rhythm is like the waiting of a test: short intervals until the answer changes. A test
// program also waits until something else changes, or to see that nothing does.
func (h *rhythm) waits() bool {
	if h.void || h.count < someReads || h.mean > longestBeat || h.last.Sub(h.began) > longestWait {
		return false
	}
	return h.changed && 2*h.same >= h.count-1 || h.test && h.count >= steadyReads
}

func (h *rhythm) end() {
	h.over = true
	for _, then := range h.then {
		then()
	}
	h.then = nil
}

// rhythms are those of a run that go on, by the collection or the object; versions and limits may differ.
type rhythms struct {
	of    ongoing[collection, *rhythm]
	swept time.Time
}

// note returns the rhythm of a read; nil for a request that is in none.
func (b *rhythms) note(r *request) *rhythm {
	switch {
	case r.ref.Resource == "" || r.lease() || strings.HasSuffix(r.Target.Group, "metrics.k8s.io"):
		return nil // metrics cannot be watched
	case r.writes() && r.ref.Name != "": // reading before a write is no polling
		path := r.Path
		if r.Target.Subresource != "" {
			path = strings.TrimSuffix(path, "/"+r.Target.Subresource)
		}
		b.drop(collection{r.client.key, path, ""})
		return nil
	case watched(r): // a list that a watch follows is how a watch begins
		b.drop(collectionOf(r))
		return nil
	case r.Page != nil && r.Page.Token != "", // a chunk of a list
		r.Phase != flow.Whole || r.Target.Verb != "get" && r.Target.Verb != "list",
		connects[r.Target.Subresource] || !answered(r):
		return nil
	}
	b.sweep(r.Start)
	k := collectionOf(r)
	h := b.of[k]
	if h == nil {
		if len(b.of) >= maxOngoing-1 { // so that put forgets none without its end
			b.forget()
		}
		h = newRhythm(r)
	} else if next := h.next(r); next != h {
		h.end()
		h = next
	}
	b.of.put(k, h)
	return h
}

// next is the rhythm that a read is in: this one, or another one that begins. After a gap that is too long for the
// waiting of a test such waiting may begin, so the second of two reads is in a rhythm of its own.
func (h *rhythm) next(r *request) *rhythm {
	gap := r.Start.Sub(h.last)
	switch {
	case h.count == 2 && h.mean > longestBeat && gap <= longestBeat && gap >= shortestPoll:
		h.count, h.began, h.mean, h.same, h.seqs = 1, h.last, gap, 0, h.seqs[max(0, len(h.seqs)-1):]
	case !h.goesOn(gap):
		return newRhythm(r)
	case h.count == 1 && gap > longestBeat:
		again := *h
		again.add(r)
		again.noticed, again.then = false, nil
		h.void = true
		return &again
	}
	h.add(r)
	return h
}

// answered reports whether a read has an answer that a client waits for: an object, a list, or that there is none yet.
func answered(r *request) bool {
	return r.Status/100 == 2 || r.Status == 404 && r.Target.Verb == "get"
}

func (b *rhythms) drop(k collection) {
	if h := b.of[k]; h != nil {
		h.void = true
		h.end()
		delete(b.of, k)
	}
}

// sweep ends those with which no read can go on, not one that was long under way either: most are of objects that are gone.
func (b *rhythms) sweep(now time.Time) {
	if now.Sub(b.swept) < longestPoll {
		return
	}
	b.swept = now
	for k, h := range b.of {
		if now.Sub(h.last) > 2*longestPoll {
			h.end()
			delete(b.of, k)
		}
	}
}

// forget ends all: a gap would seem longer than it was.
func (b *rhythms) forget() {
	for _, h := range b.of {
		h.end()
	}
	clear(b.of)
}

// repeats reports whether a request is one of some reads at an even interval, so that it is polling or waiting, and
// has to do with nothing else.
func (r *request) repeats() bool { return r.rhythm != nil && r.rhythm.count >= someReads }
