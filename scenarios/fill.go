package scenarios

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
)

// placeholder is a name in braces, that of a server with what is asked of it. What kubectl has in braces begins with a dot or is empty,
// so it is none.
var placeholder = regexp.MustCompile(`\{([a-z][a-zA-Z0-9]{0,30}(?:\.(?:url|host|port|ca))?)\}`)

// number is a text that is a placeholder of a number, and nothing else.
var number = regexp.MustCompile(`^\{[a-z][a-zA-Z0-9]{0,30}\.port\}$`)

// fill puts the values in the place of the placeholders.
func fill(text string, values map[string]string) string {
	return placeholder.ReplaceAllStringFunc(text, func(s string) string {
		if v, ok := values[s[1:len(s)-1]]; ok {
			return v
		}
		return s
	})
}

// filled returns the step with values in the place of its placeholders.
func (s Step) filled(values map[string]string) Step {
	for _, t := range []*string{&s.Title, &s.Tell, &s.Look, &s.You} {
		*t = fill(*t, values)
	}
	s.Faults = slices.Clone(s.Faults)
	for i := range s.Faults {
		s.Faults[i] = fill(s.Faults[i], values)
	}
	s.Show.Object = fill(s.Show.Object, values)
	if s.Asked != nil {
		a := *s.Asked
		a.Path = fill(a.Path, values)
		s.Asked = &a
	}
	if s.Predict != nil {
		p := *s.Predict
		p.Ask = fill(p.Ask, values)
		s.Predict = &p
	}
	if s.Request != nil {
		r := *s.Request
		r.Path = fill(r.Path, values)
		r.Body, r.Text = fillBody(r.Body, values), fill(r.Text, values)
		r.Headers = fillHeaders(r.Headers, values)
		s.Request = &r
	}
	if s.Watch != nil {
		w := *s.Watch
		w.Path = fill(w.Path, values)
		w.Headers = fillHeaders(w.Headers, values)
		s.Watch = &w
	}
	return s
}

func fillHeaders(headers, values map[string]string) map[string]string {
	out := maps.Clone(headers)
	for name, v := range out {
		out[name] = fill(v, values)
	}
	return out
}

// fillBody fills the texts of a body, keys included.
func fillBody(v any, values map[string]string) any {
	switch v := v.(type) {
	case string:
		if text := fill(v, values); text != v && number.MatchString(v) {
			return json.Number(text)
		}
		return fill(v, values)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = fillBody(e, values)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[fill(k, values)] = fillBody(e, values)
		}
		return out
	}
	return v
}

// filled returns the server with values in the place of its placeholders, but for those in conditions, which are filled when they
// are looked at.
func (s *Server) filled(values map[string]string) *Server {
	out := &Server{Reviews: slices.Clone(s.Reviews), Routes: slices.Clone(s.Routes)}
	for i := range out.Reviews {
		r := &out.Reviews[i]
		r.Path = fill(r.Path, values)
		if r.Deny != nil {
			r.Deny = &Denial{Code: r.Deny.Code, Message: fill(r.Deny.Message, values)}
		}
		r.Patch, _ = fillBody(r.Patch, values).([]any)
		r.Warnings = slices.Clone(r.Warnings)
		for j := range r.Warnings {
			r.Warnings[j] = fill(r.Warnings[j], values)
		}
		r.Audit = fillHeaders(r.Audit, values)
	}
	for i := range out.Routes {
		r := &out.Routes[i]
		r.Path, r.Text = fill(r.Path, values), fill(r.Text, values)
		r.Headers, r.Body = fillHeaders(r.Headers, values), fillBody(r.Body, values)
	}
	return out
}
