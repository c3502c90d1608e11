// Package redact masks what is secret in flows and objects, so that they can be shown, copied and kept: headers that prove an identity,
// and what Secrets and tokens hold, wherever a flow has it.
//
//	f = redact.Flow(f) // before it leaves the process
//
// It goes by the names of fields alone, in any version of an object and in any patch of it. Names, labels and types of Secrets are not
// secret, nor are the messages of answers, in which the server puts no values of them. What does not read as JSON is hidden as a whole.
package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"kubarium/server/flow"
)

// Hidden stands for what is masked.
const Hidden = "••••••"

// Flow returns a copy of f with what is secret masked: headers that prove an identity, and what Secrets and token requests
// hold, in bodies, effects, conflicts and SQL. f itself is not changed; the copy shares with it what holds no secret.
func Flow(f *flow.Flow) *flow.Flow {
	g := *f
	g.RequestHeader = flow.MaskHeader(f.RequestHeader, Hidden)
	g.ResponseHeader = flow.MaskHeader(f.ResponseHeader, Hidden)
	keys := Keys(f)
	g.Calls = maskCalls(f.Calls, keys)
	if keys == nil {
		return &g
	}
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
	return &g
}

// Keys are the fields whose contents are secret in this request's objects, nil if there are none: what Object and Field take.
func Keys(f *flow.Flow) []string {
	switch {
	case f.Target.Resource == "secrets", slices.ContainsFunc(f.Effects, ofSecret), strings.HasPrefix(f.Path, "/debug/") && strings.Contains(f.Query, "resource=secrets"):
		return []string{"data", "stringData"}
	case f.Target.Subresource == "token", f.Target.Resource == "tokenreviews":
		return []string{"token"}
	}
	return nil
}

// ofSecret reports whether a change is one of a Secret, whatever the request was for.
func ofSecret(e flow.Effect) bool { return e.Commit.Resource == "secrets" }

// maskArgs hides bound values that hold an object, or a part of one.
func maskArgs(s *flow.Statement) []string {
	out := slices.Clone(s.Args)
	for i, a := range out {
		switch kind := s.Kind(i); {
		case strings.ContainsRune(a, '{'), kind == flow.ArgBlob && a != "", kind == flow.ArgLongBlob, kind == flow.ArgLongText:
			out[i] = Hidden + " (a Secret)"
		}
	}
	return out
}

func maskBody(b flow.Body, keys []string) flow.Body {
	b.Kept = Object(b.Kept, keys)
	return b
}

// Object masks the secret fields of JSON text, keeping the order of everything. Bytes that are not whole JSON are
// hidden altogether, since nobody can say where in them the secrets are.
func Object(b []byte, keys []string) []byte {
	if len(b) == 0 {
		return b
	}
	m := masker{in: json.NewDecoder(bytes.NewReader(b)), keys: keys}
	m.in.UseNumber()
	if m.value(false) != nil || !m.ended() {
		return fmt.Appendf(nil, "%s %d bytes of a Secret that are not JSON, or not all of it", Hidden, len(b))
	}
	return m.out.Bytes()
}

// A masker copies one JSON value, token by token.
type masker struct {
	in   *json.Decoder
	out  bytes.Buffer
	keys []string
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
		if mask && t != nil {
			t = maskedText(t)
		}
		return m.scalar(t)
	}
}

func maskedText(t json.Token) string {
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

// object copies an object of which the brace has been read. A JSON Patch names its field in "path", so the value of
// each of its operations is hidden.
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
		secret := slices.ContainsFunc(m.keys, func(k string) bool { return strings.EqualFold(k, key) }) || key == "value" || key == "kubectl.kubernetes.io/last-applied-configuration"
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

// Field reports whether a field of a request's objects is secret, by its path as package object writes it. Keys are those of Keys. Of an
// object with secrets, annotations are taken for secret as well, since one of them may hold what was applied.
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
