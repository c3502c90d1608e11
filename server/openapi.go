package server

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/munnerz/goautoneg"

	"kubarium/server/openapi"
)

// Clients ask for the Protobuf forms under names with an "@", which no Content-Type may have, and under others without.
const (
	v2ProtoAnswer = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
	v3ProtoAsked  = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf"
)

// A document is one published text in the form that a client asked for, made when it is sent.
type document struct {
	body      func() []byte
	mediaType string
	hash      string
}

// serveOpenAPIV2 answers /openapi/v2, the swagger that kubectl up to 1.26 validates by.
func (s *Server) serveOpenAPIV2(q *Request) (*answer, error) {
	swagger := s.documents.V2()
	d := document{body: swagger.JSON, mediaType: "application/json", hash: swagger.Hash()}
	if q.prefers(openapi.V2ProtoType, v2ProtoAnswer) {
		d.body, d.mediaType = swagger.Proto, v2ProtoAnswer
	}
	return q.document(d, http.Header{}), nil
}

// serveOpenAPIV3Index answers /openapi/v3: where each document is.
func (s *Server) serveOpenAPIV3Index(q *Request) (*answer, error) {
	return &answer{raw: s.documents.Index(), contentType: "application/json"}, nil
}

// serveOpenAPIV3 answers one document, such as that of a group version. A URL with the right hash may be cached for ever; one with
// another hash is sent on to the right one.
func (s *Server) serveOpenAPIV3(q *Request) (*answer, error) {
	published, ok := s.documents.V3(strings.TrimPrefix(strings.Trim(q.URL.Path, "/"), "openapi/v3/"))
	if !ok {
		return nil, errNoPath
	}
	d := document{body: published.JSON, mediaType: "application/json", hash: published.Hash()}
	if q.prefers(openapi.V3ProtoType, v3ProtoAsked) {
		d.body, d.mediaType = published.Proto, openapi.V3ProtoType
	}
	h := http.Header{}
	switch hash := q.Query.Get("hash"); {
	case hash == "":
	case hash != d.hash:
		h.Set("Location", q.URL.Path+"?"+url.Values{"hash": {d.hash}}.Encode())
		return &answer{status: http.StatusMovedPermanently, raw: []byte{}, contentType: d.mediaType, header: h}, nil
	default:
		h.Set("Cache-Control", "public, immutable")
		h.Set("Expires", s.o.Now().Add(365*24*time.Hour).UTC().Format(http.TimeFormat))
	}
	return q.document(d, h), nil
}

// document answers with a text that has an ETag, or with 304 if the client has it already.
func (q *Request) document(d document, h http.Header) *answer {
	etag := strconv.Quote(d.hash)
	h["Etag"] = []string{etag}
	h.Set("Vary", "Accept")
	a := &answer{contentType: d.mediaType, header: h}
	if strings.Contains(q.Header.Get("If-None-Match"), etag) {
		a.status, a.raw = http.StatusNotModified, []byte{}
	} else {
		a.raw = d.body()
	}
	return a
}

// prefers tells whether Accept names one of these media types before any other that a document has, which is JSON.
func (q *Request) prefers(mediaTypes ...string) bool {
	for _, clause := range goautoneg.ParseAccept(q.Header.Get("Accept")) {
		name := clause.Type + "/" + clause.SubType
		if slices.Contains(mediaTypes, name) {
			return true
		}
		if name == "application/json" || name == "application/*" || name == "*/*" {
			return false
		}
	}
	return false
}
