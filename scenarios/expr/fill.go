package expr

import (
	"encoding/json"
	"maps"
	"regexp"
)

// placeholder is a name in braces, or the name of a server with one of its addresses. Braces of kubectl's own begin with a dot or are
// empty, so they do not match.
var placeholder = regexp.MustCompile(`\{([a-z][a-zA-Z0-9]{0,30}(?:\.(?:url|host|port|ca))?)\}`)

// Placeholders returns the placeholders of a text with their braces, in order.
func Placeholders(text string) []string { return placeholder.FindAllString(text, -1) }

// number is a text that is a placeholder of a number, and nothing else.
var number = regexp.MustCompile(`^\{[a-z][a-zA-Z0-9]{0,30}\.port\}$`)

// Fill replaces the placeholders that have a value; the others stay.
func Fill(text string, values map[string]string) string {
	return placeholder.ReplaceAllStringFunc(text, func(s string) string {
		if v, ok := values[s[1:len(s)-1]]; ok {
			return v
		}
		return s
	})
}

func FillMap(headers, values map[string]string) map[string]string {
	out := maps.Clone(headers)
	for name, v := range out {
		out[name] = Fill(v, values)
	}
	return out
}

// FillJSON fills the texts of a body, keys included.
func FillJSON(v any, values map[string]string) any {
	switch v := v.(type) {
	case string:
		if text := Fill(v, values); text != v && number.MatchString(v) {
			return json.Number(text)
		}
		return Fill(v, values)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = FillJSON(e, values)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[Fill(k, values)] = FillJSON(e, values)
		}
		return out
	}
	return v
}
