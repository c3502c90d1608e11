package recording

import (
	"google.golang.org/protobuf/encoding/protowire"

	"kubarium/flow"
)

// The messages of authentication, authorization and admission.

func identity(c *coder, v *flow.Identity) {
	proved(c, v)
	optional(c, 8, "impersonator", &v.Impersonator, proved)
}

// proved are the fields of an identity without the impersonator, which has none itself.
func proved(c *coder, v *flow.Identity) {
	word(c, 1, "by", &v.By)
	word(c, 2, "user", &v.User)
	word(c, 3, "uid", &v.UID)
	repeated(c, 4, "groups", &v.Groups, word[string])
	extra(c, 5, "extra", &v.Extra)
	word(c, 6, "credential", &v.Credential)
	text(c, 7, "failure", &v.Failure)
}

// An extraLine is one key of a user's extra values.
type extraLine struct {
	key   string
	value []string
}

func extra(c *coder, n protowire.Number, name string, all *map[string][]string) {
	mapped(c, n, name, all, func(c *coder, l *extraLine) {
		word(c, 1, "key", &l.key)
		repeated(c, 2, "values", &l.value, word[string])
	})
}

func right(c *coder, v *flow.Right) {
	word(c, 1, "for", &v.For)
	word(c, 2, "user", &v.User)
	word(c, 3, "verb", &v.Verb)
	word(c, 4, "group", &v.Group)
	word(c, 5, "resource", &v.Resource)
	word(c, 6, "subresource", &v.Subresource)
	word(c, 7, "namespace", &v.Namespace)
	text(c, 8, "name", &v.Name)
	text(c, 9, "path", &v.Path)
	word(c, 10, "decision", &v.Decision)
	word(c, 11, "by", &v.By)
	word(c, 12, "reason", &v.Reason)
	text(c, 13, "error", &v.Error)
	optional(c, 14, "grant", &v.Grant, grant)
	list(c, 15, "looked", &v.Looked, grant)
	signed(c, 16, "more", &v.More)
}

func grant(c *coder, v *flow.Grant) {
	message(c, 1, "binding", &v.Binding, reference)
	message(c, 2, "role", &v.Role, reference)
	message(c, 3, "subject", &v.Subject, reference)
	signed(c, 4, "index", &v.Index)
	optional(c, 5, "rule", &v.Rule, rule)
	signed(c, 6, "rules", &v.Rules)
	c.bool(7, "missing", &v.Missing)
}

func reference(c *coder, v *flow.Reference) {
	word(c, 1, "kind", &v.Kind)
	word(c, 2, "namespace", &v.Namespace)
	word(c, 3, "name", &v.Name)
}

func rule(c *coder, v *flow.Rule) {
	repeated(c, 1, "verbs", &v.Verbs, word[string])
	repeated(c, 2, "api_groups", &v.APIGroups, word[string])
	repeated(c, 3, "resources", &v.Resources, word[string])
	repeated(c, 4, "resource_names", &v.ResourceNames, word[string])
	repeated(c, 5, "non_resource_urls", &v.NonResourceURLs, word[string])
}

func fieldChange(c *coder, v *flow.FieldChange) {
	word(c, 1, "path", &v.Path)
	bytesOf(c, 2, "before", &v.Before)
	bytesOf(c, 3, "after", &v.After)
	c.bool(4, "cut", &v.Cut)
}

func opinion(c *coder, v *flow.Opinion) {
	word(c, 1, "kind", &v.Kind)
	word(c, 2, "name", &v.Name)
	word(c, 3, "by", &v.By)
	word(c, 4, "params", &v.Params)
	word(c, 5, "said", &v.Said)
	word(c, 6, "expression", &v.Expression)
	signed(c, 7, "index", &v.Index)
	text(c, 8, "message", &v.Message)
	signed(c, 9, "length", &v.Length)
	list(c, 10, "changes", &v.Changes, fieldChange)
	bytesOf(c, 11, "patch", &v.Patch)
	repeated(c, 12, "warnings", &v.Warnings, text[string])
	annotations(c, 13, "annotations", &v.Annotations)
	signed(c, 14, "call", &v.Call)
}

func call(c *coder, v *flow.Call) {
	word(c, 1, "kind", &v.Kind)
	word(c, 2, "name", &v.Name)
	word(c, 3, "by", &v.By)
	word(c, 4, "station", &v.Station)
	word(c, 5, "host", &v.Host)
	c.bool(6, "shared", &v.Shared)
	optional(c, 7, "flow", &v.Flow, called)
}

// called are the fields of a flow that a call has, with the same numbers: it has no calls of its own.
func called(c *coder, f *flow.Flow) {
	c.time(3, "start", &f.Start)
	signed(c, 4, "duration", &f.Duration)
	message(c, 5, "client", &f.Client, client)
	word(c, 6, "method", &f.Method)
	text(c, 7, "path", &f.Path)
	text(c, 8, "query", &f.Query)
	word(c, 9, "proto", &f.Proto)
	header(c, 11, "request_header", &f.RequestHeader)
	message(c, 12, "request_body", &f.RequestBody, body)
	signed(c, 13, "status", &f.Status)
	header(c, 14, "response_header", &f.ResponseHeader)
	message(c, 15, "response_body", &f.ResponseBody, body)
	text(c, 17, "message", &f.Message)
}
