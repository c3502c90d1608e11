package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
)

// headers are compared by their values, and stamps by whether they are there.
var (
	headers = []string{"Content-Type", "Warning", "Allow", "Retry-After", "Location", "Cache-Control", "Vary", "Content-Encoding", "X-Content-Type-Options"}
	stamps  = []string{"Etag", "Last-Modified", "Audit-Id"}
)

// chosen are values that servers choose by themselves, or count on their own, and their replacements.
var chosen = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "{uid}"},
	{regexp.MustCompile(`\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`), "{time}"},
	{regexp.MustCompile(`"(resourceVersion|continue|token)":"[^"]+"`), `"$1":"{$1}"`},
	{regexp.MustCompile(`((resource version|resourceVersion): \d+[, ]+)(current: \d+|\(\d+\))`), "$1{newest}"},
	{regexp.MustCompile(`\b(GEN|kube-api-access)-[bcdfghjklmnpqrstvwxz2456789]{5}\b`), "$1-{suffix}"},
	{regexp.MustCompile(`\b10\.96\.\d+\.\d+\b`), "{ip}"},
	{regexp.MustCompile(`"manager":"(kubarium|refkube|kube-apiserver)"`), `"manager":"{server}"`},
	{regexp.MustCompile(`"\d+(ms|s|m)(\d+s)?"`), `"{age}"`},
	{regexp.MustCompile(`serverAddress"?: ?"?[^"}\n]+"?`), "serverAddress: {address}"},
	{regexp.MustCompile(`"(keys|id_token_signing_alg_values_supported)":\[[^]]*\]|"jwks_uri":"[^"]*"`), "{keys}"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "{address}"},
	{regexp.MustCompile(`(resourceVersion|continue): "[^"]+"`), "$1: {$1}"},
	{regexp.MustCompile(`Key: /registry`), "Key: "}, // a dry run leaves the prefix out
	{regexp.MustCompile(`(?s)userInfo"?:.*`), "userInfo: {who asks}"},
	{regexp.MustCompile(`"(gitVersion|gitTreeState|gitCommit|buildDate|goVersion)":"[^"]*",?`), ""},
	{regexp.MustCompile(`"name":"https","port":\d+`), `"name":"https","port":0`},
	{regexp.MustCompile(`hash=[0-9A-F]{128}`), "hash={hash}"},
}

// normal is an answer as a text without what must differ between two servers.
func (a answer) normal() string {
	var b strings.Builder
	fmt.Fprintln(&b, a.code)
	for _, name := range headers {
		if values := a.header.Values(name); len(values) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(values, " ⏎ "))
		}
	}
	for _, name := range stamps {
		if a.header.Get(name) != "" {
			fmt.Fprintf(&b, "%s\n", name)
		}
	}
	b.WriteString(sorted(a))
	text := b.String()
	for _, c := range chosen {
		text = c.pattern.ReplaceAllString(text, c.name)
	}
	return text
}

// sorted is the body with the members of objects in the order of their names, and the causes of a refusal in one order: official
// checks that range over maps find them in another order each time. Of an object in Protobuf, where versions and times are
// binary, the kind is left.
func sorted(a answer) string {
	switch typ, _, _ := strings.Cut(a.header.Get("Content-Type"), ";"); typ {
	case "application/json":
		return sortedJSON(a)
	case "application/cbor":
		var value any
		if err := direct.Unmarshal([]byte(a.body), &value); err != nil {
			return a.body
		}
		text, _ := json.Marshal(value)
		return string(text)
	case "application/com.github.proto-openapi.spec.v2.v1.0+protobuf": // the order in extensions is another in each process
		return fmt.Sprint(len(a.body), " bytes")
	case "application/vnd.kubernetes.protobuf":
		var envelope runtime.Unknown
		if err := envelope.Unmarshal([]byte(strings.TrimPrefix(a.body, "k8s\x00"))); err == nil && a.code < http.StatusBadRequest {
			return fmt.Sprint(envelope.TypeMeta)
		}
	}
	return a.body
}

func sortedJSON(a answer) string {
	var lines []string
	for d := json.NewDecoder(strings.NewReader(a.body)); ; {
		var value any
		d.UseNumber()
		if err := d.Decode(&value); err != nil {
			break
		}
		if a.code >= http.StatusBadRequest {
			sortCauses(value)
		}
		line, _ := json.Marshal(value)
		lines = append(lines, string(line))
	}
	if len(lines) == 0 {
		return a.body
	}
	return strings.Join(lines, "\n")
}

func sortCauses(value any) {
	status, _ := value.(map[string]any)
	details, _ := status["details"].(map[string]any)
	causes, _ := details["causes"].([]any)
	if len(causes) < 2 {
		return
	}
	slices.SortFunc(causes, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	delete(status, "message") // it lists the causes
}

// around is the place where two texts part, with some of what is before and after it.
func around(a, b string) (string, string) {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	const before, after = 60, 240
	cut := func(s string) string {
		from, to := max(0, at-before), min(len(s), at+after)
		if to-from < len(s) && len(s) > before+after {
			return fmt.Sprintf("…%q…", s[from:to])
		}
		return fmt.Sprintf("%q", s)
	}
	return cut(a), cut(b)
}
