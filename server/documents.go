package server

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/munnerz/goautoneg"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"kubarium/server/answer"
	"kubarium/server/customresource"
	"kubarium/server/kinds"
	"kubarium/server/openapi"
)

// Clients ask for the Protobuf forms under names with an "@", which no Content-Type may have, and under others without.
const (
	v2ProtoAnswer = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
	v3ProtoAsked  = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf"
)

// Schemas are the OpenAPI documents of all that is served.
func (s *Server) Schemas() *openapi.Documents { return s.documents }

// serveOpenAPIV2 answers /openapi/v2, the swagger that kubectl up to 1.26 validates by. Of the documents it alone comes
// compressed, as in kube-apiserver.
func (s *Server) serveOpenAPIV2(q *Request) (*answer.Answer, error) {
	d := s.documents.V2()
	p := answer.Page{Header: http.Header{"Vary": {"Accept-Encoding", "Accept"}, "Etag": {strconv.Quote(d.Hash())}}, Gzip: true, Modified: d.Modified()}
	return q.Document(p, []answer.DocumentForm{
		{Asked: "application/json", Answered: "application/json", Text: d.JSON},
		{Asked: openapi.V2ProtoType, Answered: v2ProtoAnswer, Text: d.Proto},
		{Asked: v2ProtoAnswer, Answered: v2ProtoAnswer, Text: d.Proto},
	})
}

// serveOpenAPIV3Index answers /openapi/v3: where each document is. It names no media type, as in kube-apiserver, and is
// text by its looks.
func (s *Server) serveOpenAPIV3Index(q *Request) (*answer.Answer, error) {
	d := s.documents.IndexDocument()
	return q.Page(answer.Page{Text: d.JSON(), Modified: d.Modified()}), nil
}

// serveOpenAPIV3 answers one document, such as that of a group version; nothing at all where there is none, or where
// Accept has no media type. A URL with the right hash may be cached for ever; one with another hash is sent on to the
// right one.
func (s *Server) serveOpenAPIV3(q *Request) (*answer.Answer, error) {
	d, ok := s.documents.V3(strings.TrimPrefix(q.URL.Path, "/openapi/v3/"))
	if !ok {
		return q.Page(answer.Page{Status: http.StatusNotFound}), nil
	}
	if accept := q.Header.Get("Accept"); accept != "" && len(goautoneg.ParseAccept(accept)) == 0 {
		return q.Page(answer.Page{Status: http.StatusOK}), nil
	}
	h := http.Header{"Vary": {"Accept"}, "Etag": {strconv.Quote(d.Hash())}}
	p := answer.Page{Header: h, Modified: d.Modified()}
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

// customDocuments lists the custom resources that are published now.
func (s *Server) customDocuments() []openapi.Extra {
	var extras []openapi.Extra
	for _, d := range s.o.Registry.Catalogue.Definitions() {
		if !d.Established {
			continue
		}
		for _, k := range d.Rows {
			extras = append(extras, s.customDocument(d, k))
		}
	}
	return extras
}

// customDocument describes one version of a kind. One whose schema cannot be published is left out of the documents,
// and logged.
func (s *Server) customDocument(d *customresource.Definition, k *kinds.Kind) openapi.Extra {
	return openapi.Extra{
		GroupVersion: k.GroupVersion(), Name: k.Resource, Version: strconv.FormatInt(d.Since, 10),
		V3: func() *spec3.OpenAPI {
			doc, err := d.V3(k.Version)
			if err != nil {
				s.o.Logger.Error("openapi", "error", err)
			}
			return doc
		},
		V2: func() *spec.Swagger {
			doc, err := d.V2(k.Version)
			if err != nil {
				s.o.Logger.Error("openapi", "error", err)
			}
			return doc
		},
	}
}
