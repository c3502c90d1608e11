// Package explore plans the faults that a controller should be tried with, and says what they changed.
//
//	p := explore.Plan(first, explore.Options{Most: 30})  // of what the first run recorded
//	base := explore.NewBase(runs...)                     // runs without a fault
//	found := base.Compare(explore.StateOf(run))          // a run with one
//
// The kinds of faults are those that controllers meet on real clusters: an API server that lags, versions that a watch
// never sent, a write whose answer was lost, and a process that ends between two of its writes. Each planned fault can
// happen: the first run made the write that is lost, and sent the version that goes unseen.
//
// The package knows only recordings. It starts nothing and does no I/O; package app runs what it plans.
package explore
