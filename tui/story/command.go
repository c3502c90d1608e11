package story

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"kubarium/analysis/deletion"
	"kubarium/flow"
	"kubarium/flow/bodies"
)

// Kubectl returns a kubectl command for the same request, to paste into a POSIX shell. A request that kubectl has no
// words for becomes a command with --raw, and one that it cannot send at all a curl command. A body follows in a here
// document, as JSON if it was not sent as text. Comment lines before the command say what must be done to it first,
// such as to fill in masked values.
func Kubectl(f *flow.Flow, options ...Option) string {
	if !hasWords(f) {
		return rawCommand(f, options)
	}
	k, t := kubectl(f, options), &f.Target
	switch t.Verb {
	case "get":
		return line(k, "get", resource(t), Quote(t.Name), flags(f), "-o yaml")
	case "list":
		return line(k, "get", resource(t), flags(f))
	case "watch":
		return line(k, "get", resource(t), quoted(t.Name), flags(f), "-w")
	case "create":
		return objectCommand(f, options, line(k, "create -f -", flags(f)))
	case "update":
		if t.Subresource == "scale" {
			return scaleCommand(f, options)
		}
		return objectCommand(f, options, line(k, "replace -f -", flags(f)))
	case "apply":
		return objectCommand(f, options, line(k, "apply --server-side -f -", flags(f)))
	case "patch":
		return patchCommand(f, options)
	case "delete":
		return line(k, "delete", resource(t), Quote(t.Name), flags(f), deleteFlags(f))
	case "deletecollection":
		return line(k, "delete", resource(t), flags(f), deleteFlags(f), everything(f))
	}
	return rawCommand(f, options)
}

// ObjectCommand returns a kubectl command for the object of a flow, such as kubectl label: its verb, the object, and
// further words, each quoted as needed.
func ObjectCommand(f *flow.Flow, verb string, further []string, options ...Option) string {
	words := []string{kubectl(f, options), verb, resource(&f.Target), Quote(f.Target.Name)}
	if ns := f.Target.Namespace; ns != "" && f.Target.Resource != "namespaces" {
		words = append(words, "-n", Quote(ns))
	}
	for _, w := range further {
		words = append(words, Quote(w))
	}
	return line(words...)
}

// withFlag are the subresources that kubectl supports with --subresource, by verb: those that return an object whose
// resource kubectl can find.
var withFlag = map[string][]string{
	"get":    {"status", "scale", "resize", "ephemeralcontainers"},
	"patch":  {"status", "scale", "resize", "ephemeralcontainers"},
	"update": {"status", "scale", "resize", "ephemeralcontainers", "approval"},
	"apply":  {"status", "resize", "ephemeralcontainers"},
}

// hasWords reports whether kubectl has a command for a request without --raw.
func hasWords(f *flow.Flow) bool {
	t := &f.Target
	q, err := url.ParseQuery(f.Query)
	switch {
	case t.Resource == "" || err != nil:
		return false
	case t.Subresource != "" && !slices.Contains(withFlag[t.Verb], t.Subresource):
		return false
	}
	switch t.Verb {
	case "get", "list": // kubectl cannot ask for an older state, or for one page
		return q.Get("continue") == "" && strings.Trim(q.Get("resourceVersion"), "0") == "" &&
			q.Get("shardSelector") == ""
	case "update":
		return f.Status != http.StatusCreated // kubectl replaces only existing objects
	case "delete", "deletecollection":
		o, ok := deletion.OptionsOf(f)
		return ok && o.Preconditions == nil
	}
	return true
}

// line joins the words of a command and omits empty ones.
func line(words ...string) string {
	words = slices.DeleteFunc(words, func(s string) bool { return s == "" })
	return strings.Join(words, " ")
}

// quoted quotes a word; "" stays empty.
func quoted(s string) string {
	if s == "" {
		return ""
	}
	return Quote(s)
}

