package aggregated_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// shown are the headers that are compared.
var shown = []string{"Content-Type", "Cache-Control", "Location", "Retry-After", "Warning"}

// show writes an answer, without values that differ between runs.
func (p *player) show(a answer, only string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%d %s\n", a.status, http.StatusText(a.status))
	for _, name := range shown {
		for _, value := range a.header.Values(name) {
			fmt.Fprintf(&out, "%s: %s\n", name, p.neutral(value))
		}
	}
	if len(a.body) > 0 {
		out.WriteString(p.showBody(a.body, only) + "\n")
	}
	return out.String()
}

// showBody writes a body: JSON in lines, other texts as they are, and only the beginning of other bytes.
func (p *player) showBody(body []byte, only string) string {
	var document any
	if err := json.Unmarshal(body, &document); err != nil {
		if bytes.ContainsRune(body, 0) || !bytes.Equal(bytes.ToValidUTF8(body, nil), body) {
			return fmt.Sprintf("bytes that begin with %q", body[:min(3, len(body))])
		}
		return p.neutral(strings.TrimSpace(string(body)))
	}
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(p.neutralValue("", restrict(document, only))); err != nil {
		return err.Error()
	}
	if text := out.String(); len(text) > long {
		return fmt.Sprintf("%d bytes with the SHA-256 %x", len(text), sha256.Sum256([]byte(text)))
	}
	return strings.TrimSpace(out.String())
}

// long is the size from which a body is replaced by its digest.
const long = 16 << 10

// restrict keeps only the members of lists and maps with the text.
func restrict(document any, text string) any {
	top, ok := document.(map[string]any)
	if !ok || text == "" {
		return document
	}
	for _, name := range []string{"items", "groups", "paths", "definitions", "resources"} {
		switch members := top[name].(type) {
		case []any:
			top[name] = slices.DeleteFunc(members, func(v any) bool { return !has(v, text) })
		case map[string]any:
			maps.DeleteFunc(members, func(key string, _ any) bool { return !strings.Contains(key, text) })
		}
	}
	return document
}

func has(v any, text string) bool {
	b, err := json.Marshal(v)
	return err == nil && bytes.Contains(b, []byte(text))
}

// neutralValue replaces values that differ between runs. key is the field of value.
func (p *player) neutralValue(key string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name := range v {
			v[name] = p.neutralValue(name, v[name])
		}
	case []any:
		for i := range v {
			v[i] = p.neutralValue("", v[i])
		}
		if key == "managedFields" {
			slices.SortStableFunc(v, func(a, b any) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) }) // they are in order of time
		}
	case float64:
		if name := p.unfill(fmt.Sprint(v), "webhook-port", "sample-port"); strings.HasPrefix(name, "{{") {
			return name
		}
	case string:
		if v != "" && (key == "resourceVersion" || key == "continue") {
			return "<" + key + ">"
		}
		if key == "manager" && v == programName {
			return "kube-apiserver"
		}
		return p.neutral(v)
	}
	return value
}

// programName is the default field manager of a kube-apiserver with a plain port.
const programName = "refkube"

// Patterns of texts that differ between runs.
var differing = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "<uid>"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "<time>"},
	{regexp.MustCompile(`\bgenerated-[a-z0-9]{5}\b`), "generated-<random>"},
	{regexp.MustCompile(`eyJ[\w-]+\.[\w-]+\.[\w-]+`), "<token>"},
	{regexp.MustCompile(`^\d+[smh](\d+s)?$`), "<age>"},
	{regexp.MustCompile(`(\[::1\]|127\.0\.0\.1):\d{4,5}`), "<address>"},
	{regexp.MustCompile(`resourceVersion=\d+`), "resourceVersion=<resourceVersion>"},
}

// neutral replaces texts that differ between runs.
func (p *player) neutral(text string) string {
	text = p.unfill(text, "ca", "webhook-ca", "webhook")
	for _, d := range differing {
		text = d.pattern.ReplaceAllString(text, d.name)
	}
	return p.unfill(text, "webhook-port", "sample-port")
}

// unfill replaces values by their names.
func (p *player) unfill(text string, names ...string) string {
	for _, name := range names {
		if value := p.vars[name]; value != "" {
			text = strings.ReplaceAll(text, value, "{{"+name+"}}")
		}
	}
	return text
}
