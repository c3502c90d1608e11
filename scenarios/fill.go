package scenarios

import (
	"maps"
	"regexp"
	"slices"
)

// placeholder is a name in braces. What kubectl has in braces begins with a dot or is empty, so it is none.
var placeholder = regexp.MustCompile(`\{([a-z][a-zA-Z0-9]{0,30})\}`)

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
