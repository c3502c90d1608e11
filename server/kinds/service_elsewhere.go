package kinds

import (
	"encoding/json"
	"sync"

	corev1 "k8s.io/api/core/v1"
)

// elsewhere is what other processes have done, as reported to an allocator since it last gave out something.
type elsewhere struct {
	mu      sync.Mutex // guards the rest
	changed bool
	were    []corev1.ServiceSpec // Services before the changes, which may have given up values
}

// Elsewhere fulfils Allocator.
func (a *ServiceAllocator) Elsewhere(before []byte) {
	var was struct{ Spec corev1.ServiceSpec }
	read := len(before) > 0 && json.Unmarshal(before, &was) == nil // one that cannot be read holds nothing
	e := &a.elsewhere
	e.mu.Lock()
	defer e.mu.Unlock()
	e.changed = true
	if len(e.were) == mostHeard { // nothing is given out; leakAfter will do then
		e.were = nil
	}
	if read && len(was.Spec.ClusterIPs)+len(portNumbers(&was.Spec)) > 0 {
		e.were = append(e.were, was.Spec)
	}
}

// mostHeard bounds the number of remembered changes.
const mostHeard = 1000

// hear takes over the changes of other processes: the store is read again, and values that they gave up are free once
// the store no longer shows them.
func (a *ServiceAllocator) hear() {
	e := &a.elsewhere
	e.mu.Lock()
	changed, were := e.changed, e.were
	e.changed, e.were = false, nil
	e.mu.Unlock()
	if !changed {
		return
	}
	a.loaded = false
	for _, was := range were {
		for _, n := range a.addresses.numbers(&was) {
			a.ips.leave(n)
		}
		for _, n := range portNumbers(&was) {
			a.ports.leave(n)
		}
	}
}
