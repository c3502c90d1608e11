package lineage

import (
	"encoding/json"
	"strings"

	"kubarium/flow"
	"kubarium/flow/object"
)

// How a version came to be, in a letter each.
const (
	Created     = "C" // by a create, or an update or an apply that creates
	Updated     = "U" // by an update or a patch
	Applied     = "A" // by server-side apply
	StatusOnly  = "S" // in nothing but its status
	Terminating = "T" // its deletion began
	Deleted     = "D" // its row was removed
	Outside     = "X" // by another process with plain SQL
)

// Letter says in one of these letters how a commit came about, as far as its request says; nil if that is not known.
func Letter(c flow.Commit, by *flow.Flow) string {
	switch {
	case c.Outside:
		return Outside
	case by == nil || c.Type != flow.Updated:
		return string(c.Type)
	case by.Target.Verb == "apply":
		return Applied
	case by.Target.Subresource == "status":
		return StatusOnly
	case strings.HasPrefix(by.Target.Verb, "delete"):
		return Terminating
	}
	return Updated
}

// Compared is the letter of an update whose object is known before and after it: Terminating or StatusOnly if a
// comparison shows that, else the letter given.
func Compared(letter string, before, after []byte) string {
	old, now := partsOf(before), partsOf(after)
	switch {
	case old == nil || now == nil:
		return letter
	case old.deletion == "" && now.deletion != "":
		return Terminating
	case old.rest == now.rest && old.status != now.status:
		return StatusOnly
	}
	return letter
}

// parts is an object divided by what Compared asks for.
type parts struct{ deletion, status, rest string }

func partsOf(stored []byte) *parts {
	o, _ := object.Parse(stored).(map[string]any)
	if o == nil {
		return nil
	}
	p := &parts{deletion: object.TextIn(o, "metadata", "deletionTimestamp"), status: text(o["status"])}
	if meta, ok := o["metadata"].(map[string]any); ok {
		delete(meta, "managedFields")
		delete(meta, "resourceVersion")
	}
	for _, name := range []string{"status", "kind", "apiVersion"} { // the items of a list name neither kind nor version
		delete(o, name)
	}
	p.rest = text(o)
	return p
}

func text(v any) string {
	b, _ := json.Marshal(v) // what was read as JSON can be written as JSON
	return string(b)
}
