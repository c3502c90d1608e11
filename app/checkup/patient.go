package checkup

import (
	"io"

	"kubarium/analysis/doctor"
	"kubarium/app/html"
	"kubarium/app/version"
	"kubarium/flow"
	"kubarium/flow/redact"
)

// A patient is a run that a doctor follows. Where the report is a page, its requests are kept, without secrets.
type patient struct {
	*doctor.Doctor
	name   string
	keep   bool
	flows  []*flow.Flow
	missed uint64
}

// admit begins with a run; flows up to since are history.
func (d *Checkup) admit(name string, since uint64) *patient {
	p := &patient{Doctor: doctor.New(doctor.Options{Since: since, Own: d.Own}), name: name, keep: d.Format == "html"}
	d.read = append(d.read, p)
	return p
}

// Add reads the next request.
func (p *patient) Add(f *flow.Flow) {
	p.Doctor.Add(f)
	if p.keep {
		p.flows = append(p.flows, redact.Flow(f))
	}
}

// Missed says that so many are not known.
func (p *patient) Missed(n uint64) {
	p.Doctor.Missed(n)
	p.missed += n
}

// page writes the runs with what was found in each.
func (d *Checkup) page(w io.Writer) error {
	var sources []html.Source
	for _, p := range d.read {
		s := html.Source{Name: p.name, Missed: p.missed, Report: p.Report()}
		for _, f := range p.flows {
			if d.Own || !f.Client.Own() || f.Works() {
				s.Flows = append(s.Flows, f)
			}
		}
		if len(s.Flows) > 0 || len(d.read) == 1 { // a suite that starts servers asks the first one nothing
			sources = append(sources, s)
		}
	}
	return html.Write(w, html.Options{Title: "Doctor's report", Version: version.String(), Open: "doctor"}, sources...)
}
