package server

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"kubarium/server/answer"
	"kubarium/server/openapi"
	"kubarium/server/route"
)

// Clients ask for the Protobuf forms under names with an "@", which no Content-Type may have, and under others without.
const (
	v2ProtoAnswer = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
	v3ProtoAsked  = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf"
)

// serveOpenAPIV2 answers /openapi/v2, the swagger that kubectl up to 1.26 validates by. Of the documents it alone comes
// compressed, as in kube-apiserver.
func (s *Server) serveOpenAPIV2(q *Request) (*answer.Answer, error) {
	d := s.documents.V2()
	p := answer.Page{Header: http.Header{"Vary": {"Accept-Encoding", "Accept"}, "Etag": {strconv.Quote(d.Hash())}}, Gzip: true}
	return q.Document(p, []answer.DocumentForm{
		{Asked: "application/json", Answered: "application/json", Text: d.JSON},
		{Asked: openapi.V2ProtoType, Answered: v2ProtoAnswer, Text: d.Proto},
		{Asked: v2ProtoAnswer, Answered: v2ProtoAnswer, Text: d.Proto},
	})
}

// serveOpenAPIV3Index answers /openapi/v3: where each document is. It names no media type, as in kube-apiserver, and is
// text by its looks.
func (s *Server) serveOpenAPIV3Index(q *Request) (*answer.Answer, error) {
	return q.Page(answer.Page{Header: http.Header{}, Text: s.documents.Index()}), nil
}

// serveOpenAPIV3 answers one document, such as that of a group version. A URL with the right hash may be cached for ever; one with
// another hash is sent on to the right one.
func (s *Server) serveOpenAPIV3(q *Request) (*answer.Answer, error) {
	d, ok := s.documents.V3(strings.TrimPrefix(strings.Trim(q.URL.Path, "/"), "openapi/v3/"))
	if !ok {
		return nil, route.ErrNoPath
	}
	h := http.Header{"Vary": {"Accept"}, "Etag": {strconv.Quote(d.Hash())}}
	p := answer.Page{Header: h}
	switch hash := q.Query.Get("hash"); {
	case hash == "":
	case hash != d.Hash():
		h.Set("Location", q.URL.Path+"?"+url.Values{"hash": {d.Hash()}}.Encode())
		p.Status = http.StatusMovedPermanently
	default:
		h.Set("Cache-Control", "public, immutable")
		h.Set("Expires", s.o.Now().Add(365*24*time.Hour).UTC().Format(http.TimeFormat))
	}
	return q.Document(p, []answer.DocumentForm{
		{Asked: "application/json", Answered: "application/json", Text: d.JSON},
		{Asked: openapi.V3ProtoType, Answered: openapi.V3ProtoType, Text: d.Proto},
		{Asked: v3ProtoAsked, Answered: openapi.V3ProtoType, Text: d.Proto},
	})
}
