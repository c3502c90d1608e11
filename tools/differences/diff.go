package main

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// A difference is a place where two answers are not the same. The values are nil where there is none.
type difference struct {
	path                 string
	kubarium, kubernetes any
}

func (d difference) String() string {
	return fmt.Sprintf("%s: %s | %s", d.path, short(d.kubarium), short(d.kubernetes))
}

func short(v any) string {
	text := fmt.Sprintf("%q", fmt.Sprint(v))
	if v == nil {
		text = "none"
	}
	if len(text) > 300 {
		text = text[:300] + "…"
	}
	return text
}

// headers are those that a client may act upon.
var headers = []string{"Content-Type", "Warning", "Allow", "Retry-After", "Location", "Cache-Control"}

// compare lists how the answers differ, after normalization: by their codes, headers and bodies.
func compare(kubarium, kubernetes *answer) []difference {
	var all []difference
	if kubarium.code != kubernetes.code {
		all = append(all, difference{"code", kubarium.code, kubernetes.code})
	}
	for _, name := range headers {
		a, b := kubarium.header.Values(name), kubernetes.header.Values(name)
		if !slices.Equal(a, b) {
			all = append(all, difference{"header " + name, strings.Join(a, " ⏎ "), strings.Join(b, " ⏎ ")})
		}
	}
	if kubarium.code == kubernetes.code && sameCauses(kubarium.normal, kubernetes.normal) {
		return all
	}
	return append(all, diff("", kubarium.normal, kubernetes.normal)...)
}

// sameCauses reports whether two refusals have the same causes in whichever order: official checks that range over maps
// find them in another order each time.
func sameCauses(a, b any) bool {
	first, second := causes(a), causes(b)
	return len(first) > 1 && slices.Equal(first, second)
}

// causes are those of a refusal, sorted.
func causes(body any) []string {
	status, _ := body.(map[string]any)
	details, _ := status["details"].(map[string]any)
	var all []string
	for _, cause := range asList(details["causes"]) {
		all = append(all, fmt.Sprint(cause))
	}
	slices.Sort(all)
	return all
}

func diff(path string, a, b any) []difference {
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			return diffMaps(path, a, b)
		}
	case []any:
		if b, ok := b.([]any); ok {
			return diffLists(path, a, b)
		}
	}
	if reflect.DeepEqual(a, b) {
		return nil
	}
	return []difference{{path, a, b}}
}

func diffMaps(path string, a, b map[string]any) []difference {
	keys := slices.Collect(maps.Keys(a))
	for key := range b {
		if _, ok := a[key]; !ok {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	var all []difference
	for _, key := range keys {
		below := strings.TrimPrefix(path+"."+key, ".")
		valueA, inA := a[key]
		valueB, inB := b[key]
		if inA != inB && valueA == nil && valueB == nil {
			all = append(all, difference{below + " (null)", inA, inB})
			continue
		}
		all = append(all, diff(below, valueA, valueB)...)
	}
	return all
}

func diffLists(path string, a, b []any) []difference {
	var all []difference
	for i := range max(len(a), len(b)) {
		var itemA, itemB any
		if i < len(a) {
			itemA = a[i]
		}
		if i < len(b) {
			itemB = b[i]
		}
		all = append(all, diff(fmt.Sprintf("%s[%d]", path, i), itemA, itemB)...)
	}
	return all
}

// group says in a few words what is the same in differences of one sort: of refusals what one server has to say and the
// other has not, else the paths.
func group(kubarium, kubernetes *answer, all []difference) string {
	var lines []string
	if kubarium.code != kubernetes.code {
		lines = append(lines, fmt.Sprintf("code %d | %d", kubarium.code, kubernetes.code))
	}
	saidA, saidB := sayings(kubarium), sayings(kubernetes)
	lines = append(lines, only(saidA, saidB, "only Kubarium: ")...)
	lines = append(lines, only(saidB, saidA, "only Kubernetes: ")...)
	if len(lines) == 0 && len(saidA) > 1 && !slices.Equal(saidA, saidB) {
		lines = []string{"the same causes in another order"}
	}
	refused := kubarium.code >= 400 || kubernetes.code >= 400
	if len(lines) == 0 || !refused {
		for _, d := range all {
			lines = append(lines, indices.ReplaceAllString(d.path, "[]"))
		}
		lines = slices.Compact(lines)
	}
	if len(lines) > 6 {
		lines = append(lines[:6], "…")
	}
	return strings.Join(lines, "; ")
}

// sayings lists the causes of a refusal, or its message if it has none.
func sayings(a *answer) []string {
	o := a.object()
	if a.code < http.StatusBadRequest || o == nil {
		return nil
	}
	var all []string
	details, _ := o["details"].(map[string]any)
	for _, c := range asList(details["causes"]) {
		cause, _ := c.(map[string]any)
		all = append(all, plainText(fmt.Sprintf("%v: %v", cause["field"], cause["message"])))
	}
	if len(all) == 0 {
		all = append(all, plainText(fmt.Sprint(o["message"])))
	}
	return all
}

var (
	indices = regexp.MustCompile(`\[\d+\]`)
	quoted  = regexp.MustCompile(`"(\\.|[^"\\])*"`)
	digits  = regexp.MustCompile(`\d+`)
	values  = regexp.MustCompile(`(Invalid value|Duplicate value|Unsupported value|Too long|Too many): .*?: `)
)

// plainText leaves out of a message what changes with each object.
func plainText(text string) string {
	text = indices.ReplaceAllString(text, "[]")
	text = quoted.ReplaceAllString(text, "“”")
	text = values.ReplaceAllString(text, "$1: ")
	text = digits.ReplaceAllString(text, "N")
	if len(text) > 160 {
		text = text[:160] + "…"
	}
	return text
}

func only(some, others []string, prefix string) []string {
	left := slices.Clone(others)
	var lines []string
	for _, s := range some {
		if i := slices.Index(left, s); i >= 0 {
			left = slices.Delete(left, i, i+1)
			continue
		}
		if !slices.Contains(lines, prefix+s) {
			lines = append(lines, prefix+s)
		}
	}
	return lines
}
