package golden

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// A binding has the values of the placeholders of a case so far, by their names: "uid:1".
type binding map[string]string

// rules are the patterns of the values of placeholders, by kind.
var rules = map[string]string{
	"uid":      `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`,
	"rv":       `[0-9]+`,
	"listrv":   `[0-9]+`,
	"time":     `[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?Z`,
	"continue": `[A-Za-z0-9_=+/%-]+`,
	"gen":      `[a-z0-9]{5,}`,
	"n":        `-?[0-9]+(?:\.[0-9]+)?`,
	"age":      `(?:[0-9]+[smhdy])+|<unknown>|<invalid>`,
	"any":      `(?s:.*)`,
}

var placeholder = regexp.MustCompile(`\{\{([a-z]+)(?::([A-Za-z0-9-]+))?\}\}`)

// fill replaces the placeholders of a request by their values; unknown ones stay.
func (b binding) fill(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(p string) string {
		if v, ok := b[p[2:len(p)-2]]; ok {
			return v
		}
		return p
	})
}

// text matches a string that may contain placeholders and binds new ones; "" means it matches.
func (b binding) text(want, got string) string {
	if !strings.Contains(want, "{{") {
		if want != got {
			return fmt.Sprintf("want %q\n      got  %q", want, got)
		}
		return ""
	}
	pattern, names := b.pattern(want)
	m := regexp.MustCompile(pattern).FindStringSubmatch(got)
	if m == nil {
		return fmt.Sprintf("want %q\n      got  %q", b.fill(want), got)
	}
	for i, name := range names {
		if why := b.bind(name, m[i+1]); why != "" {
			return why
		}
	}
	return ""
}

// pattern makes the regular expression of a string with placeholders, and names its groups.
func (b binding) pattern(want string) (string, []string) {
	var p strings.Builder
	var names []string
	end := 0
	p.WriteString(`\A`)
	for _, m := range placeholder.FindAllStringSubmatchIndex(want, -1) {
		p.WriteString(regexp.QuoteMeta(want[end:m[0]]))
		end = m[1]
		name, kind := want[m[0]+2:m[1]-2], want[m[2]:m[3]]
		if v, ok := b[name]; ok {
			p.WriteString(regexp.QuoteMeta(v))
			continue
		}
		rule, ok := rules[kind]
		if !ok {
			rule = rules["any"]
		}
		p.WriteString("(" + rule + ")")
		names = append(names, name)
	}
	p.WriteString(regexp.QuoteMeta(want[end:]) + `\z`)
	return p.String(), names
}

// bind gives a placeholder its value. Different UIDs and different versions of objects have different values.
func (b binding) bind(name, value string) string {
	kind, x, _ := strings.Cut(name, ":")
	if x == "" {
		return ""
	}
	if old, ok := b[name]; ok && old != value {
		return fmt.Sprintf("{{%s}} is both %q and %q", name, old, value)
	}
	if kind == "uid" || kind == "rv" {
		for other, v := range b {
			if other != name && v == value && strings.HasPrefix(other, kind+":") {
				return fmt.Sprintf("{{%s}} has the value of {{%s}}, %s", name, other, value)
			}
		}
	}
	b[name] = value
	return ""
}

// match compares an answer with the recorded one and lists the differences, each with its path.
func (b binding) match(path string, want, got any) []string {
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			return b.matchObject(path, w, g)
		}
	case []any:
		if g, ok := got.([]any); ok {
			return b.matchList(path, w, g)
		}
	case string:
		if g, ok := scalarText(w, got); ok {
			if why := b.text(w, g); why != "" {
				return []string{path + ": " + why}
			}
			return nil
		}
	default:
		if same(want, got) {
			return nil
		}
	}
	return []string{fmt.Sprintf("%s: want %s\n      got  %s", path, brief(want), brief(got))}
}

// scalarText returns got as text if it is a string, or a number in the place of a placeholder for one.
func scalarText(want string, got any) (string, bool) {
	if n, ok := got.(json.Number); ok && want == "{{n}}" {
		return n.String(), true
	}
	s, ok := got.(string)
	return s, ok
}

