package filter

import (
	"net/http"
	"strings"
	"time"

	"kubarium/flow"
)

// A field is something that a flow can be filtered by.
type field struct {
	name   string
	about  string
	read   func(string) (low, high int64, err error) // for a field with an order; nil for text
	only   []string                                  // all possible values, if they are few
	values []string                                  // values to offer in addition to those seen
	match  func(f *flow.Flow, env *Env, v *value) bool
}

// LessonHeader is the request header in which a lesson's player names its lesson, for the field scenario.
const LessonHeader = "Kubarium-Lesson"

var verbs = []string{"get", "list", "watch", "create", "update", "patch", "apply", "delete", "deletecollection"}

var fields = []*field{
	{name: "verb", about: "what was asked for, in Kubernetes' words", values: verbs,
		match: func(f *flow.Flow, _ *Env, v *value) bool { return v.is(f.Target.Verb) }},
	{name: "method", about: "HTTP method", values: []string{"GET", "POST", "PUT", "PATCH", "DELETE"},
		match: func(f *flow.Flow, _ *Env, v *value) bool { return v.is(f.Method) }},
	{name: "code", about: "HTTP status, 409 or 4xx", read: readNumber,
		values: []string{"2xx", "4xx", "5xx", "200", "201", "404", "409", "410", "422"},
		match:  func(f *flow.Flow, _ *Env, v *value) bool { return v.compare(int64(f.Status)) }},
	{name: "reason", about: "reason of an answer that is an error",
		values: []string{"AlreadyExists", "Conflict", "Expired", "Forbidden", "Invalid", "NotFound"},
		match:  func(f *flow.Flow, _ *Env, v *value) bool { return v.is(f.Reason) }},
	{name: "res", about: "resource: pods, deployments.apps, pods/status", match: matchResource},
	{name: "sub", about: "subresource: status, scale",
		match: func(f *flow.Flow, _ *Env, v *value) bool {
			return f.Target.Subresource != "" && v.is(f.Target.Subresource) // sub:* is any of them
		}},
	{name: "ns", about: "namespace",
		match: func(f *flow.Flow, _ *Env, v *value) bool { return v.is(f.Target.Namespace) }},
	{name: "name", about: "name of the object",
		match: func(f *flow.Flow, _ *Env, v *value) bool { return v.is(f.Target.Name) }},
	{name: "who", about: "short tag of the client; run is the command of kubarium run",
		match: func(f *flow.Flow, _ *Env, v *value) bool {
			return v.is(f.Client.Tag) || f.Client.Via != "" && v.is(f.Client.Via)
		}},
	{name: "ua", about: "User-Agent, any part of it",
		match: func(f *flow.Flow, _ *Env, v *value) bool { return v.within(f.Client.UserAgent) }},
	{name: "user", about: "whose rights count, or who acts as them: system:admin", match: matchGuard("user")},
	{name: "plugin", about: "an admission plugin or a policy that had something to say: LimitRanger",
		match: matchGuard("plugin")},
	{name: "webhook", about: "whom the server called for it: a webhook, a converter, a server behind it; * for any",
		match: matchGuard("webhook")},
	{name: "run", about: "kubectl run, by its session; last is the newest", values: []string{"last"}, match: matchRun},
	{name: "limit", about: "most items that a list asked for; 0 is all of them", read: readNumber,
		match: func(f *flow.Flow, _ *Env, v *value) bool { return f.Page != nil && v.compare(f.Page.Limit) }},
	{name: "rv", about: "resourceVersion that was sent or answered", read: readNumber, match: matchRevision},
	{name: "dur", about: "time to the last byte, 5ms", read: readDuration,
		match: func(f *flow.Flow, _ *Env, v *value) bool { return v.compare(int64(f.Duration)) }},
	{name: "size", about: "bytes of the answer, 4KiB", read: readSize, match: matchSize},
	{name: "enc", about: "format of the answer",
		values: []string{"json", "yaml", "protobuf", "cbor", "table", "gzip"}, match: matchEncoding},
	{name: "station", about: "a station that the request passed", values: flow.Stations, match: matchStation},
	{name: "sql", about: "text of a statement that ran, any part of it", match: matchStatement},
	{name: "body", about: "body of the request or the answer, any part of it",
		match: func(f *flow.Flow, _ *Env, v *value) bool {
			return v.withinBytes(f.RequestBody.Kept) || v.withinBytes(f.ResponseBody.Kept)
		}},
	{name: "hdr", about: "header of the request or the answer: its name or any part of its value",
		match: func(f *flow.Flow, _ *Env, v *value) bool {
			return matchHeader(f.RequestHeader, v) || matchHeader(f.ResponseHeader, v)
		}},
	{name: "watch", about: "number of a watch, open or closed",
		values: []string{"open", "closed", "*"}, match: matchWatch},
	{name: "lag", about: "events that a watch has still to write", read: readNumber,
		match: func(f *flow.Flow, _ *Env, v *value) bool {
			return f.Watch != nil && v.compare(f.Watch.State().Pending)
		}},
	{name: "kind", about: "kind of flow, or of a 409", values: kinds, match: matchKind},
	{name: "since", about: "not older than this, 10s, or than a named moment, sync", read: readSince,
		values: []string{"10s", "1m", "5m"}, match: matchSince},
	{name: "fault", about: "what a fault rule did to it, or the rule's name; yes for any",
		values: []string{"yes", "no", "hold", "delay", "refuse", "cut", "lose", "coalesce", "lag"}, match: matchFault},
	{name: "scenario", about: "lesson that sent it; yes for any", values: []string{"yes", "no"}, match: matchScenario},
	{name: "marked", about: "marked by you", only: []string{"yes", "no"}, match: matchMarked},
}

