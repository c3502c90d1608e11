package authn

import (
	"net/http"
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/request/headerrequest"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
)

// RequestHeaders say which front proxies are believed, and in which headers they name the user.
type RequestHeaders struct {
	// CA verifies the client certificate of a front proxy.
	CA dynamiccertificates.CAContentProvider
	// AllowedNames are the CommonNames of such certificates; none allows all.
	AllowedNames                        []string
	Username, UID, Group, ExtraPrefixes []string
}

// authenticator believes front proxies.
func (h *RequestHeaders) authenticator() authenticator.Request {
	return headerrequest.NewDynamicVerifyOptionsSecure(h.CA.VerifyOptions, headerrequest.StaticStringSlice(h.AllowedNames),
		headerrequest.StaticStringSlice(h.Username), headerrequest.StaticStringSlice(h.UID), headerrequest.StaticStringSlice(h.Group),
		headerrequest.StaticStringSlice(h.ExtraPrefixes))
}

// standardHeaders are those that the aggregation layer writes itself.
var standardHeaders = &RequestHeaders{
	Username: []string{"X-Remote-User"}, UID: []string{"X-Remote-Uid"}, Group: []string{"X-Remote-Group"}, ExtraPrefixes: []string{"X-Remote-Extra-"},
}

// clear takes the headers out, as kube-apiserver does whether or not they were believed.
func (h *RequestHeaders) clear(in http.Header) {
	headerrequest.ClearAuthenticationHeaders(in, headerrequest.StaticStringSlice(h.Username), headerrequest.StaticStringSlice(h.UID),
		headerrequest.StaticStringSlice(h.Group), headerrequest.StaticStringSlice(h.ExtraPrefixes))
}

// named reports whether any of the headers is there.
func (h *RequestHeaders) named(in http.Header) bool {
	for name := range in {
		is := func(header string) bool { return strings.EqualFold(name, header) }
		begins := func(prefix string) bool {
			return len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix)
		}
		if slices.ContainsFunc(h.Username, is) || slices.ContainsFunc(h.UID, is) || slices.ContainsFunc(h.Group, is) || slices.ContainsFunc(h.ExtraPrefixes, begins) {
			return true
		}
	}
	return false
}
