package scenarios

import "strings"

// A Heard is what a server of the lesson was asked.
type Heard struct {
	Server string
	Method string // "" if it was not asked
	Path   string // with the query
	Facts  []Fact
	Answer string // how it answered, in short: "allowed", "denied: no fish", "200 OK"
}

// heardBefore is how many requests each server of the lesson has had.
func (st *stage) heardBefore() map[string]int {
	out := map[string]int{}
	for name, s := range st.servers {
		out[name] = s.count()
	}
	return out
}

// asked checks what a server of the lesson was asked since the step began; of a step that sends nothing, in all the lesson.
func (c *check) asked(st *stage, s Step) error {
	a := s.Asked
	if a == nil {
		return nil
	}
	since := 0
	if s.Request != nil || s.Answer != nil {
		since = st.before[a.Server]
	}
	what := a.Server + " was asked"
	h := st.servers[a.Server].last(a, since)
	r := &Heard{Server: a.Server}
	c.result.Heard = r
	switch {
	case a.None && h != nil:
		return c.mismatch(what, "nothing", h.request.Method+" "+h.request.URL.RequestURI())
	case a.None:
		return nil
	case h == nil:
		return c.mismatch(what, a.wanted(), "nothing of that sort")
	}
	r.Method, r.Path, r.Answer = h.request.Method, h.request.URL.RequestURI(), h.answer
	all := c.result.Facts
	c.result.Facts = nil
	err := c.heard(what, h, a)
	for _, f := range c.result.Facts {
		r.Facts = append(r.Facts, Fact{Path: strings.TrimPrefix(f.Path, what+": "), Value: f.Value})
	}
	c.result.Facts = all
	return err
}

// wanted is the request in words.
func (a *Asked) wanted() string {
	method, path := a.Method, a.Path
	if method == "" {
		method = "a request"
	}
	if path == "" {
		return method
	}
	return method + " " + path
}

// heard checks a request that came to a server of the lesson.
func (c *check) heard(what string, h *heard, a *Asked) error {
	if a.Query != nil {
		if err := c.text(what+": query", h.request.URL.RawQuery, a.Query); err != nil {
			return err
		}
	}
	if a.Client != nil {
		if err := c.text(what+": client", h.client, a.Client); err != nil {
			return err
		}
	}
	if err := c.headers(what+": header ", h.request.Header, a.Headers); err != nil {
		return err
	}
	return c.fields(what+":", h.object, a.Body)
}
