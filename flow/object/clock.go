package object

import "bytes"

// leader is the annotation by which some programs elect one that leads, as others do by Leases.
var leader = []byte("control-plane.alpha.kubernetes.io/leader")

// IsEvent reports whether objects of a resource, as the store calls it, are Events. They have no owners.
func IsEvent(resource string) bool {
	return resource == "events" || resource == "events.events.k8s.io"
}

// ByClock reports whether objects of a resource, as the store calls it, come and go by the clock: what happened, and
// who is alive. A change of one says nothing of what a program works at.
func ByClock(resource string) bool {
	return IsEvent(resource) || resource == "leases.coordination.k8s.io"
}

// Elects reports whether an object, as JSON, says by an annotation who leads: it is written by the clock too.
func Elects(value []byte) bool { return bytes.Contains(value, leader) }