var byName = func() map[string]*field {
	m := make(map[string]*field, len(fields))
	for _, f := range fields {
		m[f.name] = f
	}
	return m
}()

// Fields returns the names of all fields, in the order in which help lists them.
func Fields() []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}

// About says in a few words what a field holds; "" for an unknown one.
func About(name string) string {
	if f := byName[name]; f != nil {
		return f.about
	}
	return ""
}

func matchResource(f *flow.Flow, _ *Env, v *value) bool {
	t := &f.Target
	if t.Resource == "" {
		return v.text == ""
	}
	if v.is(t.Resource) {
		return true
	}
	if !v.path {
		return false
	}
	qualified := t.Resource
	if t.Group != "" {
		qualified += "." + t.Group
	}
	return v.is(qualified) ||
		t.Subresource != "" && (v.is(t.Resource+"/"+t.Subresource) || v.is(qualified+"/"+t.Subresource))
}

func matchRun(f *flow.Flow, env *Env, v *value) bool {
	if v.op == equals && v.text == "last" {
		return env.LastRun != "" && f.Client.Session == env.LastRun
	}
	return f.Client.Session != "" && v.is(f.Client.Session)
}

func matchRevision(f *flow.Flow, _ *Env, v *value) bool {
	return f.Revision != 0 && v.compare(f.Revision) || f.SentRevision != 0 && v.compare(f.SentRevision)
}

func matchSize(f *flow.Flow, _ *Env, v *value) bool {
	n := f.ResponseBody.Total
	if f.Watch != nil {
		n = max(n, int64(f.Watch.State().Bytes))
	}
	return v.compare(n)
}

func matchEncoding(f *flow.Flow, _ *Env, v *value) bool {
	full := f.ResponseHeader.Get("Content-Type")
	media, parameters, _ := strings.Cut(full, ";")
	if v.is(media) || v.is(formatOf(media)) {
		return true
	}
	if strings.Contains(parameters, "as=Table") && v.is("table") {
		return true
	}
	encoding := f.ResponseHeader.Get("Content-Encoding")
	return encoding != "" && v.is(encoding)
}

// formatOf is the short name of a media type: "protobuf" of application/vnd.kubernetes.protobuf.
func formatOf(media string) string {
	for _, format := range []string{"protobuf", "json", "yaml", "cbor"} {
		if strings.Contains(media, format) {
			return format
		}
	}
	return media[strings.LastIndexByte(media, '/')+1:]
}

func matchStation(f *flow.Flow, _ *Env, v *value) bool {
	for i := range f.Stations {
		if v.is(f.Stations[i].Name) {
			return true
		}
	}
	return false
}

func matchStatement(f *flow.Flow, _ *Env, v *value) bool {
	for i := range f.Statements {
		if v.within(f.Statements[i].SQL) {
			return true
		}
	}
	return false
}

func matchFault(f *flow.Flow, _ *Env, v *value) bool {
	marks := f.Faults
	if f.Watch != nil {
		marks = append(marks[:len(marks):len(marks)], f.Watch.State().Faults...)
	}
	if v.text == "no" {
		return len(marks) == 0
	}
	for i := range marks {
		if v.text == "yes" || v.is(marks[i].Action) || v.is(marks[i].Name) {
			return true
		}
	}
	return false
}

func matchHeader(h http.Header, v *value) bool {
	for name, values := range h {
		if v.is(name) {
			return true
		}
		for _, s := range values {
			if v.within(s) {
				return true
			}
		}
	}
	return false
}

func matchWatch(f *flow.Flow, _ *Env, v *value) bool {
	if f.Watch == nil {
		return false
	}
	if v.low >= 0 {
		return uint64(v.low) == f.Watch.ID
	}
	if f.Phase == flow.WatchClosed || !f.Watch.State().Ended.IsZero() {
		return v.is("closed")
	}
	return v.is("open")
}

// kinds are the words that the field kind matches.
var kinds = []string{"request", "watch-opened", "watch-closed", "exists", "stale", "precondition", "ownership", "panic"}

func matchKind(f *flow.Flow, _ *Env, v *value) bool {
	switch f.Phase {
	case flow.WatchOpened:
		return v.is("watch-opened")
	case flow.WatchClosed:
		return v.is("watch-closed")
	}
	return v.is("request") || f.Panic != "" && v.is("panic") || f.Conflict != nil && matchConflict(f.Conflict.Kind, v)
}

func matchConflict(kind flow.ConflictKind, v *value) bool {
	switch kind {
	case flow.AlreadyExists:
		return v.is("exists")
	case flow.StaleRevision:
		return v.is("stale")
	case flow.Precondition:
		return v.is("precondition")
	case flow.FieldOwnership:
		return v.is("ownership")
	}
	return false
}

func matchSince(f *flow.Flow, env *Env, v *value) bool {
	if v.low == atMoment {
		if env.Moment == nil {
			return false
		}
		before, ok := env.Moment(v.text)
		return ok && f.Seq > before
	}
	now := env.Now
	if now.IsZero() {
		now = time.Now()
	}
	return now.Sub(f.Start) <= time.Duration(v.low)
}

func matchScenario(f *flow.Flow, _ *Env, v *value) bool {
	lesson := f.RequestHeader.Get(LessonHeader)
	ran := lesson != "" || strings.HasPrefix(f.Client.UserAgent, flow.LessonAgent)
	if v.op == equals && v.text == "yes" {
		return ran
	}
	if v.op == equals && v.text == "no" {
		return !ran
	}
	return lesson != "" && v.is(lesson)
}

func matchMarked(f *flow.Flow, env *Env, v *value) bool {
	marked := env.Marked != nil && env.Marked(f.Seq)
	return marked == (v.text == "yes")
}
