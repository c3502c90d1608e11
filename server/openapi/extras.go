package openapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// A Source says which kinds are served now besides the built-in ones, in any order. It is asked at every request, one
// at a time, so it should have its answer ready, and it must not call the Documents.
type Source func() []Extra

// An Extra is one kind in one group version that is not built in. Extras of one group version share its document. A group
// version that is built in keeps its own document.
type Extra struct {
	schema.GroupVersion
	Name    string // unique among the kinds of a group version: "widgets"
	Version string // changes whenever what the functions return would, and is never used twice: uid and generation

	// V3 and V2 build what the kind adds to the document of its group version and to the swagger: paths, schemas and
	// parameters. They are called when a document that has them is first asked for, and once for a Version, while the
	// source returns it; their results are not kept. nil leaves the kind out.
	V3 func() *spec3.OpenAPI
	V2 func() *spec.Swagger
}

// An extra is an Extra with what was built of it.
type extra struct {
	Extra
	v3 func() fragment
	v2 func() swagger
}

// A fragment is a document of OpenAPI v3, or a kind's part of one, with its entries as text.
type fragment struct {
	Version    string                     `json:"openapi"`
	Info       json.RawMessage            `json:"info,omitempty"`
	Paths      map[string]json.RawMessage `json:"paths"`
	Components struct {
		Schemas map[string]json.RawMessage `json:"schemas,omitempty"`
	} `json:"components"`
}

// A swagger is the document of OpenAPI v2, or a kind's part of it, with its entries as text.
type swagger struct {
	Version     string                     `json:"swagger"`
	Info        json.RawMessage            `json:"info,omitempty"`
	Paths       map[string]json.RawMessage `json:"paths"`
	Definitions map[string]json.RawMessage `json:"definitions,omitempty"`
	Parameters  map[string]json.RawMessage `json:"parameters,omitempty"`
	Security    map[string]json.RawMessage `json:"securityDefinitions,omitempty"`
	Secured     json.RawMessage            `json:"security,omitempty"`
}

func newExtra(e Extra) *extra {
	return &extra{
		Extra: e,
		v3:    sync.OnceValue(func() (f fragment) { textOf(e.V3(), &f); return f }),
		v2:    sync.OnceValue(func() (s swagger) { textOf(e.V2(), &s); return s }),
	}
}

// textOf takes a document apart; nil leaves the parts empty.
func textOf[T any](document *T, parts any) {
	if document != nil {
		mustUnmarshal(mustMarshal(document), parts)
	}
}

// has reports whether a source says what this edition was made of.
func (e *edition) has(told []Extra) bool {
	return slices.EqualFunc(e.extras, told, func(own *extra, o Extra) bool { return own.is(o) })
}

func (e *extra) is(o Extra) bool {
	return e.GroupVersion == o.GroupVersion && e.Name == o.Name && e.Version == o.Version
}

// carryOver keeps what was built of the kinds that stay as they are.
func (e *edition) carryOver(told []Extra) []*extra {
	type key struct {
		schema.GroupVersion
		name, version string
	}
	built := map[key]*extra{}
	for _, x := range e.extras {
		built[key{x.GroupVersion, x.Name, x.Version}] = x
	}
	extras := make([]*extra, len(told))
	for i, o := range told {
		if extras[i] = built[key{o.GroupVersion, o.Name, o.Version}]; extras[i] == nil {
			extras[i] = newExtra(o)
		}
	}
	return extras
}

// byPath gathers kinds under the path of their document, each in the order of names.
func byPath(extras []*extra) map[string][]*extra {
	m := map[string][]*extra{}
	for _, x := range extras {
		m[pathOf(x.GroupVersion)] = append(m[pathOf(x.GroupVersion)], x)
	}
	for _, those := range m {
		slices.SortFunc(those, func(a, b *extra) int { return cmp.Compare(a.Name, b.Name) })
	}
	return m
}

// mergedV3 is the document of a group version. Its text is put together at each request: that is little work, and the
// kinds' own texts are in memory already.
func mergedV3(extras []*extra) *Document {
	return newDocument(versionsOf(extras), func() []byte {
		var whole fragment
		for _, x := range extras {
			part := x.v3()
			if part.Version != "" {
				whole.Version, whole.Info = part.Version, part.Info
			}
			whole.Paths = merge(whole.Paths, part.Paths)
			whole.Components.Schemas = merge(whole.Components.Schemas, part.Components.Schemas)
		}
		return mustMarshal(whole)
	}, protoV3)
}

// swaggerText is the swagger of built-in and other kinds. Where both have a definition, the built-in one is used.
func swaggerText(builtIn func() swagger, extras []*extra) func() []byte {
	return func() []byte {
		whole := builtIn()
		for _, x := range extras {
			part := x.v2()
			whole.Paths = merge(whole.Paths, part.Paths)
			whole.Definitions = merge(whole.Definitions, part.Definitions)
			whole.Parameters = merge(whole.Parameters, part.Parameters)
		}
		return mustMarshal(whole)
	}
}

// versionsOf is what decides how a document of these kinds reads.
func versionsOf(extras []*extra) func() []byte {
	return func() []byte {
		var b bytes.Buffer
		for _, x := range extras {
			b.WriteString(x.GroupVersion.String() + "\x00" + x.Name + "\x00" + x.Version + "\x00")
		}
		return b.Bytes()
	}
}

// merge adds to a map what it lacks.
func merge(into, from map[string]json.RawMessage) map[string]json.RawMessage {
	if into == nil {
		into = map[string]json.RawMessage{}
	}
	for name, text := range from {
		if into[name] == nil {
			into[name] = text
		}
	}
	return into
}
