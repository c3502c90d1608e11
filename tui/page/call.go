package page

import "kubarium/flow"

// Calls are those of the selected request, as they may be shown.
func (e *Env) Calls() []flow.Call {
	if f := e.request(); f != nil {
		return f.Calls
	}
	return nil
}

// Call is the call that is shown in the place of the selected request, and its number from 1; nil if it is the request
// itself.
func (e *Env) Call() (*flow.Call, int) {
	all := e.Calls()
	if e.call < 1 || e.call > len(all) {
		return nil, 0
	}
	c := &all[e.call-1]
	if c.Shared {
		c = e.whole(c)
	}
	return c, e.call
}

// whole returns a call with the bodies that it shares with the request; for the same call the same pointer each time.
func (e *Env) whole(c *flow.Call) *flow.Call {
	if e.wholeOf == c {
		return e.wholeCall
	}
	of, f, made := e.request(), *c.Flow, *c
	f.RequestBody, f.ResponseBody = of.RequestBody, of.ResponseBody
	made.Flow = &f
	e.wholeOf, e.wholeCall = c, &made
	return e.wholeCall
}

// OpenCall shows one of the selected request's calls as a request of its own, from 1.
func (e *Env) OpenCall(number int) {
	e.call = number
	e.Dirty = true
	for _, told := range e.OnCall {
		told()
	}
}

// CloseCall shows the request itself again, and reports whether a call was shown.
func (e *Env) CloseCall() bool {
	c, _ := e.Call()
	e.OpenCall(0)
	return c != nil
}
