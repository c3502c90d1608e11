package doctor

import (
	"fmt"
	"slices"
	"time"

	"kubarium/flow"
	"kubarium/flow/object"
)

const (
	// manyAtOnce is from how many requests within a second on there is a burst: a server answers that many easily, but API
	// priority and fairness lets few clients have more.
	manyAtOnce = 100
	// overMean is how many times its own mean a client must ask for that.
	overMean = 10
	// longEnough is how long a client must be seen before it has a mean. It also leaves out commands that do their work
	// and end.
	longEnough = 10 * time.Second
)

// bursts finds many requests of one client within a second.
type bursts struct{ rates ongoing[*client, *rates] }

// rates are what a client sent: all its requests, and its creates.
type rates struct{ all, creates rate }

// A rate counts requests by the second.
type rate struct {
	total       int
	first, last time.Time
	second      int64
	now         second
	most        second
}

// A second is what happened in one.
type second struct {
	count   int
	at      time.Time
	records []uint64
	ref     object.Ref
}

func (b *bursts) add(r *request) {
	// Informers begin with many lists and watches at once, and discovery is read as a whole: that is how clients start.
	if !r.reported || r.repeats() || r.Phase != flow.Whole || r.Target.Resource == "" ||
		r.Target.Verb == "list" || r.Target.Verb == "watch" {
		return
	}
	of := follow(&b.rates, r.client)
	of.all.note(r)
	if r.Target.Verb == "create" && len(r.Effects) > 0 && r.Target.Resource != "events" {
		of.creates.note(r)
	}
}

func (a *rate) note(r *request) {
	a.total++
	if a.first.IsZero() || r.Start.Before(a.first) {
		a.first = r.Start
	}
	if r.Start.After(a.last) {
		a.last = r.Start
	}
	if s := r.Start.Unix(); s != a.second {
		a.second = s
		a.now = second{at: r.Start, ref: listRef(r), records: a.now.records[:0]}
	}
	a.now.count++
	if len(a.now.records) < maxRecords {
		a.now.records = append(a.now.records, r.Seq)
	}
	if a.now.count > a.most.count {
		records := a.most.records
		if a.now.at != a.most.at || len(records) < len(a.now.records) {
			records = append(records[:0], a.now.records...)
		}
		a.most = a.now
		a.most.records = records
	}
}

// burst reports whether there was one, and the mean without it, in requests per second.
func (a *rate) burst(last time.Time) (mean float64, there bool) {
	span := last.Sub(a.first)
	if span < longEnough || a.most.count < manyAtOnce {
		return 0, false
	}
	mean = float64(a.total-a.most.count) / (span - time.Second).Seconds()
	return mean, float64(a.most.count) >= overMean*mean
}

func (b *bursts) report(*run) (out []Finding) {
	for c, of := range b.rates {
		if mean, there := of.creates.burst(of.all.last); there {
			out = append(out, of.creates.finding(c, Warning, "created", "objects", mean))
		} else if mean, there := of.all.burst(of.all.last); there {
			out = append(out, of.all.finding(c, Note, "sent", "requests", mean))
		}
	}
	order(out)
	return out
}

func (a *rate) finding(c *client, s Severity, did, what string, mean float64) Finding {
	m := &a.most
	return Finding{
		Severity: s, Client: c.name, Object: m.ref.Resource, Count: m.count, Records: slices.Clone(m.records),
		What: fmt.Sprintf("%s %s %d %s within a second from %s on, but %.1f a second otherwise.",
			c.name, did, m.count, what, m.at.Format("15:04:05"), mean),
		First: m.at, Last: m.at.Add(time.Second), resource: m.ref.Resource, requests: m.count,
	}
}

func (*bursts) forget() {}
