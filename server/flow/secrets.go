package flow

import (
	"net/http"
	"slices"
	"strings"
)

// secretHeaders prove who someone is.
var secretHeaders = []string{"Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie"}

const (
	socketProtocol = "Sec-Websocket-Protocol"
	socketToken    = "base64url.bearer.authorization.k8s.io." // begins a subprotocol that is a bearer token
)

// MaskHeader returns a header as it may be shown: what proves who someone is has mask in its place. Of the subprotocols of a
// WebSocket that is the bearer token in one of them. h is not changed; one without secrets is returned as it is.
func MaskHeader(h http.Header, mask string) http.Header {
	var out http.Header
	for name, values := range h {
		masked := maskValues(name, values, mask)
		if slices.Equal(masked, values) {
			continue
		}
		if out == nil {
			out = h.Clone()
		}
		out[name] = masked
	}
	if out == nil {
		return h
	}
	return out
}

func maskValues(name string, values []string, mask string) []string {
	switch {
	case slices.Contains(secretHeaders, name):
		return []string{mask}
	case name == socketProtocol:
		masked := make([]string, len(values))
		for i, v := range values {
			masked[i] = maskProtocols(v, mask)
		}
		return masked
	}
	return values
}

// maskProtocols masks the token in a list of subprotocols.
func maskProtocols(list, mask string) string {
	protocols := strings.Split(list, ",")
	for i, p := range protocols {
		if at := strings.Index(p, socketToken); at >= 0 {
			protocols[i] = p[:at+len(socketToken)] + mask
		}
	}
	return strings.Join(protocols, ",")
}
