package scenarios

import (
	"slices"

	"kubarium/scenarios/expr"
)

// Filled returns the step with values in the place of its placeholders.
func (s Step) Filled(values map[string]string) Step {
	for _, t := range []*string{&s.Title, &s.Tell, &s.Look, &s.You} {
		*t = expr.Fill(*t, values)
	}
	if s.At != nil {
		a := *s.At
		for _, t := range []*string{&a.Path, &a.Row, &a.Lane} {
			*t = expr.Fill(*t, values)
		}
		s.At = &a
	}
	s.Faults = slices.Clone(s.Faults)
	for i := range s.Faults {
		s.Faults[i] = expr.Fill(s.Faults[i], values)
	}
	s.Show.Object = expr.Fill(s.Show.Object, values)
	if s.Asked != nil {
		a := *s.Asked
		a.Path = expr.Fill(a.Path, values)
		s.Asked = &a
	}
	if s.Predict != nil {
		p := *s.Predict
		p.Ask = expr.Fill(p.Ask, values)
		s.Predict = &p
	}
	if s.Request != nil {
		s.Request = s.Request.filled(values)
	}
	if s.Watch != nil {
		w := *s.Watch
		w.Path = expr.Fill(w.Path, values)
		w.Headers = expr.FillMap(w.Headers, values)
		s.Watch = &w
	}
	return s
}

// Filled returns the server with values in the place of its placeholders, but for those in conditions, which are filled when they
// are looked at.
func (s *Server) Filled(values map[string]string) *Server {
	out := &Server{Reviews: slices.Clone(s.Reviews), Routes: slices.Clone(s.Routes)}
	for i := range out.Reviews {
		r := &out.Reviews[i]
		r.Path = expr.Fill(r.Path, values)
		if r.Deny != nil {
			r.Deny = &Denial{Code: r.Deny.Code, Message: expr.Fill(r.Deny.Message, values)}
		}
		r.Patch, _ = expr.FillJSON(r.Patch, values).([]any)
		r.Warnings = slices.Clone(r.Warnings)
		for j := range r.Warnings {
			r.Warnings[j] = expr.Fill(r.Warnings[j], values)
		}
		r.Audit = expr.FillMap(r.Audit, values)
	}
	for i := range out.Routes {
		r := &out.Routes[i]
		r.Path, r.Text = expr.Fill(r.Path, values), expr.Fill(r.Text, values)
		r.Headers, r.Body = expr.FillMap(r.Headers, values), expr.FillJSON(r.Body, values)
	}
	return out
}
