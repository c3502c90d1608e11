package story

import (
	"net/http"
	"slices"
	"strings"

	"kubarium/flow"
)

// An Option changes what Kubectl, Curl, SQL and Etcdctl write.
type Option struct {
	unmasked bool
	server   string
}

// Unmasked writes what is secret as it was sent. Without it Authorization headers and what Secrets and token reviews
// hold are masked.
var Unmasked = Option{unmasked: true}

// At says where the server is, "http://127.0.0.1:8080". Without it commands are for a kubectl that knows.
func At(url string) Option { return Option{server: url} }

func isUnmasked(options []Option) bool { return slices.Contains(options, Unmasked) }

// serverOf is where the server is, "" if that was not said.
func serverOf(options []Option) string {
	for _, o := range options {
		if o.server != "" {
			return o.server
		}
	}
	return ""
}

// usualServer is where kubectl looks for a server by itself.
const usualServer = "http://127.0.0.1:8080"

// ServerFlag is what kubectl needs to find a server: "-s URL", nothing where it looks by itself.
func ServerFlag(url string) string {
	switch strings.TrimSuffix(url, "/") {
	case "", usualServer, "http://localhost:8080":
		return ""
	}
	return "-s " + Quote(url)
}

// kubectl begins a command: with the server, and with whom the client acted as.
func kubectl(f *flow.Flow, options []Option) string {
	words := []string{"kubectl", ServerFlag(serverOf(options))}
	add := func(flag string, values []string) {
		for _, v := range values {
			words = append(words, flag+"="+Quote(v))
		}
	}
	add("--as", f.RequestHeader["Impersonate-User"])
	add("--as-group", f.RequestHeader["Impersonate-Group"])
	add("--as-uid", f.RequestHeader["Impersonate-Uid"])
	add("--as-user-extra", extras(f.RequestHeader))
	return line(words...)
}

// extras are the further facts of whom a client acted as, "scopes=view".
func extras(h http.Header) (out []string) {
	for name, values := range h {
		key, ok := strings.CutPrefix(name, "Impersonate-Extra-")
		for _, v := range values {
			if ok {
				out = append(out, strings.ToLower(key)+"="+v)
			}
		}
	}
	slices.Sort(out)
	return out
}
