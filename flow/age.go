package flow

// A class says which flows of a Log a flow ages out before.
type class uint8

// The classes. Flows of the last two age out before the first, except for a share of the newest.
const (
	ofClients class = iota
	repeated        // reads that a client repeats and that are answered as before: polling
	ofKubarium
	classes // how many there are
)

// yieldShare is the part of a Log, one sixteenth, that the newest flows of a class may always keep. Without it a reader
// of a full Log would never see what controllers do, or that a client polls.
const yieldShare = 16

// class is the class of a flow that is not published yet.
func (l *Log) class(f *Flow) class {
	switch {
	case isOwn(f.Client.UserAgent):
		return ofKubarium
	case l.repeats.has(f):
		return repeated
	}
	return ofClients
}

// held is how many flows the Log holds, apart from pins.
func (l *Log) held() (n int) {
	for c := range l.queues {
		n += l.queues[c].n
	}
	return n
}

// age drops flows until the Log is within its limits. The newest flow always stays.
func (l *Log) age() {
	for held := l.held(); (held > l.limits.Flows || l.bytes > l.limits.Bytes) && held > 1; held-- {
		c := l.ageing()
		l.bytes -= l.queues[c].drop().held
		l.evicted[c]++
	}
}

// ageing is the class whose oldest flow ages out next: one that yields and holds more than its share, or that of the
// oldest flow of all.
func (l *Log) ageing() class {
	for c := ofKubarium; c > ofClients; c-- {
		if q := &l.queues[c]; q.n > max(1, l.limits.Flows/yieldShare) || q.n > 0 && q.bytes > l.limits.Bytes/yieldShare {
			if q.n > 1 || q.at(0).Seq < l.next-1 { // not the newest of all
				return c
			}
		}
	}
	oldest, seq := ofClients, l.next
	for c := range classes {
		if at := l.queues[c].oldest(l.next); at < seq {
			oldest, seq = c, at
		}
	}
	return oldest
}
