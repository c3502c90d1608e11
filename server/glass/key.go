package glass

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
)

// NewKey makes the key of a run: the bearer token by which its own clients are known.
func NewKey() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // which never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// bearerProtocol begins a WebSocket's subprotocol that is a bearer token, for browsers, which cannot send headers.
const bearerProtocol = "base64url.bearer.authorization.k8s.io."

// socketWay is the way of a WebSocket that brings its token as a subprotocol.
func (g *Glass) socketWay(r *http.Request) (w way, via string, ok bool) {
	var rest []string
	for _, p := range strings.Split(strings.Join(r.Header.Values("Sec-Websocket-Protocol"), ","), ",") {
		p = strings.TrimSpace(p)
		token, is := strings.CutPrefix(p, bearerProtocol)
		if !is {
			rest = append(rest, p)
			continue
		}
		ok = true
		if !w.mine {
			w = g.Upstream.plain
		}
		text, err := base64.RawURLEncoding.DecodeString(token)
		if of, known := g.Keys[string(text)]; known && err == nil {
			w, via = g.Upstream.mine, of
		}
	}
	if w.mine {
		r.Header.Set("Sec-Websocket-Protocol", strings.Join(rest, ", "))
	}
	return w, via, ok
}

// subject is the user that a bearer token names, if it is a ServiceAccount's, unchecked. "" for other
// tokens.
func subject(authorization string) string {
	parts := strings.Split(strings.TrimPrefix(authorization, "Bearer "), ".")
	if len(parts) != 3 {
		return ""
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	var claims struct{ Sub string }
	if err != nil || json.Unmarshal(text, &claims) != nil || !strings.HasPrefix(claims.Sub, "system:serviceaccount:") {
		return ""
	}
	return claims.Sub
}
