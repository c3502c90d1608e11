package compare

import (
	"time"

	"kubarium/flow"
)

// Options say what to compare.
type Options struct {
	Own bool // also what Kubarium asks itself, and what is asked of its paths below /debug/
	// Also are runs that passed as the left one did. Where one of them differs from it as the right run does, the
	// difference is soft.
	Also [][]*flow.Flow
}

// A Kind is what a row is.
type Kind string

const (
	Same      Kind = "same"      // the same request with the same answer in both runs
	OnlyLeft  Kind = "left"      // a request of the left run alone
	OnlyRight Kind = "right"     // one of the right run alone
	Different Kind = "different" // the same request with another answer, body or user
)

// A Soft is a reason for which a difference may be nothing but timing, or nothing that the right run has alone; "" for
// one that is more than that.
type Soft string

const (
	Reordered Soft = "reordered"  // one client sent the same requests in another order, as concurrent programs do
	ReadAgain Soft = "read again" // a read that the other run also has, sent more often, or waiting for its answer
	Retried   Soft = "retried"    // sent again after it had failed, or failed more often than in the other run
	SentAgain Soft = "sent again" // a write that the other run also has, sent more often without an effect
	Rewatched Soft = "rewatched"  // a watch that the other run also has, begun more often
	Renewed   Soft = "renewed"    // a Lease, which clients renew by the clock
	Evented   Soft = "evented"    // an Event, which clients send when they have time, many as one
	Discovery Soft = "discovery"  // discovery or a health check, which clients keep on disk or repeat by the clock
	Also      Soft = "also so in a passing run"
)

// A Row is a request of one run, or of both.
type Row struct {
	Kind Kind
	Soft Soft
	// Client names the client as it is called in both runs: by its program, and a number where there are several of it.
	Client string
	// Left and Right are the request in the runs; nil where a run does not have it. A watch is its opening flow.
	Left, Right *flow.Flow
	// LeftAt and RightAt are when it began, since the first request of its run.
	LeftAt, RightAt time.Duration
	// Differs says in which respect the two differ, in a short sentence without a full stop; "" unless Kind is Different.
	Differs string

	place time.Duration // in the order of all rows
}

// Hard reports whether the runs may part at the row.
func (r *Row) Hard() bool { return r.Kind != Same && r.Soft == "" }

// A Comparison is two runs side by side.
type Comparison struct {
	// Rows are in the order of time since the runs began, each client's in its own order. Where one run was slower than
	// the other, the left run's time counts.
	Rows []Row
	// Parted is where the runs part; nil if they do not.
	Parted *Parting
	// Names are random names of the right run by those that they were taken for in the left one.
	Names map[string]string
	// Left and Right are how many requests of the runs were compared.
	Left, Right int
}

// A Parting is where two runs part.
type Parting struct {
	Row int    // the first row that is more than a soft difference
	Why string // one sentence
}

// Count returns how many rows there are of each kind, without the soft differences, and of each soft difference.
func (c *Comparison) Count() (kinds map[Kind]int, soft map[Soft]int) {
	kinds, soft = map[Kind]int{}, map[Soft]int{}
	for i := range c.Rows {
		if r := &c.Rows[i]; r.Soft != "" {
			soft[r.Soft]++
		} else {
			kinds[r.Kind]++
		}
	}
	return kinds, soft
}
