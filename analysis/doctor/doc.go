// Package doctor reads the flows of a run and finds what the author of a controller should know: what conflicts cost,
// which writes change nothing, which clients list again what they already watch.
//
//	d := doctor.New(doctor.Options{})
//	for _, f := range flows { // in the order of their numbers; as often as there are more
//		d.Add(f)
//	}
//	report := d.Report()
//
// Each rule has a file of its own, sees each flow once, and speaks only of what the flows prove: the numbers from which
// on it does are named constants with their reasons. Where flows are missing, a rule forgets what was going on; it
// reports less, never something untrue. Flows come in the order in which their answers ended; rules get writes in the
// order of their commits (sequence.go). Each rule must speak on the recording of its planted mistake and be silent on
// that of the twin without it (testdata/planted).
//
// The package does no I/O. Its memory is bounded: of a long run it remembers the newest objects, and all findings.
package doctor
