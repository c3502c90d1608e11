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
	var nearest error // why the last request of that sort does not fit
	for _, h := range st.servers[a.Server].since(since) {
		if !a.isOf(&h) {
			continue
		}
		facts, err := c.heard(what, &h, a)
		if err != nil {
			if nearest == nil {
				nearest = err
			}
			continue
		}
		path := h.request.URL.RequestURI()
		if a.None {
			return c.mismatch(what, "nothing of that sort", h.request.Method+" "+path)
		}
		c.result.Heard = &Heard{Server: a.Server, Method: h.request.Method, Path: path, Facts: facts, Answer: h.answer}
		return nil
	}
	switch {
	case a.None:
		c.result.Heard = &Heard{Server: a.Server}
		return nil
	case nearest != nil:
		return nearest
	}
	return c.mismatch(what, a.wanted(), "nothing of that sort")
}

// isOf tells whether a request is of the method and the path.
func (a *Asked) isOf(h *heard) bool {
	return (a.Method == "" || a.Method == h.request.Method) && (a.Path == "" || a.Path == h.request.URL.Path)
}

// wanted is the request in words.
func (a *Asked) wanted() string {
	return strings.Join(strings.Fields("a request "+a.Method+" "+a.Path), " ")
}

// heard checks a request that came to a server of the lesson, and tells what was checked.
func (c *check) heard(what string, h *heard, a *Asked) (facts []Fact, err error) {
	of := &check{result: &Result{Step: c.result.Step}, values: c.values, lesson: c.lesson, step: c.step}
	if a.Query != nil {
		err = of.text(what+": query", h.request.URL.RawQuery, a.Query)
	}
	if err == nil && a.Client != nil {
		err = of.text(what+": client", h.client, a.Client)
	}
	if err == nil {
		err = of.headers(what+": header ", h.request.Header, a.Headers)
	}
	if err == nil {
		err = of.fields(what+":", h.object, a.Body)
	}
	for _, f := range of.result.Facts {
		facts = append(facts, Fact{Path: strings.TrimPrefix(f.Path, what+": "), Value: f.Value})
	}
	return facts, err
}
