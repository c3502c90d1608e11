package story

import (
	"net/url"
	"strings"

	"kubarium/flow"
)

// irregular are plurals whose singular does not follow from their last letters.
var irregular = map[string]string{"endpoints": "endpoints", "componentstatuses": "componentstatus"}

// singular is the name of one object of a resource: "deployment" of "deployments".
func singular(resource string) string {
	if s, ok := irregular[resource]; ok {
		return s
	}
	if s, ok := strings.CutSuffix(resource, "ies"); ok {
		return s + "y"
	}
	if s, ok := strings.CutSuffix(resource, "sses"); ok {
		return s + "ss"
	}
	return strings.TrimSuffix(resource, "s")
}

// objectName names the object of a request: "the status of deployment web in namespace shop". The namespace default is
// omitted.
func objectName(t *flow.Target) string {
	name := singular(t.Resource)
	if t.Name != "" {
		name += " " + t.Name
	}
	if t.Subresource != "" {
		name = "the " + t.Subresource + " of " + name
	} else if t.Name == "" {
		name = article(name)
	}
	return name + place(t)
}

func article(noun string) string {
	if noun != "" && strings.Contains("aeio", noun[:1]) {
		return "an " + noun
	}
	return "a " + noun
}

// collection names the objects of a request for several: "pods in namespace shop".
func collection(t *flow.Target) string {
	if t.Resource == "" {
		return "nothing that is served"
	}
	if t.Name != "" {
		return objectName(t)
	}
	return t.Resource + place(t)
}

func place(t *flow.Target) string {
	switch {
	case t.AllNamespaces():
		return " in all namespaces"
	case t.Namespace == "" || t.Resource == "namespaces" || t.Namespace == "default" && !t.Collection():
		return ""
	}
	return " in namespace " + t.Namespace
}

// parameter returns a query parameter of the request, "" if it is absent.
func (s *teller) parameter(name string) string { return parameter(s.Flow, name) }

func parameter(f *flow.Flow, name string) string {
	if f.Query == "" {
		return ""
	}
	q, _ := url.ParseQuery(f.Query) // of a broken query, q has the valid part
	return q.Get(name)
}

// patchNames are the kinds of patch by media type.
var patchNames = map[string]string{
	"application/json-patch+json":            "JSON patch",
	"application/merge-patch+json":           "merge patch",
	"application/strategic-merge-patch+json": "strategic merge patch",
}

// media returns the media type of the request's body without its parameters.
func media(f *flow.Flow) string {
	m, _, _ := strings.Cut(f.RequestHeader.Get("Content-Type"), ";")
	return strings.TrimSpace(m)
}
