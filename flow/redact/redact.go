// Package redact masks secrets in flows and objects, so that they can be shown, copied and kept: headers and parameters
// that prove an identity, and the contents of Secrets and tokens anywhere in a flow.
//
//	f = redact.Flow(f) // before it leaves the process
//
// It goes only by the names of fields, in any version of an object and in any patch of it. Names, labels and types of
// Secrets are not secret. In messages, invalid values are hidden. Text that is not JSON is hidden as a whole, and so
// are the bodies of requests below /debug/ that contain other requests or stored objects, which are unmasked if the
// client asked for that.
package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kubarium/flow"
	"kubarium/flow/bodies"
)

// Hidden replaces masked text.
const Hidden = flow.Hidden

// Flow returns f with secrets masked: headers and parameters that prove an identity, and the contents of Secrets and
// token requests, in bodies, effects, conflicts and SQL. f itself is not changed: the result is a copy, which shares
// with f the parts without secrets, or f itself if it has none.
func Flow(f *flow.Flow) *flow.Flow {
	keys := Keys(f)
	if keys == nil && len(f.Calls) == 0 && !ReadsOthers(f) && isPlain(f) {
		return f
	}
	g := *f
	maskHead(&g)
	g.Calls = maskCalls(f.Calls, keys)
	if keys != nil {
		maskObjects(&g, f, keys)
	}
	if ReadsOthers(f) {
		g.RequestBody, g.ResponseBody = hideBody(f.RequestBody), hideBody(f.ResponseBody)
	}
	return &g
}

// maskObjects masks the objects of f in its copy g.
func maskObjects(g, f *flow.Flow, keys []string) {
	g.Message = maskMessage(f.Message)
	g.Plugins, g.Annotations = maskPlugins(f.Plugins, keys), maskAnnotations(f.Annotations)
	g.RequestBody = maskBody(f.RequestBody, keys)
	g.ResponseBody = maskBody(f.ResponseBody, keys)
	g.Effects = slices.Clone(f.Effects)
	for i := range g.Effects {
		e := &g.Effects[i]
		e.Before, e.After = Object(e.Before, keys), Object(e.After, keys)
	}
	if f.Conflict != nil {
		c := *f.Conflict
		c.Base, c.Object = Object(c.Base, keys), Object(c.Object, keys)
		g.Conflict = &c
	}
	g.Statements = slices.Clone(f.Statements)
	for i := range g.Statements {
		g.Statements[i].Args = maskArgs(&g.Statements[i])
	}
}

// isPlain reports whether maskHead has nothing to mask.
func isPlain(f *flow.Flow) bool {
	return flow.MaskQuery(f.Query, Hidden) == f.Query &&
		!flow.HasCredentials(f.RequestHeader) && !flow.HasCredentials(f.ResponseHeader)
}

// maskHead masks proofs of identity in the query and the headers.
func maskHead(f *flow.Flow) {
	f.Query = flow.MaskQuery(f.Query, Hidden)
	f.RequestHeader = flow.MaskHeader(f.RequestHeader, Hidden)
	f.ResponseHeader = flow.MaskHeader(f.ResponseHeader, Hidden)
}

// alone are the paths below /debug/ whose bodies contain neither other requests nor objects.
var alone = []string{
	"/debug/compact", "/debug/flows/moments", "/debug/flows/schema", "/debug/fork", "/debug/gate", "/debug/plan",
	"/debug/restore", "/debug/snapshots",
}

// ReadsOthers reports whether the bodies of a request may contain other requests, or stored objects of any kind.
func ReadsOthers(f *flow.Flow) bool {
	return strings.HasPrefix(f.Path, "/debug/") && !slices.Contains(alone, f.Path)
}

func hideBody(b flow.Body) flow.Body {
	if len(b.Kept) > 0 {
		b.Kept = fmt.Appendf(nil, "%s %d bytes that may have secrets in them", Hidden, len(b.Kept))
	}
	return b
}

var (
	secretKeys = []string{"data", "stringData"}
	tokenKeys  = []string{"token"}
)

