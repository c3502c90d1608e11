package page

import "kubarium/flow"

// Calls are those of the selected request, as they may be shown.
func (u *Env) Calls() []flow.Call {
	if f := u.request(); f != nil {
		return f.Calls
	}
	return nil
}

// Call is the call that is shown in the place of the selected request, and its number from 1; nil if it is the request itself.
func (u *Env) Call() (*flow.Call, int) {
	all := u.Calls()
	if u.call < 1 || u.call > len(all) {
		return nil, 0
	}
	c := &all[u.call-1]
	if c.Shared {
		c = u.whole(c)
	}
	return c, u.call
}

// whole is a call with the bodies that it shares with the request. The same call is the same one each time.
func (u *Env) whole(c *flow.Call) *flow.Call {
	if u.wholeOf == c {
		return u.wholeCall
	}
	of, f, made := u.request(), *c.Flow, *c
	f.RequestBody, f.ResponseBody = of.RequestBody, of.ResponseBody
	made.Flow = &f
	u.wholeOf, u.wholeCall = c, &made
	return u.wholeCall
}

// OpenCall shows one of the selected request's calls as a request of its own, from 1.
func (u *Env) OpenCall(number int) {
	u.call = number
	u.Dirty = true
	for _, told := range u.OnCall {
		told()
	}
}

// CloseCall shows the request itself again, and reports whether a call was shown.
func (u *Env) CloseCall() bool {
	c, _ := u.Call()
	u.OpenCall(0)
	return c != nil
}
