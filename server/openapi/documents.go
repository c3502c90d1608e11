package openapi

import (
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Media types of the Protobuf forms, as clients ask for them.
const (
	V2ProtoType = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
	V3ProtoType = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf"
)

// Documents are the documents of what a server serves: the built-in group versions that it was made with, and the
// Extras and Remotes that its sources return now. It is safe for concurrent use.
type Documents struct {
	// Extras may be nil for none. Set it before the first use.
	Extras Source
	// Remotes may be nil for none, too.
	Remotes RemoteSource
	// Failed is called for a swagger of another server that cannot be merged, and is left out. It may be nil.
	Failed func(r Remote, err error)

	builtIn  map[string]*Document // by path below /openapi/v3/
	withheld map[string][]string  // resources that are not published, by the path of their version
	swagger  *Document            // of the built-in group versions alone

	mu  sync.Mutex // guards now
	now *edition
}

// An edition is everything that is published for one list of Extras and one of Remotes.
type edition struct {
	extras    []*extra
	remotes   []Remote
	v3        map[string]*Document
	elsewhere map[string]elsewhere // by path, as v3
	v2        *Document
	index     *Document
}

// New returns the documents of the given group versions in any order, and of the paths that lead to them. A group
// version that is not published, such as that of a CustomResourceDefinition, has no document unless Extras has it.
// Withheld resources are in none.
func New(gvs []schema.GroupVersion, withheld ...schema.GroupVersionResource) *Documents {
	d := &Documents{builtIn: map[string]*Document{}, withheld: byVersion(withheld)}
	for _, p := range builtInPaths(gvs) {
		switch {
		case !isPublished(p):
		case len(d.withheld[p]) > 0:
			d.builtIn[p] = withheldDocument(p, d.withheld[p])
		default:
			d.builtIn[p] = publishedDocument(p)
		}
	}
	d.swagger = d.publishedSwagger()
	d.now = d.newEdition(nil, nil)
	return d
}

// builtInPaths lists where documents may be if these group versions are served, sorted.
func builtInPaths(gvs []schema.GroupVersion) []string {
	paths := []string{".well-known/openid-configuration", "apis", "openid/v1/jwks", "version"}
	for _, gv := range gvs {
		if gv.Group == "" {
			paths = append(paths, "api")
		} else {
			paths = append(paths, "apis/"+gv.Group)
		}
		paths = append(paths, pathOf(gv))
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// pathOf is where a group version is served, without the leading slash.
func pathOf(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return "api/" + gv.Version
	}
	return "apis/" + gv.String()
}

// Index returns the JSON document of /openapi/v3: where each document is, with its hash, so that clients may keep it as
// long as the hash is the same.
func (d *Documents) Index() []byte { return d.IndexDocument().JSON() }

// IndexDocument is the same with the time when it was first asked for.
func (d *Documents) IndexDocument() *Document { return d.current().index }

// V3 returns the document at a path below /openapi/v3/, such as "api/v1", "apis/apps/v1" or "version"; ok is false if
// there is none.
func (d *Documents) V3(path string) (doc *Document, ok bool) {
	doc, ok = d.current().v3[path]
	return doc, ok
}

// V2 returns the swagger of everything that is served.
func (d *Documents) V2() *Document {
	return d.current().v2
}

// current returns the edition for what the source returns now. An unchanged result costs a comparison.
func (d *Documents) current() *edition {
	d.mu.Lock()
	defer d.mu.Unlock()
	var told []Extra
	if d.Extras != nil {
		told = d.Extras()
	}
	var remotes []Remote
	if d.Remotes != nil {
		remotes = d.Remotes()
	}
	if !d.now.has(told) || !sameRemotes(d.now.remotes, remotes) {
		d.now = d.newEdition(d.now.carryOver(told), remotes)
	}
	return d.now
}

func (d *Documents) newEdition(extras []*extra, remotes []Remote) *edition {
	e := &edition{extras: extras, remotes: remotes, v3: map[string]*Document{}, elsewhere: map[string]elsewhere{}, v2: d.swagger}
	for path, those := range byPath(extras) {
		e.v3[path] = mergedV3(those)
	}
	for path, doc := range d.builtIn {
		e.v3[path] = doc
	}
	e.takeRemotes(remotes)
	if merged := withSwagger(remotes); len(extras)+len(merged) > 0 {
		source := func() []byte { return append(versionsOf(extras)(), sourceOf(merged)...) }
		e.v2 = newDocument(source, sync.OnceValue(d.withRemotes(swaggerText(d.builtInSwagger, extras), merged)), protoV2)
	}
	text := sync.OnceValue(e.makeIndex)
	e.index = newDocument(text, text, nil)
	return e
}

func (e *edition) makeIndex() []byte {
	type entry struct {
		ServerRelativeURL string `json:"serverRelativeURL"`
	}
	paths := map[string]entry{}
	for path, doc := range e.v3 {
		paths[path] = entry{"/openapi/v3/" + path + "?hash=" + doc.Hash()}
	}
	for path, at := range e.elsewhere {
		paths[path] = entry{at.url}
	}
	return mustMarshal(map[string]any{"paths": paths})
}
