// Package explore chooses the faults that a controller should be tried with, and compares what they changed.
//
//	p := explore.Plan(first, explore.Options{Most: 30})  // of what the first run recorded
//	base := explore.NewBase(runs...)                     // runs without a fault
//	found := base.Compare(explore.StateOf(run))          // a run with one
//
// The kinds of faults are those that controllers meet on real clusters: an API server that lags behind another one,
// versions that a watch never delivered, a write whose answer was lost, and a process that ends between two of its
// writes. The first run proves each planned fault: a write that is lost was made, a version that goes unseen was
// delivered. Where there are too many, they are chosen in turn by kind, client, verb and resource, those that show more
// first.
//
// The state at the end is folded from the recording, not asked for: servers of envtest are gone by then. What is
// different in every run is removed, and objects with generated names are compared as sets. What the doctor finds
// counts as a difference only where the fault does not explain it.
//
// The package knows recordings alone. It starts nothing and does no I/O; its caller runs what it plans.
package explore
