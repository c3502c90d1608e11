package story

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"kubarium/flow"
)

// Curl returns a curl command for the same request to the server at baseURL, "http://127.0.0.1:8080".
func Curl(f *flow.Flow, baseURL string, options ...Option) string {
	parts := []string{"curl"}
	if f.Target.Verb == "watch" {
		parts = append(parts, "-N")
	}
	switch f.Method {
	case http.MethodGet:
	case http.MethodHead:
		parts = append(parts, "-I")
	default:
		parts = append(parts, "-X", f.Method)
	}
	b := bodyOf(f, options)
	parts = append(parts, Quote(strings.TrimSuffix(baseURL, "/")+b.uri(f, options)))
	header := f.RequestHeader
	if !isUnmasked(options) {
		header = flow.MaskHeader(header, mask)
	}
	for _, name := range sentHeaders(header) {
		for _, v := range header[name] {
			if name == "Content-Type" && b.changed {
				v = "application/json"
			}
			parts = append(parts, "-H", Quote(name+": "+v))
			if strings.Contains(v, mask) {
				b.note(noteMaskedCredential)
			}
		}
	}
	command := strings.Join(parts, " ")
	if f.RequestBody.Total == 0 {
		return b.comments() + command
	}
	return b.feed(command + " --data-binary @-")
}

// ownHeaders are headers that curl sets itself.
var ownHeaders = []string{"Accept-Encoding", "Connection", "Content-Length", "Host", "Transfer-Encoding", "User-Agent"}

func sentHeaders(h http.Header) []string {
	names := slices.Sorted(maps.Keys(h))
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(ownHeaders, name) })
}
