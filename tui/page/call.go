package page

import "kubarium/server/flow"

// Calls are those of the selected request, as they may be shown.
func (u *Env) Calls() []flow.Call {
	if f := u.request(); f != nil {
		return f.Calls
	}
	return nil
}

// Call is the call that is shown in the place of the selected request, and its number from 1; nil if it is the request itself.
func (u *Env) Call() (*flow.Call, int) {
	if all := u.Calls(); u.call > 0 && u.call <= len(all) {
		return &all[u.call-1], u.call
	}
	return nil, 0
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