func (b binding) matchObject(path string, want, got map[string]any) (diffs []string) {
	unordered := want["kind"] == "Status" && want["apiVersion"] == "v1"
	for _, key := range slices.Sorted(maps.Keys(want)) {
		at := strings.TrimPrefix(path+"."+key, ".")
		g, ok := got[key]
		switch {
		case !ok:
			diffs = append(diffs, fmt.Sprintf("%s: want %s\n      got  nothing", at, brief(want[key])))
		case unordered && key == "message" && b.sameMessage(want[key], g):
		case unordered && key == "details":
			diffs = append(diffs, b.matchDetails(at, want[key], g)...)
		case key == "managedFields":
			diffs = append(diffs, b.matchManagers(at, want[key], g)...)
		default:
			diffs = append(diffs, b.match(at, want[key], g)...)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[key]; !ok {
			diffs = append(diffs, fmt.Sprintf("%s: want nothing\n      got  %s", strings.TrimPrefix(path+"."+key, "."),
				brief(got[key])))
		}
	}
	return diffs
}

func (b binding) matchList(path string, want, got []any) (diffs []string) {
	for i := range max(len(want), len(got)) {
		at := fmt.Sprintf("%s[%d]", path, i)
		switch {
		case i >= len(got):
			diffs = append(diffs, fmt.Sprintf("%s: want %s\n      got  nothing", at, brief(want[i])))
		case i >= len(want):
			diffs = append(diffs, fmt.Sprintf("%s: want nothing\n      got  %s", at, brief(got[i])))
		default:
			diffs = append(diffs, b.match(at, want[i], got[i])...)
		}
	}
	return diffs
}

// matchDetails compares the details of a Status, whose causes have no order.
func (b binding) matchDetails(path string, want, got any) []string {
	w, isObject := want.(map[string]any)
	g, ok := got.(map[string]any)
	wants, hasCauses := w["causes"].([]any)
	gots, ok2 := g["causes"].([]any)
	if !isObject || !ok || !hasCauses || !ok2 {
		return b.match(path, want, got)
	}
	g = maps.Clone(g)
	g["causes"] = b.arrange(wants, gots)
	return b.matchObject(path, w, g)
}

// arrange puts the entries of a list without order into the recorded order. A list with an entry that matches none
// stays as it is.
func (b binding) arrange(want, got []any) []any {
	if len(want) != len(got) {
		return got
	}
	arranged := make([]any, len(want))
	left := slices.Clone(got)
	for i, w := range want {
		j := slices.IndexFunc(left, func(g any) bool { return len(maps.Clone(b).match("", w, g)) == 0 })
		if j < 0 {
			return got
		}
		arranged[i] = left[j]
		left = slices.Delete(left, j, j+1)
	}
	return arranged
}

// matchManagers compares managed fields. They are sorted by their times first, which have whole seconds: where some
// differ here, the order may be another than the recorded one.
func (b binding) matchManagers(path string, want, got any) []string {
	wants, ok := want.([]any)
	gots, ok2 := got.([]any)
	if !ok || !ok2 || !crossesSecond(gots) {
		return b.match(path, want, got)
	}
	return b.matchList(path, wants, b.arrange(wants, gots))
}

// crossesSecond reports whether managed fields have different times.
func crossesSecond(managers []any) bool {
	times := map[any]bool{}
	for _, m := range managers {
		if entry, ok := m.(map[string]any); ok {
			times[entry["time"]] = true
		}
	}
	return len(times) > 1
}

// sameMessage reports whether two messages of a Status have the same texts between their brackets, in any order, and
// the same text around them. It binds what matches.
func (b binding) sameMessage(want, got any) bool {
	w, _ := want.(string)
	g, _ := got.(string)
	trial := maps.Clone(b)
	if trial.text(w, g) != "" {
		trial = maps.Clone(b)
		if trial.text(sortBrackets(w), sortBrackets(g)) != "" {
			return false
		}
	}
	maps.Copy(b, trial)
	return true
}

// sortBrackets sorts the comma-separated texts between the first "[" and the last "]" of a message.
func sortBrackets(message string) string {
	start, end := strings.Index(message, "["), strings.LastIndex(message, "]")
	if start < 0 || end < start {
		return message
	}
	parts := strings.Split(message[start+1:end], ", ")
	slices.Sort(parts)
	return message[:start+1] + strings.Join(parts, ", ") + message[end:]
}

// same compares two values without placeholders; numbers by their value.
func same(want, got any) bool {
	w, ok1 := want.(json.Number)
	g, ok2 := got.(json.Number)
	if !ok1 || !ok2 {
		return ok1 == ok2 && want == got
	}
	x, ok1 := new(big.Rat).SetString(w.String())
	y, ok2 := new(big.Rat).SetString(g.String())
	return ok1 && ok2 && x.Cmp(y) == 0
}

// brief shows a value as JSON, a long one cut.
func brief(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%v", v)
	}
	if len(data) > 600 {
		return string(data[:600]) + "…"
	}
	return string(data)
}
