// Package rule is the language of fault rules: what the gate on the way of a request is to do to which requests, a line a rule.
//
//	hold before "rv check" name door on verb:update res:deployments
//	refuse 429 retry-after 3s once on verb:list who:k1
//	seed 42
//
// An action comes first, then what it needs, then modifiers in any order, and behind "on" the filter of flows that says which requests
// are meant: all of them without it, but for Kubarium's own, of which a rule must name the client. A "#" begins a comment.
//
// A Rule is a value that says nothing of what it has done. Package gate does what it says.
package rule

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/flow/filter"
)

// An Action is what happens to a request that a rule meets.
type Action string

// The actions.
const (
	Hold     Action = "hold"     // it stops until somebody lets it go
	Delay    Action = "delay"    // it waits for a time
	Refuse   Action = "refuse"   // it is answered with an error; a watch whose frame is meant ends with an ERROR event
	Cut      Action = "cut"      // its connection ends without an answer
	Lose     Action = "lose"     // the same behind the commit of a write: only the answer is lost
	Coalesce Action = "coalesce" // of changes of one object within a time, a watch tells the last alone
	Lag      Action = "lag"      // reads that any version may answer, and watches, see the server as it was
)

// Actions are the actions, in the order in which help lists them.
var Actions = []Action{Hold, Delay, Refuse, Cut, Lose, Coalesce, Lag}

// About says in a few words what an action does.
func (a Action) About() string {
	switch a {
	case Hold:
		return "stop a request until it is let go: hold, hold for 30s"
	case Delay:
		return "let it wait: delay 200ms, delay 100ms-1s"
	case Refuse:
		return "answer with an error: refuse 429 retry-after 3s"
	case Cut:
		return "end its connection without an answer: cut, cut client with all its watches"
	case Lose:
		return "lose the answer of a write that was committed"
	case Coalesce:
		return "tell watches only the last change of an object within a time: coalesce 500ms"
	case Lag:
		return "answer as a server that lags would: lag 5s, lag rv 4100 for 10s"
	}
	return ""
}

// Frame is the station of one event of a watch, beside those of flow.Line.
const Frame = "frame"

// Stations are where the gate stands, in their order: a rule acts before one of them.
var Stations = []string{"negotiate", flow.Proxy, "decode", "patch", flow.Mutate, "rv check", "validate", flow.Admit, "cache", "store", "encode", Frame}

// aliases are other words for stations.
var aliases = map[string]string{"commit": "store", "answer": "encode", "event": Frame}

// A Rule says what is done to which requests. Its zero value is no rule; Parse makes them.
type Rule struct {
	Name   string // "" for none; one word
	Action Action
	// Before is the station before which it acts, one of Stations.
	Before string
	// Least and Most bound how long: a delay, which is taken between them; Most alone is the longest hold (0 for no end), the time within
	// which changes are coalesced, and how far a server lags.
	Least, Most time.Duration
	Code        int           // of refuse: the HTTP status
	RetryAfter  time.Duration // of refuse, in whole seconds; 0 for none
	Client      bool          // of cut: all watches of the client as well
	Revision    int64         // of lag: the version that is seen; 0 for one that moves on, Most behind
	After       int           // so many requests, or events, that it means pass first
	Times       int           // how often it acts; 0 for no bound
	Chance      float64       // how probable it is that it acts, 0 to 1; 0 is always
	On          *filter.Filter
}

// own is where a rule of the action acts when it does not say so.
func (a Action) own() string {
	switch a {
	case Lose:
		return "encode"
	case Coalesce:
		return Frame
	case Lag:
		return "cache"
	}
	return "negotiate"
}

// String is the line of the rule, which Parse reads back as the same rule.
func (r Rule) String() string {
	words := []string{string(r.Action)}
	add := func(w ...string) { words = append(words, w...) }
	switch r.Action {
	case Hold:
		if r.Most > 0 {
			add("for", r.Most.String())
		}
	case Delay:
		if r.Least != r.Most {
			add(r.Least.String() + "-" + r.Most.String())
		} else {
			add(r.Most.String())
		}
	case Coalesce:
		add(r.Most.String())
	case Refuse:
		add(strconv.Itoa(r.Code))
		if r.RetryAfter > 0 {
			add("retry-after", r.RetryAfter.String())
		}
	case Cut:
		if r.Client {
			add("client")
		}
	case Lag:
		if r.Revision == 0 {
			add(r.Most.String())
			break
		}
		add("rv", strconv.FormatInt(r.Revision, 10))
		if r.Most > 0 {
			add("for", r.Most.String())
		}
	}
	if r.Before != r.Action.own() {
		add("before", quote(r.Before))
	}
	if r.After > 0 {
		add("after", strconv.Itoa(r.After))
	}
	switch {
	case r.Times == 1:
		add("once")
	case r.Times > 1:
		add("times", strconv.Itoa(r.Times))
	}
	if r.Chance > 0 {
		add("chance", strconv.FormatFloat(r.Chance, 'g', -1, 64))
	}
	if r.Name != "" {
		add("name", r.Name)
	}
	if !r.On.Empty() {
		add("on", r.On.String())
	}
	return strings.Join(words, " ")
}

func quote(s string) string {
	if strings.ContainsRune(s, ' ') {
		return `"` + s + `"`
	}
	return s
}

// Frames tells whether the rule is about events of watches.
func (r Rule) Frames() bool { return r.Before == Frame || r.Action == Lag }

// Means tells whether the rule means a request, by what is known of it so far. Kubarium's own are meant by those alone that ask for them by
// their client, and what is sent to /debug/ never is: it is how rules go away again.
func (r Rule) Means(f *flow.Flow) bool {
	if strings.HasPrefix(f.Path, "/debug/") || f.Client.Own() && !r.On.Seeks(f) {
		return false
	}
	return r.On.Match(f)
}

// known are the fields of a filter that can be told before a request is answered.
var known = []string{"verb", "method", "res", "sub", "ns", "name", "who", "ua", "user", "run", "hdr", "body", "rv", "scenario"}

// answered are those that can be told once its answer is made, before "encode".
var answered = []string{"code", "reason"}

// unknown is the first field of the rule's filter that cannot be told where the rule acts; "" if all can.
func (r Rule) unknown() string {
	for _, name := range r.On.Fields() {
		if !slices.Contains(known, name) && !(r.Before == "encode" && slices.Contains(answered, name)) {
			return name
		}
	}
	return ""
}
