package explore

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kubarium/flow/rule"
	"kubarium/server/nearest"
)

// A Kind is a sort of fault.
type Kind string

// The kinds of faults, in the order in which they are planned.
const (
	Stale  Kind = "stale"  // a client that starts again sees the server as it was a while ago
	Unseen Kind = "unseen" // versions of an object that a watch never sends
	Lost   Kind = "lost"   // the answer of a write is lost after its commit
	Cut    Kind = "cut"    // the client ends, or its connections do, right after one of its writes

	Late    Kind = "late"    // the events of a watch come seconds late, those of the client's own writes too
	Away    Kind = "away"    // the controller is down while another client makes a change
	Refused Kind = "refused" // a write is answered with an error
)

// Kinds are all of them.
var Kinds = []Kind{Stale, Unseen, Lost, Cut, Late, Away, Refused}

// Words are the kinds as texts.
func Words() (out []string) {
	for _, k := range Kinds {
		out = append(out, string(k))
	}
	return out
}

// abouts say in a few words what the kinds are.
var abouts = map[Kind]string{
	Stale: "stale after a restart", Unseen: "versions never seen",
	Lost: "an answer lost after its commit", Cut: "a cut after a write",
	Late: "events seconds late", Away: "away during a change", Refused: "a write refused",
}

// About says in a few words what a kind is.
func (k Kind) About() string { return abouts[k] }

// ParseKinds reads kinds, separated by commas.
func ParseKinds(text string) (out []Kind, err error) {
	for word := range strings.SplitSeq(text, ",") {
		k := Kind(strings.TrimSpace(word))
		if !slices.Contains(Kinds, k) {
			return nil, fmt.Errorf("unknown kind %q%s; there are %s",
				k, nearest.Hint(string(k), Words()), strings.Join(Words(), ", "))
		}
		if !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out, nil
}

// A Fault is what one run is tried with.
type Fault struct {
	Kind   Kind   `json:"kind"`
	Client string `json:"client"` // its User-Agent
	What   string `json:"what"`   // one sentence
	// Rules are there from the begin of the run, a line each.
	Rules []string `json:"rules,omitempty"`
	// Kill says that the controller is killed, and started again, where a rule holds a request.
	Kill bool `json:"kill,omitempty"`
	// Away says that the controller is killed where a rule holds a request of another client, and starts again when that has
	// been answered.
	Away bool `json:"away,omitempty"`
	// Variables are those of the controller's environment that let it meet the fault: "NAME=value".
	Variables []string `json:"variables,omitempty"`
	// Restart says when a client starts again on a server that lags; nil if it does not.
	Restart *Restart `json:"restart,omitempty"`
}

// A Restart lets a client start on a server that lags: it sees what there was before one change of one object.
type Restart struct {
	Resource  string `json:"resource"` // as the store calls it: "deployments.apps"
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	Change    int    `json:"change"` // the first change of the object that is not seen, from 1: the one that created it
	Moment    Moment `json:"moment"`
	// For is how long it sees nothing newer.
	For time.Duration `json:"for"`
	// Bare says that it sees the present: the start alone is tried.
	Bare bool `json:"bare,omitempty"`
}

// A Moment is when a client starts again.
type Moment string

const (
	AtEnd    Moment = "end"    // when everything rests: the controller is started again
	AtOnce   Moment = "once"   // when the change is committed: the controller is started again
	ByItself Moment = "itself" // when the client has ended all of its watches after the change, as in the first run
)

// ControllerNeeded reports whether the fault needs a controller that can be killed.
func (f *Fault) ControllerNeeded() bool {
	return f.Kill || f.Away || f.Restart != nil && f.Restart.Moment != ByItself
}

// Bare is the fault of which nothing but the start of the controller is left; false if it has none.
func (f *Fault) Bare() (Fault, bool) {
	if f.Restart == nil || f.Restart.Bare || f.Restart.Moment == ByItself {
		return Fault{}, false
	}
	bare, at := *f, *f.Restart
	at.Bare, bare.Restart = true, &at
	bare.What = when(at.Moment, f.Client)
	if at.Moment == AtOnce {
		bare.What += ", after a change of " + describe(at.Resource, at.Namespace, at.Name)
	}
	return bare, true
}

// plain are the kinds, first those that each cluster sees every day.
var plain = []Kind{Refused, Lost, Cut, Away, Late, Unseen, Stale}

// Plainer reports whether a fault shows a mistake better than another one that leads to the same end.
func (f *Fault) Plainer(other *Fault) bool {
	return slices.Index(plain, f.Kind) < slices.Index(plain, other.Kind)
}

// About says in a few words what the fault is.
func (f *Fault) About() string {
	if f.Restart != nil && f.Restart.Bare {
		return "a restart"
	}
	return f.Kind.About()
}

// Check returns what is wrong with a fault that was read from a file.
func (f *Fault) Check() error {
	if !slices.Contains(Kinds, f.Kind) {
		return fmt.Errorf("unknown kind %q of a fault", f.Kind)
	}
	for _, text := range f.Rules {
		if _, err := rule.Parse(text); err != nil {
			return fmt.Errorf("rule %q: %w", text, err)
		}
	}
	r := f.Restart
	switch {
	case f.Client == "":
		return errors.New("a fault names its client")
	case len(f.Rules) == 0 && r == nil:
		return errors.New("a fault has rules, or a restart")
	case r != nil && (r.Resource == "" || r.Name == "" || r.Change < 2 || r.For <= 0 ||
		!slices.Contains([]Moment{AtEnd, AtOnce, ByItself}, r.Moment)):
		return errors.New("a restart names an object, a change of it, a moment and a time")
	}
	return nil
}

// Holding is the name of the rule that holds a request while the controller is killed.
const Holding = "explore-kill"

// Leaving is the name of the rule that holds the request of another client until the controller is killed.
const Leaving = "explore-away"

// Lagging is the name of the rule by which a client that starts again sees an old version.
const Lagging = "explore-lag"
