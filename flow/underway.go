package flow

import "time"

// An Underway is a request that has not been answered yet, as far as its request line was read.
type Underway struct {
	Start  time.Time
	Client Client
	Method string
	Path   string
	Target Target
}

// Known notes that it is known who sent the request and what it asks for. From now on Log.Underway has it; Client and
// Target of the flow do not change any more, except after Again.
func (r *Recorder) Known() {
	if r == nil {
		return
	}
	r.mu.Lock()
	r.known = true
	r.mu.Unlock()
}

// unknown undoes Known.
func (r *Recorder) unknown() {
	r.mu.Lock()
	r.known = false
	r.mu.Unlock()
}

// Underway returns the requests that have not been answered, oldest first. An open watch is not among them.
func (l *Log) Underway() (out []Underway) {
	u := &l.underway
	u.mu.Lock()
	defer u.mu.Unlock()
	for r := u.first; r != nil; r = r.later {
		if of, known := r.underway(); known {
			out = append(out, of)
		}
	}
	return out
}

func (r *Recorder) underway() (u Underway, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.known {
		return u, false
	}
	f := &r.Flow
	return Underway{Start: f.Start, Client: f.Client, Method: f.Method, Path: f.Path, Target: f.Target}, true
}