// Keys returns the fields whose contents are secret in this request's objects, for Object and Field; nil if there are
// none. A Secret that was sent to another resource, where it is refused, counts too.
func Keys(f *flow.Flow) []string {
	switch {
	case f.Target.Resource == "secrets", slices.ContainsFunc(f.Effects, ofSecret):
		return secretKeys
	case f.Target.Subresource == "token", f.Target.Resource == "tokenreviews":
		return tokenKeys
	}
	return sentKeys(f.RequestBody)
}

// secretKinds are the kinds of objects with secrets.
var secretKinds = map[string][]string{
	"Secret": secretKeys, "SecretList": secretKeys, "TokenRequest": tokenKeys, "TokenReview": tokenKeys,
}

// namesKind finds the kind in a text that does not parse.
var namesKind = regexp.MustCompile(`kind["']?\s*:\s*["']?(Secret|SecretList|TokenRequest|TokenReview)\b`)

// sentKeys returns the keys for an object that was sent, by its own kind.
func sentKeys(b flow.Body) []string {
	if !bytes.Contains(b.Kept, []byte("Secret")) && !bytes.Contains(b.Kept, []byte("TokenRe")) {
		return nil // the usual case
	}
	text := bodies.JSON(b)
	if text == nil {
		if m := namesKind.FindSubmatch(b.Kept); m != nil {
			return secretKinds[string(m[1])]
		}
		return nil
	}
	var o struct {
		Kind  string
		Items []struct{ Kind string }
	}
	_ = json.Unmarshal(text, &o) // with fields of other types, as far as it goes
	for _, item := range o.Items {
		if keys := secretKinds[item.Kind]; keys != nil {
			return keys
		}
	}
	return secretKinds[o.Kind]
}

// ofSecret reports whether a change is one of a Secret, for any kind of request.
func ofSecret(e flow.Effect) bool { return Holds(e.Commit.Resource) }

// maskArgs hides bound values that contain an object, or a part of one.
func maskArgs(s *flow.Statement) []string {
	out := slices.Clone(s.Args)
	for i, a := range out {
		switch kind := s.Kind(i); {
		case strings.ContainsRune(a, '{'), kind == flow.ArgBlob && a != "",
			kind == flow.ArgLongBlob, kind == flow.ArgLongText:
			out[i] = Hidden + " (a Secret)"
		}
	}
	return out
}

func maskBody(b flow.Body, keys []string) flow.Body {
	b.Kept = Object(b.Kept, keys)
	return b
}

// Text masks secrets in the text of a request for a target: its body, its answer or an object in it.
func Text(t flow.Target, text string) string {
	keys := Keys(&flow.Flow{Target: t, RequestBody: flow.Keep([]byte(text))})
	if keys == nil {
		return text
	}
	return string(Object([]byte(text), keys))
}

// Message returns the message of an answer with secrets masked.
func Message(f *flow.Flow) string {
	if Keys(f) == nil {
		return f.Message
	}
	return maskMessage(f.Message)
}

// badValue matches a value in a message, with the path of its field before it unless the path is elsewhere, in the form
// of k8s.io/apimachinery/pkg/util/validation/field.
var badValue = regexp.MustCompile(`(?s)(?:(\S+): )?((?:Invalid|Unsupported|Duplicate) value|Not found): ` +
	`("(?:[^"\\]|\\.)*"|[{\[].*)`)

// maskMessage hides the values in a message, except those of metadata and of the type, which are not secret.
func maskMessage(text string) string {
	if !strings.Contains(text, "value: ") && !strings.Contains(text, "Not found: ") {
		return text
	}
	return badValue.ReplaceAllStringFunc(text, func(found string) string {
		m := badValue.FindStringSubmatch(found)
		path := strings.TrimLeft(m[1], "[")
		if path == "type" || strings.HasPrefix(path, "metadata.") && !strings.HasPrefix(path, "metadata.annotations") {
			return found
		}
		return strings.TrimSuffix(found, m[3]) + strconv.Quote(Hidden)
	})
}

// Holds reports whether objects of a storage resource, "secrets" or "deployments.apps", contain secrets.
func Holds(resource string) bool { return resource == "secrets" }

// Stored returns an object of such a resource with secrets masked.
func Stored(object []byte) []byte { return Object(object, secretKeys) }

