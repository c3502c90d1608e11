package doctor

import (
	"time"

	"kubarium/analysis/doctor"
	"kubarium/flow"
	"kubarium/tui/page"
)

// A reader hands flows to a doctor in slices, so that keys are answered in between, and asks for its report from time
// to time.
type reader struct {
	env      *page.Env
	doctor   *doctor.Doctor
	pending  []*flow.Flow // not read yet
	seq      uint64       // the newest flow that was read
	own      int          // flows of Kubarium's own that were read
	findings []doctor.Finding
	summary  doctor.Report // without findings
	reported func()        // called when there is another report

	// witnesses are requests of findings, without their bodies: a finding is shown as long as the filter lets one of
	// them through, also when the log has let go of them.
	witnesses map[uint64]*flow.Flow

	news    bool      // flows were read since the last report
	waiting bool      // a report is due later
	next    time.Time // when, at the earliest
}

func newReader(u *page.Env) reader {
	return reader{env: u, doctor: doctor.New(doctor.Options{Own: true}), witnesses: map[uint64]*flow.Flow{}}
}

const (
	slice     = 1000        // flows read at once: a few milliseconds
	pace      = time.Second // between two reports
	costShare = 20          // of the time at most one part in so many is spent on reports
	witnesses = 10          // requests of a finding by which the filter judges it
)

// take takes what came. In plain mode no badge is shown: a report is made when the reader asks for it.
func (r *reader) take(flows []*flow.Flow) {
	if len(flows) == 0 {
		return
	}
	waits := len(r.pending) > 0
	r.pending = append(r.pending, flows...)
	switch {
	case r.env.InWords:
		r.read(len(r.pending))
	case r.env.Moment != nil: // of the past there are many, and most are left at once
		r.env.Do(page.Later{After: page.SettleTime, Do: r.work})
	case !waits:
		r.work()
	}
}

// work reads a slice, and leaves the rest for later.
func (r *reader) work() {
	if r.env.Moment != nil && r.env.Behind {
		return // it will not be looked at
	}
	r.read(min(slice, len(r.pending)))
	if len(r.pending) > 0 {
		r.env.Do(page.Later{Do: r.work})
	}
	r.look()
}

// read reads the next n flows. Numbers that are skipped belong to flows that aged out.
func (r *reader) read(n int) {
	for _, f := range r.pending[:n] {
		if f.Seq > r.seq+1 {
			r.doctor.Missed(f.Seq - r.seq - 1)
		}
		r.doctor.Add(f)
		r.seq, r.news = f.Seq, true
		if f.Client.Own() {
			r.own++
		}
	}
	r.pending = r.pending[n:]
	if len(r.pending) == 0 {
		r.pending = nil
	}
}

// now reads all that has come, and reports.
func (r *reader) now() {
	r.read(len(r.pending))
	if r.news {
		r.report()
	}
}

// look reports, now or when the next report is due. It uses the wall clock: the time of a recording does not go on.
func (r *reader) look() {
	switch wait := time.Until(r.next); {
	case !r.news || r.waiting:
	case wait <= 0:
		r.report()
	default:
		r.waiting = true
		r.env.Do(page.Later{After: wait, Do: func() {
			r.waiting = false
			r.report()
		}})
	}
}

func (r *reader) report() {
	began := time.Now()
	p := r.doctor.Report()
	r.findings, r.summary, r.news = p.Findings, *p, false
	r.summary.Findings = nil
	r.keepWitnesses()
	if r.env.Moment == nil {
		r.keepEvidence()
	}
	r.reported()
	r.next = time.Now().Add(max(pace, costShare*time.Since(began)))
}

// keepWitnesses remembers requests of the findings, and those of no finding no more.
func (r *reader) keepWitnesses() {
	before := r.witnesses
	r.witnesses = map[uint64]*flow.Flow{}
	for i := range r.findings {
		for _, seq := range r.findings[i].Records[:min(witnesses, len(r.findings[i].Records))] {
			if w := before[seq]; w != nil {
				r.witnesses[seq] = w
			} else if f := r.env.Log.Get(seq); f != nil {
				r.witnesses[seq] = light(f)
			}
		}
	}
}

// keepEvidence keeps the first requests of each finding from ageing out, as long as they take little room.
func (r *reader) keepEvidence() {
	kept := map[uint64]bool{}
	room := r.env.Log.Stats().Limits.Pinned / 2
	for i := range r.findings {
		for _, seq := range r.findings[i].Records[:min(firstRecords, len(r.findings[i].Records))] {
			f := r.env.Log.Get(seq)
			if f == nil || kept[seq] {
				continue
			}
			if room -= evidenceSize + int64(len(f.RequestBody.Kept)+len(f.ResponseBody.Kept)); room < 0 {
				break
			}
			kept[seq] = true
		}
	}
	r.env.SetEvidence(kept)
}

// evidenceSize is about what a request takes without its bodies.
const evidenceSize = 4 << 10

// light is a flow without what takes room.
func light(f *flow.Flow) *flow.Flow {
	c := *f
	c.RequestBody, c.ResponseBody, c.Statements, c.Conflict = flow.Body{}, flow.Body{}, nil, nil
	c.Effects = append([]flow.Effect(nil), f.Effects...)
	for i := range c.Effects {
		c.Effects[i].Before, c.Effects[i].After = nil, nil
	}
	return &c
}
