package scenarios

import (
	"errors"
	"fmt"
	"slices"

	"kubarium/scenarios/expr"
)

// each is the placeholder of a request that is sent several times.
const each = "each"

// For returns the request with one of Step.Each.
func (r *Request) For(one string) *Request {
	return r.filled(map[string]string{each: one})
}

// filled returns the request with values in the place of its placeholders.
func (r *Request) filled(values map[string]string) *Request {
	out := *r
	out.Path = expr.Fill(r.Path, values)
	out.Body, out.Text = expr.FillJSON(r.Body, values), expr.Fill(r.Text, values)
	out.Headers = expr.FillMap(r.Headers, values)
	return &out
}

// maxEach bounds how often a step sends its request.
const maxEach = 100

// each checks a step that sends its request several times, and makes {each} known for that request.
func (c *scope) each(s *Step) error {
	switch {
	case s.Each == nil:
		return nil
	case s.As == Reader:
		return errors.New("each: the reader's own step is one request")
	case s.Later != "" || s.Until != nil || s.Keep != nil || s.Expect.None:
		return errors.New("each is not for a step with later, until, keep or none: they are about one answer")
	case len(s.Each) < 2 || len(s.Each) > maxEach:
		return fmt.Errorf("each has 2 to %d texts", maxEach)
	case c.known[each]:
		return errors.New("each: a step before keeps a value for {each}")
	}
	for i, one := range s.Each {
		if one == "" || slices.Contains(s.Each[:i], one) {
			return fmt.Errorf("each: %q is empty, or there twice", one)
		}
	}
	c.known[each] = true
	return nil
}
