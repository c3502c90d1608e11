package compare_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubarium/flow"
)

var start = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// run makes flows of lines of words: a client, a verb, and an object as resource, resource/name or
// resource/name/subresource, which is in the namespace default unless the resource is namespaces. What may follow in
// any order is a status (200 unless it is there), its reason, body={…} without spaces, ns=, user=, agent=, q= for the
// query, ms= for the time since the line before (1 unless it is there), unchanged for a write that changes nothing, and
// sent= and stored= for a conflict.
func run(text string) []*flow.Flow {
	var out []*flow.Flow
	at := start
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		f := &flow.Flow{Seq: uint64(len(out) + 1), Status: 200,
			Client: flow.Client{Tag: words[0], UserAgent: words[0] + "/v1.0", User: "system:admin"}}
		f.Target = flow.Target{Verb: words[1], Version: "v1", Namespace: "default"}
		f.Target.Resource, f.Target.Name, _ = strings.Cut(words[2], "/")
		f.Target.Name, f.Target.Subresource, _ = strings.Cut(f.Target.Name, "/")
		f.Method = map[string]string{"get": "GET", "list": "GET", "watch": "GET", "create": "POST", "update": "PUT",
			"patch": "PATCH", "delete": "DELETE"}[words[1]]
		if f.Target.Resource == "namespaces" {
			f.Target.Namespace = ""
		}
		if strings.HasPrefix(words[2], "/") {
			f.Target, f.Path = flow.Target{Verb: "get"}, words[2]
		}
		ms := 1
		for _, w := range words[3:] {
			ms = set(f, w, ms)
		}
		if f.Method != "GET" && f.Status > 0 && f.Status < 300 && !slices.Contains(words, "unchanged") {
			f.Effects = []flow.Effect{{}}
		}
		at = at.Add(time.Duration(ms) * time.Millisecond)
		f.Start = at
		out = append(out, f)
	}
	return out
}

// set sets what a word says.
func set(f *flow.Flow, word string, ms int) int {
	name, value, ok := strings.Cut(word, "=")
	var n int
	_, err := fmt.Sscan(value, &n)
	switch {
	case word == "unchanged":
	case !ok:
		if _, err := fmt.Sscan(word, &f.Status); err != nil {
			f.Reason = word
		}
	case name == "body":
		f.RequestBody = flow.Keep([]byte(value))
	case name == "ns":
		f.Target.Namespace = value
	case name == "user":
		f.Client.User = value
	case name == "agent":
		f.Client.UserAgent = value
	case name == "q":
		f.Query = value
	case name == "ms":
		return n
	case err != nil:
		panic(word)
	default:
		if f.Conflict == nil {
			f.Conflict = &flow.Conflict{Kind: flow.StaleRevision}
		}
		if name == "sent" {
			f.Conflict.Sent = int64(n)
		} else {
			f.Conflict.Stored = int64(n)
		}
	}
	return ms
}
