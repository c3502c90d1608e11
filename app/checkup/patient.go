package checkup

import (
	"io"

	"kubarium/analysis/doctor"
	"kubarium/app/html"
	"kubarium/app/version"
	"kubarium/flow"
	"kubarium/flow/redact"
)

// A patient is a run that a doctor follows. Where the report is a page, the requests that it shows are kept, without secrets.
type patient struct {
	*doctor.Doctor
	keep func(*flow.Flow) bool
	page html.Source
}

// admit begins with a run; flows up to since are history.
func (d *Checkup) admit(name string, since uint64) *patient {
	p := &patient{Doctor: doctor.New(doctor.Options{Since: since, Own: d.Own}), page: html.Source{Name: name}}
	p.keep = func(f *flow.Flow) bool { return d.Format == "html" && html.Shows(f, d.Own) }
	d.read = append(d.read, p)
	return p
}

// Add reads the next request.
func (p *patient) Add(f *flow.Flow) {
	p.Doctor.Add(f)
	if p.keep(f) {
		p.page.Flows = append(p.page.Flows, redact.Flow(f))
	}
}

// Missed says that so many are not known.
func (p *patient) Missed(n uint64) {
	p.Doctor.Missed(n)
	p.page.Missed += n
}

// page writes the runs with what was found in each.
func (d *Checkup) page(w io.Writer) error {
	var sources []html.Source
	for _, p := range d.read {
		if len(p.page.Flows) > 0 || len(d.read) == 1 { // a suite that starts servers asks the first one nothing
			p.page.Report = p.Report()
			sources = append(sources, p.page)
		}
	}
	return html.Write(w, html.Options{Title: "Doctor's report", Version: version.String(), Open: "doctor"}, sources...)
}
