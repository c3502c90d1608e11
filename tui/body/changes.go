package body

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"kubarium/tui/term"
)

// Changes shows what differs between two stored versions of an object, of which one may be nil; text formats them.
// Unless whole is set, fields that the server sets with every write are left out, and a last line says how much that
// is: managedFields, generation, and times, which are creationTimestamp and those of conditions.
func Changes(before, after []byte, text func([]byte) []string, whole bool, w int) []term.Line {
	if whole {
		return Diff(text(before), text(after), w)
	}
	a, leftOfA := quiet(before)
	b, leftOfB := quiet(after)
	var names []string
	for i, name := range []string{"managedFields", "times", "generation"} {
		if !reflect.DeepEqual(leftOfA[i], leftOfB[i]) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return Diff(text(a), text(b), w)
	}
	opens := term.Line{term.Dim.Of(" · "), term.Key.Of("o"), term.Dim.Of(" shows")}
	named := strings.Join(names, " and ")
	if len(names) > 2 {
		named = strings.Join(names[:2], ", ") + " and " + names[2]
	}
	more, less := Differing(text(a), text(b))
	if more+less == 0 {
		return []term.Line{term.FitLine(append(term.Text(term.Dim, "  only "+named+" changed"), opens...), w)}
	}
	allMore, allLess := Differing(text(before), text(after))
	left := term.Plural(allMore+allLess-more-less, "line")
	note := append(term.Text(term.Dim, fmt.Sprintf("  %s of %s left out", left, named)), opens...)
	return append(Diff(text(a), text(b), w), term.FitLine(note, w))
}

// Changed counts the lines that Changes shows as added and as removed.
func Changed(before, after []byte, text func([]byte) []string) (more, less int) {
	a, _ := quiet(before)
	b, _ := quiet(after)
	return Differing(text(a), text(b))
}

// conditionTimes are the fields of a condition that say when it was seen.
var conditionTimes = []string{"lastTransitionTime", "lastUpdateTime", "lastHeartbeatTime", "lastProbeTime"}

// quiet returns an object without what the server sets with every write, and that: managedFields, times and generation.
func quiet(stored []byte) (kept []byte, left [3]any) {
	read := json.NewDecoder(bytes.NewReader(stored))
	read.UseNumber()
	var o map[string]any
	if read.Decode(&o) != nil {
		return stored, left
	}
	meta, _ := o["metadata"].(map[string]any)
	var times []any
	take := func(from map[string]any, name string) any {
		v := from[name]
		delete(from, name)
		return v
	}
	if v := take(meta, "creationTimestamp"); v != nil {
		times = append(times, v)
	}
	status, _ := o["status"].(map[string]any)
	conditions, _ := status["conditions"].([]any)
	for _, c := range conditions {
		c, _ := c.(map[string]any)
		for _, name := range conditionTimes {
			if v := take(c, name); v != nil {
				times = append(times, v)
			}
		}
	}
	left = [3]any{take(meta, "managedFields"), times, take(meta, "generation")}
	var out bytes.Buffer
	write := json.NewEncoder(&out)
	write.SetEscapeHTML(false)
	if write.Encode(o) != nil {
		return stored, left
	}
	return bytes.TrimSpace(out.Bytes()), left
}