// plainGroups are Kubernetes' own API groups with a dot, besides which kubectl needs no group to find a resource.
var plainGroups = []string{
	"admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "authentication.k8s.io",
	"authorization.k8s.io",
	"certificates.k8s.io", "coordination.k8s.io", "discovery.k8s.io", "flowcontrol.apiserver.k8s.io",
	"networking.k8s.io", "node.k8s.io",
	"rbac.authorization.k8s.io", "resource.k8s.io", "scheduling.k8s.io", "storage.k8s.io",
}

// resource returns a resource as kubectl finds it, with the group if it is not one of Kubernetes' own.
func resource(t *flow.Target) string {
	if !strings.Contains(t.Group, ".") || slices.Contains(plainGroups, t.Group) {
		return Quote(t.Resource)
	}
	return Quote(t.Resource + "." + t.Group)
}

// clusterScoped are resources without a namespace, for which -A would mean nothing.
var clusterScoped = []string{
	"namespaces", "nodes", "persistentvolumes", "clusterroles", "clusterrolebindings", "storageclasses",
	"priorityclasses",
	"customresourcedefinitions", "apiservices", "ingressclasses", "runtimeclasses", "certificatesigningrequests",
}

// flags returns the flags for namespace and query.
func flags(f *flow.Flow) string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	t := &f.Target
	switch many := t.Verb == "list" || t.Verb == "watch" && t.Name == ""; {
	case t.Namespace != "" && t.Resource != "namespaces":
		add("-n %s", Quote(t.Namespace))
	case many && !slices.Contains(clusterScoped, t.Resource):
		add("-A")
	}
	if t.Subresource != "" {
		add("--subresource=%s", Quote(t.Subresource))
	}
	q, _ := url.ParseQuery(f.Query)
	for _, p := range []struct{ parameter, flag string }{
		{"labelSelector", "-l "}, {"fieldSelector", "--field-selector="}, {"limit", "--chunk-size="},
		{"fieldManager", "--field-manager="},
	} {
		if v := q.Get(p.parameter); v != "" && (p.flag != "--field-manager=" || writesObject(t.Verb)) {
			add("%s%s", p.flag, Quote(v))
		}
	}
	if q.Get("dryRun") == "All" {
		add("--dry-run=server")
	}
	if q.Get("force") == "true" && t.Verb == "apply" {
		add("--force-conflicts")
	}
	switch v := q.Get("fieldValidation"); {
	case t.Verb == "patch" || !writesObject(t.Verb):
	case v != "":
		add("--validate=%s", Quote(strings.ToLower(v)))
	case slices.ContainsFunc(f.ResponseHeader["Warning"], isUnknownField): // which kubectl would refuse
		add("--validate=warn")
	}
	return strings.Join(out, " ")
}

func writesObject(verb string) bool {
	return verb == "create" || verb == "update" || verb == "patch" || verb == "apply"
}

func isUnknownField(warning string) bool {
	return strings.Contains(warning, "unknown field") || strings.Contains(warning, "duplicate field")
}

// deleteFlags returns the flags for a deletion's options. kubectl's default is Background; the server's may differ.
func deleteFlags(f *flow.Flow) string {
	o, _ := deletion.OptionsOf(f)
	var out []string
	policy := o.Policy()
	if len(f.Effects) > 0 && policy == "" {
		if p, _ := deletion.PropagationOf(f, f.Effects[0]); p.Policy != "Background" {
			policy = p.Policy
		}
	}
	if policy != "" {
		out = append(out, "--cascade="+Quote(strings.ToLower(policy)))
	}
	if g := o.GracePeriodSeconds; g != nil {
		out = append(out, fmt.Sprintf("--grace-period=%d", *g))
		if *g == 0 {
			out = append(out, "--force") // without it kubectl sends 1
		}
	}
	if slices.Contains(o.DryRun, "All") && parameter(f, "dryRun") != "All" {
		out = append(out, "--dry-run=server")
	}
	return strings.Join(out, " ")
}

