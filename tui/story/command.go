package story

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"kubarium/server/flow"
)

// An Option changes what Kubectl and Curl write.
type Option int

// Unmasked writes what is secret as it was sent. Without it Authorization headers and what Secrets and token reviews
// hold are masked.
const Unmasked Option = 1

// Kubectl returns a kubectl command that asks for the same as the flow. What kubectl has no words for becomes a
// command with --raw. A body follows in a here document; one that cannot be written as text is named in a comment.
func Kubectl(f *flow.Flow, options ...Option) string {
	t := &f.Target
	known := t.Resource != "" && (t.Subresource == "" || t.Subresource == "status" || t.Subresource == "scale")
	if !known {
		return rawCommand(f, options)
	}
	switch t.Verb {
	case "get":
		return line("kubectl get", resource(t), t.Name, flags(f, "-o yaml"))
	case "list":
		return line("kubectl get", resource(t), "", flags(f, ""))
	case "watch":
		return line("kubectl get", resource(t), t.Name, flags(f, "-w"))
	case "create":
		return withBody(f, options, line("kubectl create -f -", "", "", flags(f, "")))
	case "update":
		return withBody(f, options, line("kubectl replace -f -", "", "", flags(f, "")))
	case "apply":
		return withBody(f, options, line("kubectl apply --server-side -f -", "", "", flags(f, "")))
	case "patch":
		return patchCommand(f, options)
	case "delete":
		return line("kubectl delete", resource(t), t.Name, flags(f, ""))
	case "deletecollection":
		return line("kubectl delete", resource(t), "", flags(f, everything(f)))
	}
	return rawCommand(f, options)
}

// Curl returns a curl command that sends the same request to the server at baseURL, "http://127.0.0.1:8080".
func Curl(f *flow.Flow, baseURL string, options ...Option) string {
	target := strings.TrimSuffix(baseURL, "/") + f.Path
	if f.Query != "" {
		target += "?" + f.Query
	}
	parts := []string{"curl"}
	if f.Target.Verb == "watch" {
		parts = append(parts, "-N")
	}
	if f.Method != http.MethodGet {
		parts = append(parts, "-X", f.Method)
	}
	parts = append(parts, Quote(target))
	header := f.RequestHeader
	if !slices.Contains(options, Unmasked) {
		header = flow.MaskHeader(header, mask)
	}
	for _, name := range sentHeaders(header) {
		for _, v := range header[name] {
			parts = append(parts, "-H", Quote(name+": "+v))
		}
	}
	command := strings.Join(parts, " ")
	if f.RequestBody.Total == 0 {
		return command
	}
	return withBody(f, options, command+" --data-binary @-")
}

// ownHeaders are headers that curl sets itself.
var ownHeaders = []string{"Accept-Encoding", "Connection", "Content-Length", "Host", "Transfer-Encoding", "User-Agent"}

