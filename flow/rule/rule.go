// Package rule is the language of fault rules: what the gate does to which requests, one rule a line.
//
//	hold before "rv check" name door on verb:update res:deployments
//	refuse 429 retry-after 3s once on verb:list who:k1
//	seed 42
//
// An action comes first, then its values, then modifiers in any order, and after "on" the filter of flows that selects
// the requests. Without a filter a rule applies to all requests, except Kubarium's own, which apply only to rules that
// name their client. A "#" begins a comment.
//
// A Rule is a plain value without state. Package gate applies it.
package rule

import (
	"strconv"
	"strings"
	"time"

	"kubarium/flow"
	"kubarium/flow/filter"
)

// An Action is what happens to the requests that a rule matches.
type Action string

// The actions.
const (
	Hold     Action = "hold"     // it waits until a person releases it
	Delay    Action = "delay"    // it waits for a time
	Refuse   Action = "refuse"   // it is answered with an error; on frames, its watch ends with an ERROR event
	Cut      Action = "cut"      // its connection ends without an answer
	Lose     Action = "lose"     // the same after the commit of a write: only the answer is lost
	Coalesce Action = "coalesce" // of the changes of one object within a time, a watch sends only the last
	Lag      Action = "lag"      // reads that accept any version, and watches, see an earlier state of the server
)

// Actions are the actions, in the order in which help lists them.
var Actions = []Action{Hold, Delay, Refuse, Cut, Lose, Coalesce, Lag}

// abouts say in a few words what the actions do.
var abouts = map[Action]string{
	Hold:     "stop a request until it is let go: hold, hold for 30s",
	Delay:    "let it wait: delay 200ms, delay 100ms-1s",
	Refuse:   "answer with an error: refuse 429 retry-after 3s",
	Cut:      "end its connection without an answer: cut, cut client with all its watches",
	Lose:     "lose the answer of a write that was committed",
	Coalesce: "send watches only the last change of an object within a time: coalesce 500ms",
	Lag:      "answer as a server that lags would: lag 5s, lag rv 4100 for 10s",
}

// About says in a few words what an action does.
func (a Action) About() string { return abouts[a] }

// Frame is the station of one event of a watch, in addition to those of flow.Line.
const Frame = "frame"

// Stations are those before which a rule can act, in their order.
var Stations = []string{
	"negotiate", flow.Proxy, "decode", "patch", flow.Mutate, "rv check", "validate", flow.Admit, "cache", "store",
	"encode", Frame,
}

// aliases are other names of stations.
var aliases = map[string]string{"commit": "store", "answer": "encode", "event": Frame}

// A Rule says what happens to which requests. Parse makes one; the zero value is not valid.
type Rule struct {
	Name   string // "" for none; one word
	Action Action
	// Before is the station before which it acts, one of Stations.
	Before string
	// Least and Most limit a delay, which is between them. Most alone is the longest hold (0 for no limit), the time
	// within which changes are coalesced, or how far the server lags.
	Least, Most time.Duration
	Code        int           // of refuse: the HTTP status
	RetryAfter  time.Duration // of refuse, in whole seconds; 0 for none
	Client      bool          // of cut: also all watches of the client
	Revision    int64         // of lag: the visible revision; 0 for one that stays Most in the past
	After       int           // number of matching requests, or events, that pass first
	Times       int           // how often it acts; 0 for no limit
	Chance      float64       // probability that it acts, 0 to 1; 0 means always
	On          *filter.Filter
}

// own is the default station of an action.
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

// String returns the line of the rule, which Parse reads back as the same rule.
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

// Frames reports whether the rule is about events of watches.
func (r Rule) Frames() bool { return r.Before == Frame || r.Action == Lag }

// Means reports whether the rule matches a request, judged by what is known of it so far. Kubarium's own requests match
// only if the filter names their client. Requests to /debug/ never match, so that rules can always be removed.
func (r Rule) Means(f *flow.Flow) bool {
	if strings.HasPrefix(f.Path, "/debug/") || f.Client.Own() && !r.On.Seeks(f) {
		return false
	}
	return r.On.Match(f)
}

// known are the filter fields that are known before a request is answered.
var known = []string{
	"verb", "method", "res", "sub", "ns", "name", "who", "ua", "user", "run", "hdr", "body", "rv", "scenario",
}

// answered are those known once the answer is made, before "encode".
var answered = []string{"code", "reason"}

// unknown returns the first field of the rule's filter that is not known where the rule acts; "" if all are.
func (r Rule) unknown() string {
	for _, name := range r.On.Fields() {
		if !r.Knows(name) {
			return name
		}
	}
	return ""
}
