package doctor

import (
	"time"

	"kubarium/analysis/doctor"
	"kubarium/flow"
	"kubarium/tui/page"
)

// A reader hands flows to a doctor, and asks for its report from time to time.
type reader struct {
	page.Slices
	env      *page.Env
	doctor   *doctor.Doctor
	seq      uint64 // the newest flow that was read
	own      int    // flows of Kubarium's own that were read
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

func newReader(u *page.Env) *reader {
	r := &reader{env: u, doctor: doctor.New(doctor.Options{Own: true}), witnesses: map[uint64]*flow.Flow{}}
	r.Slices = page.Slices{Env: u, Read: r.read, Then: r.look}
	return r
}

const (
	pace      = time.Second // between two reports
	costShare = 20          // of the time at most one part in so many is spent on reports
	witnesses = 10          // requests of a finding by which the filter judges it
)

// read reads the next flow. Numbers that are skipped belong to flows that aged out.
func (r *reader) read(f *flow.Flow) {
	if f.Seq > r.seq+1 {
		r.doctor.Missed(f.Seq - r.seq - 1)
	}
	r.doctor.Add(f)
	r.seq, r.news = f.Seq, true
	if f.Client.Own() {
		r.own++
	}
}

// now reads all that has come, and reports.
func (r *reader) now() {
	r.All()
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

// keepEvidence keeps the first requests of each finding from ageing out.
func (r *reader) keepEvidence() {
	var seqs []uint64
	for i := range r.findings {
		seqs = append(seqs, r.findings[i].Records[:min(firstRecords, len(r.findings[i].Records))]...)
	}
	r.env.KeepFlows("doctor", seqs)
}

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
