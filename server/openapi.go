package server

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/munnerz/goautoneg"

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
func (s *Server) serveOpenAPIV2(q *Request) (*answer, error) {
	d := s.documents.V2()
	p := page{header: http.Header{"Vary": {"Accept-Encoding", "Accept"}, "Etag": {strconv.Quote(d.Hash())}}, gzip: true}
	return q.document(p, []form{
		{"application/json", "application/json", d.JSON},
		{openapi.V2ProtoType, v2ProtoAnswer, d.Proto},
		{v2ProtoAnswer, v2ProtoAnswer, d.Proto},
	})
}

// serveOpenAPIV3Index answers /openapi/v3: where each document is. It names no media type, as in kube-apiserver, and is
// text by its looks.
func (s *Server) serveOpenAPIV3Index(q *Request) (*answer, error) {
	return q.page(page{header: http.Header{}, text: s.documents.Index()}), nil
}

// serveOpenAPIV3 answers one document, such as that of a group version. A URL with the right hash may be cached for ever; one with
// another hash is sent on to the right one.
func (s *Server) serveOpenAPIV3(q *Request) (*answer, error) {
	d, ok := s.documents.V3(strings.TrimPrefix(strings.Trim(q.URL.Path, "/"), "openapi/v3/"))
	if !ok {
		return nil, route.ErrNoPath
	}
	h := http.Header{"Vary": {"Accept"}, "Etag": {strconv.Quote(d.Hash())}}
	p := page{header: h}
	switch hash := q.Query.Get("hash"); {
	case hash == "":
	case hash != d.Hash():
		h.Set("Location", q.URL.Path+"?"+url.Values{"hash": {d.Hash()}}.Encode())
		p.status = http.StatusMovedPermanently
	default:
		h.Set("Cache-Control", "public, immutable")
		h.Set("Expires", s.o.Now().Add(365*24*time.Hour).UTC().Format(http.TimeFormat))
	}
	return q.document(p, []form{
		{"application/json", "application/json", d.JSON},
		{openapi.V3ProtoType, openapi.V3ProtoType, d.Proto},
		{v3ProtoAsked, openapi.V3ProtoType, d.Proto},
	})
}

// A form is one in which a document can be had: under which name, what it says that it is, and the text, which is made
// when it is sent.
type form struct {
	asked, answered string
	text            func() []byte
}

// document answers with the first form that the best clause of Accept names, or says without a word that there is none.
func (q *Request) document(p page, forms []form) (*answer, error) {
	accept := q.Header.Get("Accept")
	if accept == "" {
		accept = "*/*"
	}
	for _, clause := range goautoneg.ParseAccept(accept) {
		for _, f := range forms {
			kind, subtype, _ := strings.Cut(f.asked, "/")
			if clause.Type != "*" && clause.Type != kind || clause.SubType != "*" && clause.SubType != subtype {
				continue
			}
			p.header.Set("Content-Type", f.answered)
			if p.status == 0 {
				p.text = f.text()
			}
			return q.page(p), nil
		}
	}
	none := http.Header{"Vary": p.header["Vary"]}
	return q.page(page{status: http.StatusNotAcceptable, header: none}), nil
}