// Object masks the secret fields of JSON text and keeps the order of everything. Bytes that are not complete JSON are
// hidden as a whole, since the secrets in them cannot be found.
func Object(b []byte, keys []string) []byte {
	if len(b) == 0 {
		return b
	}
	if out, ok := masked(b, keys, maskedText); ok {
		return out
	}
	return fmt.Appendf(nil, "%s %d bytes of a Secret that are not JSON, or not all of it", Hidden, len(b))
}

// With masks the secret fields of JSON text as Object does, with mask in place of each value. ok is false if b is not
// JSON.
func With(mask string, b []byte, keys []string) (out []byte, ok bool) {
	return masked(b, keys, func(json.Token) any { return mask })
}

func masked(b []byte, keys []string, hide func(json.Token) any) ([]byte, bool) {
	m := masker{in: json.NewDecoder(bytes.NewReader(b)), keys: keys, hide: hide}
	m.in.UseNumber()
	if m.value(false) != nil || !m.ended() {
		return nil, false
	}
	return m.out.Bytes(), true
}

// A masker copies one JSON value, token by token.
type masker struct {
	in   *json.Decoder
	out  bytes.Buffer
	keys []string
	hide func(json.Token) any // returns the replacement of a value
}

// ended reports whether nothing follows the value.
func (m *masker) ended() bool {
	_, err := m.in.Token()
	return err == io.EOF
}

// value copies the next value; with mask, all strings and numbers in it are hidden.
func (m *masker) value(mask bool) error {
	t, err := m.in.Token()
	if err != nil {
		return err
	}
	switch t := t.(type) {
	case json.Delim:
		if t == '{' {
			return m.object(mask)
		}
		return m.array(mask)
	default:
		if text, ok := t.(string); ok && !mask {
			t = maskMessage(text)
		} else if mask && t != nil {
			t = m.hide(t)
		}
		return m.scalar(t)
	}
}

func maskedText(t json.Token) any {
	if s, ok := t.(string); ok {
		return fmt.Sprintf("%s (%d characters)", Hidden, len(s))
	}
	return Hidden
}

func (m *masker) scalar(t json.Token) error {
	e := json.NewEncoder(&m.out)
	e.SetEscapeHTML(false)
	if err := e.Encode(t); err != nil {
		return err
	}
	m.out.Truncate(m.out.Len() - 1) // the encoder's newline
	return nil
}

// object copies an object after its opening brace. A JSON Patch names its field in "path", so the value of each of its
// operations is hidden.
func (m *masker) object(mask bool) error {
	m.out.WriteByte('{')
	for n := 0; m.in.More(); n++ {
		if n > 0 {
			m.out.WriteByte(',')
		}
		t, err := m.in.Token()
		if err != nil {
			return err
		}
		key, _ := t.(string)
		if err := m.scalar(key); err != nil {
			return err
		}
		m.out.WriteByte(':')
		secret := slices.ContainsFunc(m.keys, func(k string) bool { return strings.EqualFold(k, key) }) ||
			key == "value" || key == "kubectl.kubernetes.io/last-applied-configuration"
		if err := m.value(mask || secret); err != nil {
			return err
		}
	}
	_, err := m.in.Token()
	m.out.WriteByte('}')
	return err
}

func (m *masker) array(mask bool) error {
	m.out.WriteByte('[')
	for n := 0; m.in.More(); n++ {
		if n > 0 {
			m.out.WriteByte(',')
		}
		if err := m.value(mask); err != nil {
			return err
		}
	}
	_, err := m.in.Token()
	m.out.WriteByte(']')
	return err
}

// Field reports whether a field of a request's objects is secret, by its path in the form of package object. keys are
// those of Keys. If there are keys, annotations are secret too, since one of them may contain the applied object.
func Field(path string, keys []string) bool {
	for _, k := range append([]string{"metadata.annotations"}, keys...) {
		for _, parent := range []string{"", "spec.", "status."} {
			rest, ok := strings.CutPrefix(path, parent+k)
			if ok && (rest == "" || rest[0] == '.' || rest[0] == '[') && len(keys) > 0 {
				return true
			}
		}
	}
	return false
}