// everything returns the flag that kubectl requires to delete a whole collection.
func everything(f *flow.Flow) string {
	if parameter(f, "labelSelector") != "" || parameter(f, "fieldSelector") != "" {
		return ""
	}
	return "--all"
}

// objectCommand passes an object to a command that reads its kind.
func objectCommand(f *flow.Flow, options []Option, command string) string {
	b := bodyOf(f, options)
	if b.missing == "" && !b.name(f) {
		return rawCommand(f, options)
	}
	return b.feed(command)
}

// scaleCommand is kubectl's command for the replicas of a scale.
func scaleCommand(f *flow.Flow, options []Option) string {
	var scale struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
		Spec struct {
			Replicas *int32 `json:"replicas"`
		} `json:"spec"`
	}
	if json.Unmarshal(bodies.JSON(f.RequestBody), &scale) != nil || scale.Spec.Replicas == nil {
		return rawCommand(f, options)
	}
	further := []string{fmt.Sprintf("--replicas=%d", *scale.Spec.Replicas)}
	if rv := scale.Metadata.ResourceVersion; rv != "" {
		further = append(further, "--resource-version="+rv)
	}
	if parameter(f, "dryRun") == "All" {
		further = append(further, "--dry-run=server")
	}
	return ObjectCommand(f, "scale", further, options...)
}

// patchTypes are kubectl's names of the media types of patches.
var patchTypes = map[string]string{
	"application/json-patch+json":            "json",
	"application/merge-patch+json":           "merge",
	"application/strategic-merge-patch+json": "strategic",
}

// mostWord is the longest word of a command; systems accept more (128 KiB on Linux).
const mostWord = 64 << 10

func patchCommand(f *flow.Flow, options []Option) string {
	kind := patchTypes[media(f)]
	if kind == "" {
		return rawCommand(f, options)
	}
	command := line(kubectl(f, options), "patch", resource(&f.Target), Quote(f.Target.Name), flags(f), "--type="+kind)
	b := bodyOf(f, options)
	if b.missing == "" && b.binary == nil && len(b.text) <= mostWord {
		return b.comments() + command + " -p " + Quote(b.text)
	}
	return b.feed(command + " --patch-file=/dev/stdin")
}

// rawCommand requests a path directly. A request without a raw form is sent by curl.
func rawCommand(f *flow.Flow, options []Option) string {
	b := bodyOf(f, options)
	k, path := kubectl(f, options), Quote(b.uri(f, options))
	switch b.asJSON(); {
	case f.Method == http.MethodGet && b.empty():
		return b.comments() + line(k, "get --raw", path)
	case f.Method == http.MethodDelete && b.empty():
		return b.comments() + line(k, "delete --raw", path)
	case f.Method == http.MethodDelete && b.isJSON():
		return b.feed(line(k, "delete --raw", path, "-f -"))
	case f.Method == http.MethodPost && b.isJSON():
		return b.feed(line(k, "create --raw", path, "-f -"))
	case f.Method == http.MethodPut && b.isJSON():
		return b.feed(line(k, "replace --raw", path, "-f -"))
	}
	server := serverOf(options)
	if server == "" {
		server = usualServer
	}
	return "# kubectl cannot send this, so it is a command of curl\n" + Curl(f, server, options...)
}

// uri returns path and query of a request, with credentials masked unless the options say otherwise.
func (b *sentBody) uri(f *flow.Flow, options []Option) string {
	u := url.URL{Path: f.Path, RawQuery: f.Query}
	if !isUnmasked(options) {
		u.RawQuery = flow.MaskQuery(f.Query, mask)
	}
	if strings.Contains(u.RawQuery, mask) {
		b.note(noteMaskedCredential)
	}
	return u.RequestURI()
}

// Quote quotes s as one word for a POSIX shell.
func Quote(s string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' ||
			strings.ContainsRune("-_./:=,@%+", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
