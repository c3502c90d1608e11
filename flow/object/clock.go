package object

import "bytes"

// byClock are resources whose objects come and go by the clock: what happened, and who is alive.
var byClock = map[string]bool{"events": true, "events.events.k8s.io": true, "leases.coordination.k8s.io": true}

// leader is the annotation by which some programs elect one that leads, as others do by Leases.
var leader = []byte("control-plane.alpha.kubernetes.io/leader")

// ByClock reports whether objects of a resource, as the store calls it, come and go by the clock. A change of one says
// nothing of what a program works at.
func ByClock(resource string) bool { return byClock[resource] }

// Elects reports whether an object, as JSON, says by an annotation who leads: it is written by the clock too.
func Elects(value []byte) bool { return bytes.Contains(value, leader) }
