package server

import (
	"strconv"

	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"kubarium/server/customresource"
	"kubarium/server/kinds"
	"kubarium/server/openapi"
)

// customDocuments tells which custom resources are published now.
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

// customDocument tells of one version of a kind. One whose schema cannot be published is left out of the documents,
// with a word in the log.
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
