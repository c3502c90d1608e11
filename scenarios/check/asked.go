package check

import (
	"strings"

	"kubarium/scenarios"
	"kubarium/scenarios/servers"
)

// asked checks what a server of the lesson was asked.
func (c *check) asked(all []servers.Heard) error {
	a := c.Step.Asked
	if a == nil {
		return nil
	}
	what := a.Server + " was asked"
	var nearest error // why the last request of that sort does not fit
	for _, h := range all {
		if a.Method != "" && a.Method != h.Request.Method || a.Path != "" && a.Path != h.Request.URL.Path {
			continue
		}
		facts, err := c.heard(what, &h, a)
		if err != nil {
			if nearest == nil {
				nearest = err
			}
			continue
		}
		path := h.Request.URL.RequestURI()
		if a.None {
			return c.mismatch(what, "nothing of that sort", h.Request.Method+" "+path)
		}
		c.result.Heard = &Heard{Server: a.Server, Method: h.Request.Method, Path: path, Facts: facts, Answer: h.Answer}
		return nil
	}
	switch {
	case a.None:
		c.result.Heard = &Heard{Server: a.Server}
		return nil
	case nearest != nil:
		return nearest
	}
	wanted := strings.Join(strings.Fields("a request "+a.Method+" "+a.Path), " ")
	return c.mismatch(what, wanted, "nothing of that sort")
}

// heard checks a request that came to a server of the lesson, and returns what was checked.
func (c *check) heard(what string, h *servers.Heard, a *scenarios.Asked) (facts []Fact, err error) {
	of := &check{Check: c.Check, result: &Result{}}
	if a.Query != nil {
		err = of.text(what+": query", h.Request.URL.RawQuery, a.Query)
	}
	if err == nil && a.Client != nil {
		err = of.text(what+": client", h.Client, a.Client)
	}
	if err == nil {
		err = of.headers(what+": header ", h.Request.Header, a.Headers)
	}
	if err == nil {
		err = of.fields(what+":", h.Object, a.Body)
	}
	for _, f := range of.result.Facts {
		facts = append(facts, Fact{Path: strings.TrimPrefix(f.Path, what+": "), Value: f.Value})
	}
	return facts, err
}