func sentHeaders(h http.Header) []string {
	var names []string
	for name := range h {
		if !slices.Contains(ownHeaders, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// line joins the words of a command that are there.
func line(words ...string) string {
	words = slices.DeleteFunc(words, func(s string) bool { return s == "" })
	return strings.Join(words, " ")
}

// resource names a resource as kubectl finds it: those of other API groups than Kubernetes' own with their group.
func resource(t *flow.Target) string {
	builtIn := !strings.Contains(t.Group, ".") || strings.HasSuffix(t.Group, ".k8s.io")
	if builtIn && (t.Group != "events.k8s.io") {
		return t.Resource
	}
	return t.Resource + "." + t.Group
}

// clusterScoped are resources that have no namespace, so that -A would say nothing about them.
var clusterScoped = []string{
	"namespaces", "nodes", "persistentvolumes", "clusterroles", "clusterrolebindings", "storageclasses", "priorityclasses",
	"customresourcedefinitions", "apiservices", "ingressclasses", "runtimeclasses", "certificatesigningrequests",
}

// flags returns the flags that stand for namespace and query; more comes after them.
func flags(f *flow.Flow, more string) string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	t := &f.Target
	switch many := t.Name == "" && t.Verb != "create"; {
	case t.Namespace != "" && t.Resource != "namespaces":
		add("-n %s", Quote(t.Namespace))
	case many && !slices.Contains(clusterScoped, t.Resource):
		add("-A")
	}
	if t.Subresource != "" {
		add("--subresource=%s", t.Subresource)
	}
	q, _ := url.ParseQuery(f.Query)
	for _, p := range []struct{ parameter, flag string }{
		{"labelSelector", "-l "}, {"fieldSelector", "--field-selector="}, {"limit", "--chunk-size="},
		{"gracePeriodSeconds", "--grace-period="}, {"fieldManager", "--field-manager="},
	} {
		if v := q.Get(p.parameter); v != "" && (p.flag != "--field-manager=" || t.Verb != "delete") {
			add("%s%s", p.flag, Quote(v))
		}
	}
	if policy := q.Get("propagationPolicy"); policy != "" {
		add("--cascade=%s", strings.ToLower(policy))
	}
	if q.Get("dryRun") == "All" {
		add("--dry-run=server")
	}
	if q.Get("force") == "true" {
		add("--force-conflicts")
	}
	if v := q.Get("fieldValidation"); v != "" {
		add("--validate=%s", strings.ToLower(v))
	}
	return line(strings.Join(out, " "), more)
}

// everything is the flag without which kubectl would not delete a collection.
func everything(f *flow.Flow) string {
	if parameter(f, "labelSelector") != "" || parameter(f, "fieldSelector") != "" {
		return ""
	}
	return "--all"
}

// patchTypes are kubectl's words for the media types of patches.
var patchTypes = map[string]string{
	"application/json-patch+json":            "json",
	"application/merge-patch+json":           "merge",
	"application/strategic-merge-patch+json": "strategic",
}

func patchCommand(f *flow.Flow, options []Option) string {
	kind := patchTypes[media(f)]
	if kind == "" {
		return rawCommand(f, options)
	}
	command := line("kubectl patch", resource(&f.Target), f.Target.Name, flags(f, "--type="+kind))
	body, note := bodyText(f, options)
	if note != "" {
		return "# " + note + "\n" + command + " --patch-file=patch"
	}
	return command + " -p " + Quote(body)
}

// rawCommand asks for a path itself. PATCH has no raw form and becomes a comment.
func rawCommand(f *flow.Flow, options []Option) string {
	path := f.Path
	if f.Query != "" {
		path += "?" + f.Query
	}
	switch f.Method {
	case http.MethodGet:
		return "kubectl get --raw " + Quote(path)
	case http.MethodDelete:
		return "kubectl delete --raw " + Quote(path)
	case http.MethodPost:
		return withBody(f, options, "kubectl create --raw "+Quote(path)+" -f -")
	case http.MethodPut:
		return withBody(f, options, "kubectl replace --raw "+Quote(path)+" -f -")
	}
	return "# kubectl has no command for " + f.Method + " " + path
}

// withBody hands the request's body to a command that reads standard input.
func withBody(f *flow.Flow, options []Option, command string) string {
	body, note := bodyText(f, options)
	switch {
	case note == noteBinary:
		text := base64.StdEncoding.EncodeToString(f.RequestBody.Kept)
		return "base64 -d <<'EOF' | " + command + "\n" + text + "\nEOF"
	case note != "":
		return "# " + note + "\n" + command
	case body == "":
		return command + " </dev/null"
	}
	end := "EOF"
	for strings.Contains("\n"+body+"\n", "\n"+end+"\n") {
		end += "_"
	}
	return command + " <<'" + end + "'\n" + strings.TrimSuffix(body, "\n") + "\n" + end
}

const noteBinary = "the body is not text"

// bodyText returns the request's body as it may be shown, or why it cannot be.
func bodyText(f *flow.Flow, options []Option) (body, note string) {
	b := f.RequestBody
	if b.Cut {
		return "", fmt.Sprintf("of the body's %d bytes only the first were kept: put it on standard input yourself", b.Total)
	}
	text := utf8.Valid(b.Kept) && !slices.Contains(b.Kept, 0)
	secret := len(b.Kept) > 0 && holdsSecrets(f) && !slices.Contains(options, Unmasked)
	switch {
	case secret:
		masked, ok := maskedBody(f)
		if !ok {
			return "", "the body may hold secrets and cannot be masked: put it on standard input yourself"
		}
		return masked, ""
	case !text:
		return "", noteBinary
	}
	return string(b.Kept), ""
}

// Quote makes one word of s for a POSIX shell.
func Quote(s string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./:=,@%+", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
