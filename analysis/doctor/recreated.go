package doctor

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"kubarium/flow/object"
)

const (
	// someRecreated is from how many times on it is reported that an object was deleted and created again: once may be
	// how a field is changed that cannot be updated.
	someRecreated = 2
	// manyRecreated is from how many times on it is a warning.
	manyRecreated = 3
	// soonRecreated is how long after an object is gone its creation belongs to the deletion.
	soonRecreated = 10 * time.Second
)

// fixed are resources of which most fields cannot be changed: another version of one is another object.
var fixed = map[string]bool{"pods": true, "jobs.batch": true}

// recreated finds objects that a client deletes and creates again under the same name, over and over.
type recreated struct {
	tally[struct{}]
	deleted ongoing[object.Ref, *deleted]
	swept   time.Time // when deletions were last forgotten
}

// A deleted is the newest deletion of an object.
type deleted struct {
	client string
	by     *request
	gone   time.Time // when the object was removed; zero while it is terminating
}

func (x *recreated) add(r *request) {
	if r.lease() {
		return
	}
	x.sweep(r.Start)
	for i := range r.Effects {
		e := &r.Effects[i]
		ref := object.RefOf(e.Commit)
		d := x.deleted[ref]
		switch {
		case e.Before == nil && e.After != nil:
			if d != nil && d.client == r.client.key && r.reported && r.Start.Sub(d.gone) <= soonRecreated {
				one := x.at(r.who(), ref)
				one.record(d.by)
				one.cost(r)
				one.requests++
			}
			delete(x.deleted, ref)
		case strings.HasPrefix(r.Target.Verb, "delete") && (d == nil || !object.Terminating(e.Before)): // not the kubelet's
			d = &deleted{client: r.client.key, by: light(r)}
			x.deleted.put(ref, d)
		}
		if d != nil && e.After == nil {
			d.gone = e.Commit.At
		}
	}
}

// sweep forgets what was gone too long ago, now and then.
func (x *recreated) sweep(now time.Time) {
	if now.Sub(x.swept) < soonRecreated {
		return
	}
	x.swept = now
	maps.DeleteFunc(x.deleted, func(_ object.Ref, d *deleted) bool {
		return !d.gone.IsZero() && now.Sub(d.gone) > soonRecreated
	})
}

func (x *recreated) report(*run) []Finding {
	return x.findings(func(one *instance[struct{}]) (Severity, string) {
		if one.count < someRecreated {
			return "", ""
		}
		s := fmt.Sprintf("%s deleted %s and created it again, %s within %s.",
			one.who, nameOf(one.ref), times(one.count), brief(one.last.Sub(one.first)))
		if ofTest(one.who) {
			return Note, s + " It is a test program: this may be how its tests prepare and clean up."
		}
		if fixed[one.ref.Resource] {
			return Note, s
		}
		return warningFrom(manyRecreated, one.count), s
	})
}

// forget drops the deletions: another client may have created the object in between.
func (x *recreated) forget() { clear(x.deleted) }
