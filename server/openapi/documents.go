package openapi

import (
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	openapi_v3 "github.com/google/gnostic-models/openapiv3"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

//go:embed published/*.json.gz
var published embed.FS

// Media types of the Protobuf forms, as clients ask for them.
const (
	V2ProtoType = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
	V3ProtoType = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf"
)

// Documents are the documents of the group versions that a server serves. Each is unpacked when it is first asked for and
// kept from then on; what is returned must not be changed. It is safe for concurrent use.
type Documents struct {
	served []schema.GroupVersion
	v3     map[schema.GroupVersion]*document
	v2     *document
	index  func() []byte
}

// A document is one published file. Each of its forms is made by the first call and kept.
type document struct {
	hash  func() string
	json  func() []byte
	proto func() []byte
}

// New returns the documents of the given group versions in any order. One that is not published, such as that of a
// CustomResourceDefinition, has no document here.
func New(gvs []schema.GroupVersion) *Documents {
	d := &Documents{v3: map[schema.GroupVersion]*document{}}
	for _, gv := range gvs {
		name := strings.ReplaceAll(gv.String(), "/", "_")
		if d.v3[gv] != nil || !isPublished(name) {
			continue
		}
		d.served = append(d.served, gv)
		packed := func() []byte { return readFile(name) }
		d.v3[gv] = newDocument(packed, func() []byte { return unpack(packed()) }, protoV3)
	}
	d.v2 = newDocument(func() []byte { return fmt.Append(readFile("swagger"), d.served) }, d.swagger, protoV2)
	d.index = sync.OnceValue(d.makeIndex)
	return d
}

// newDocument hashes the source that a document is made of rather than its text, so that the index unpacks nothing.
func newDocument(source, text func() []byte, toProto func([]byte) []byte) *document {
	doc := &document{
		hash: sync.OnceValue(func() string { return fmt.Sprintf("%X", sha512.Sum512(source())) }),
		json: sync.OnceValue(text),
	}
	doc.proto = sync.OnceValue(func() []byte { return toProto(doc.json()) })
	return doc
}

func fileName(name string) string {
	return "published/" + name + ".json.gz"
}

func isPublished(name string) bool {
	f, err := published.Open(fileName(name))
	if err != nil {
		return false
	}
	f.Close()
	return true
}

func readFile(name string) []byte {
	return must(published.ReadFile(fileName(name)))
}

// Index returns the JSON document of /openapi/v3: where the document of each group version is, with its hash, so that
// clients may keep it as long as the hash is the same.
func (d *Documents) Index() []byte {
	return d.index()
}

func (d *Documents) makeIndex() []byte {
	type entry struct {
		ServerRelativeURL string `json:"serverRelativeURL"`
	}
	paths := map[string]entry{}
	for gv, doc := range d.v3 {
		paths[path(gv)] = entry{"/openapi/v3/" + path(gv) + "?hash=" + doc.hash()}
	}
	return mustMarshal(map[string]any{"paths": paths})
}

// GroupVersion returns the group version whose document is at that path below /openapi/v3/, such as "api/v1" or
// "apis/apps/v1"; ok is false if there is none.
func (d *Documents) GroupVersion(below string) (gv schema.GroupVersion, ok bool) {
	for _, gv := range d.served {
		if path(gv) == below {
			return gv, true
		}
	}
	return schema.GroupVersion{}, false
}

// V3 returns the JSON document of a group version and its hash, which is what ?hash= and, in double quotes, the ETag say.
func (d *Documents) V3(gv schema.GroupVersion) (text []byte, hash string, ok bool) {
	doc := d.v3[gv]
	if doc == nil {
		return nil, "", false
	}
	return doc.json(), doc.hash(), true
}

// V3Proto is V3 in the media type V3ProtoType.
func (d *Documents) V3Proto(gv schema.GroupVersion) (message []byte, hash string, ok bool) {
	doc := d.v3[gv]
	if doc == nil {
		return nil, "", false
	}
	return doc.proto(), doc.hash(), true
}

// V2 returns the swagger of all served group versions as JSON, and its hash.
func (d *Documents) V2() (text []byte, hash string) {
	return d.v2.json(), d.v2.hash()
}

// V2Proto is V2 in the media type V2ProtoType, which kubectl asks for up to 1.26.
func (d *Documents) V2Proto() (message []byte, hash string) {
	return d.v2.proto(), d.v2.hash()
}

// path is where a group version is served, without the leading slash.
func path(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return "api/" + gv.Version
	}
	return "apis/" + gv.String()
}

// The embedded files and what is made of them are our own, so an error in them is a bug, and the tests read them all.
func must[T any](value T, err error) T {
	if err != nil {
		panic(fmt.Errorf("published schemas: %w", err))
	}
	return value
}

func mustMarshal(value any) []byte {
	return must(json.Marshal(value))
}

func unpack(packed []byte) []byte {
	return must(io.ReadAll(must(gzip.NewReader(bytes.NewReader(packed)))))
}

func protoV2(text []byte) []byte {
	return must(proto.MarshalOptions{Deterministic: true}.Marshal(must(openapi_v2.ParseDocument(text))))
}

func protoV3(text []byte) []byte {
	return must(proto.MarshalOptions{Deterministic: true}.Marshal(must(openapi_v3.ParseDocument(text))))
}
