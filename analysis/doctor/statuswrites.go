package doctor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"kubarium/flow/bodies"
	"kubarium/flow/object"
)

// statusWrites finds writes of the main resource that would change the status, which the server ignored.
type statusWrites struct{ tally[ignored] }

// ignored are the fields that had no effect.
type ignored struct{ fields set }

var statusName = []byte(`"status"`)

func (s *statusWrites) add(r *request) {
	if !r.reported {
		return
	}
	if fields := ignoredStatus(r); len(fields) > 0 {
		one := s.at(r.who(), r.ref)
		one.note(r)
		one.own.fields.add(maxRecords, fields...)
	}
}

// ignoredStatus are the fields of the status that a write of the main resource meant to set, in vain.
func ignoredStatus(r *request) []string {
	if !r.changes() || r.Target.Subresource != "" || !r.accepted() || r.dry() || len(r.Effects) > 1 || r.RequestBody.Cut {
		return nil
	}
	if r.Target.Verb == "update" && r.SentRevision == 0 {
		return nil // an older status may be sent along without being meant
	}
	stored := storedOf(r)
	if stored == nil || !mayHaveStatus(r, stored) {
		return nil
	}
	return ignoredFields(r, stored)
}

// storedOf is the object after a write that left its status alone; nil if the write changed it, or if that is not
// known.
func storedOf(r *request) []byte {
	if len(r.Effects) == 0 {
		if r.Revision == 0 {
			return nil
		}
		return bodies.JSON(r.ResponseBody)
	}
	e := &r.Effects[0]
	if e.Before == nil || e.After == nil || !bytes.Equal(object.Member(e.Before, "status"), object.Member(e.After, "status")) {
		return nil
	}
	return e.After
}

// mayHaveStatus reports whether a body may name another status than the stored one, as far as a quick look shows.
func mayHaveStatus(r *request, stored []byte) bool {
	sent := r.RequestBody.Kept
	if bodies.IsText(sent) {
		if first := bytes.TrimLeft(sent, " \t\r\n"); len(first) > 0 && first[0] == '{' {
			raw := object.Member(sent, "status")
			return raw != nil && !bytes.Equal(raw, object.Member(stored, "status"))
		}
		return bytes.Contains(sent, statusName) || bytes.Contains(sent, []byte("status:")) ||
			bytes.Contains(sent, []byte(`/status`))
	}
	return bytes.Contains(stored, statusName)
}

// ignoredFields are the fields of a status that a write names with another value than the stored one. Values such as 0,
// "" and false are left aside: an object built from nothing has them in the fields that no one has set.
func ignoredFields(r *request, stored []byte) []string {
	sent, have := object.Sent(r.Flow), object.Parse(stored)
	if ops, ok := sent.([]any); ok {
		return patchedStatus(ops, have)
	}
	version := object.TextIn(sent, "apiVersion")
	if is := object.TextIn(have, "apiVersion"); version != "" && is != "" && is != version {
		return nil // the fields of another version have other names
	}
	now := object.Leaves(object.In(have, "status"))
	var out []string
	for path, v := range object.Leaves(object.In(sent, "status")) {
		if !zero(v) && !object.Same(v, now[path]) {
			out = append(out, object.JoinPath("status", path))
		}
	}
	return out
}

// patchedStatus are the fields of the status that a JSON patch sets.
func patchedStatus(ops []any, have any) (out []string) {
	for _, op := range ops {
		path := object.TextIn(op, "path")
		names := strings.Split(strings.TrimPrefix(path, "/"), "/")
		kind := object.TextIn(op, "op")
		if names[0] != "status" || kind != "add" && kind != "replace" {
			continue
		}
		if v := object.In(op, "value"); !zero(v) && !object.Same(v, object.In(have, names...)) {
			out = append(out, strings.Join(names, "."))
		}
	}
	return out
}

func zero(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case json.Number:
		return v == "0"
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

func (s *statusWrites) report(*run) []Finding {
	return s.findings(func(one *instance[ignored]) (Severity, string) {
		return Warning, fmt.Sprintf(
			"%s sent another status with a write of the main resource of %s %s, and it was ignored: %s.",
			one.who, nameOf(one.ref), times(one.count), one.own.fields.first(4))
	})
}
