package story

import (
	"net/http"
	"slices"
	"strings"

	"kubarium/flow"
)

// An Option changes the output of Kubectl, Curl, SQL and Etcdctl.
type Option struct {
	unmasked bool
	server   string
	file     string
}

// Unmasked shows secrets. Without it Authorization headers and the contents of Secrets and token reviews are masked.
var Unmasked = Option{unmasked: true}

// At is the address of the server, "http://127.0.0.1:8080". Without it commands are for a kubectl that knows it.
func At(url string) Option { return Option{server: url} }

// By is the kubeconfig file that leads to the server, where its address alone does not.
func By(file string) Option { return Option{file: file} }

func isUnmasked(options []Option) bool { return slices.Contains(options, Unmasked) }

// serverOf returns the address of the server, "" if it is not in the options.
func serverOf(options []Option) string {
	for _, o := range options {
		if o.server != "" {
			return o.server
		}
	}
	return ""
}

// flagOf is what kubectl needs to find the server of the options.
func flagOf(options []Option) string {
	for _, o := range options {
		if o.file != "" {
			return "--kubeconfig " + Quote(o.file)
		}
	}
	return ServerFlag(serverOf(options))
}

// usualServer is kubectl's default server.
const usualServer = "http://127.0.0.1:8080"

// ServerFlag returns what kubectl needs to find a server: "-s URL", or nothing for its default server.
func ServerFlag(url string) string {
	switch strings.TrimSuffix(url, "/") {
	case "", usualServer, "http://localhost:8080":
		return ""
	}
	return "-s " + Quote(url)
}

// kubectl returns the beginning of a command: with the server, and the user that the client impersonated.
func kubectl(f *flow.Flow, options []Option) string {
	words := []string{"kubectl", flagOf(options)}
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

// extras are the extra values of the impersonated user, "scopes=view".
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
