package flow

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Hidden replaces masked text.
const Hidden = "••••••"

// secretHeaders prove an identity.
var secretHeaders = []string{"Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie"}

// addressHeaders contain an address, which may have a query.
var addressHeaders = []string{"Content-Location", "Location", "Referer"}

const (
	socketProtocol = "Sec-Websocket-Protocol"
	socketToken    = "base64url.bearer.authorization.k8s.io." // begins a subprotocol that is a bearer token
)

// MaskHeader returns a header with mask in place of proofs of identity. Of the subprotocols of a WebSocket only the
// bearer token in one of them is masked. h is not changed; a header without secrets is returned as it is.
func MaskHeader(h http.Header, mask string) http.Header {
	if !HasCredentials(h) {
		return h
	}
	out := h.Clone()
	for name, values := range h {
		out[name] = maskValues(name, values, mask)
	}
	return out
}

// HasCredentials reports whether MaskHeader would mask anything.
func HasCredentials(h http.Header) bool {
	for name, values := range h {
		if !slices.Equal(maskValues(name, values, Hidden), values) {
			return true
		}
	}
	return false
}

func maskValues(name string, values []string, mask string) []string {
	switch {
	case slices.Contains(secretHeaders, name):
		return []string{mask}
	case name == socketProtocol:
		return maskEach(values, mask, maskProtocols)
	case slices.Contains(addressHeaders, name):
		return maskEach(values, mask, maskAddress)
	}
	return values
}

func maskEach(values []string, mask string, one func(value, mask string) string) []string {
	masked := make([]string, len(values))
	for i, v := range values {
		masked[i] = one(v, mask)
	}
	return masked
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

// maskAddress masks credentials in the query of an address, and user and password before its host.
func maskAddress(address, mask string) string {
	if scheme, rest, ok := strings.Cut(address, "://"); ok {
		end := strings.IndexAny(rest, "/?#")
		if end < 0 {
			end = len(rest)
		}
		if at := strings.LastIndexByte(rest[:end], '@'); at >= 0 {
			address = scheme + "://" + mask + rest[at:]
		}
	}
	at := strings.IndexAny(address, "?#")
	if at < 0 {
		return address
	}
	return address[:at+1] + MaskQuery(address[at+1:], mask)
}

// MaskQuery returns a raw query with mask in place of credentials, such as the value of token or access_token.
func MaskQuery(query, mask string) string {
	var b strings.Builder
	for rest := query; rest != ""; {
		pair := rest
		if end := strings.IndexAny(rest, "&;#?"); end >= 0 {
			pair = rest[:end+1]
		}
		rest = rest[len(pair):]
		if name, value, ok := strings.Cut(pair, "="); ok && isCredential(name) {
			end := strings.TrimRight(value, "&;#?")
			b.WriteString(name + "=" + mask + value[len(end):])
			continue
		}
		b.WriteString(pair)
	}
	return b.String()
}

// isCredential reports whether a query parameter proves an identity: token, access_token, id_token and the like.
func isCredential(name string) bool {
	if plain, err := url.QueryUnescape(name); err == nil {
		name = plain
	}
	name = strings.ToLower(name)
	return strings.HasSuffix(name, "token") || name == "authorization" || name == "password" || name == "client_secret"
}
