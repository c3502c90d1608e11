package admission

import (
	"encoding/json"
	"strings"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/openapi"

	documents "kubarium/server/openapi"
)

// withSchemas is a client that reads OpenAPI v3 documents where they are made: a mutating policy checks every five
// seconds whether a schema has changed, which would only be noise on the screen.
type withSchemas struct {
	kubernetes.Interface
	documents *documents.Documents
}

// Discovery fulfils kubernetes.Interface.
func (c withSchemas) Discovery() discovery.DiscoveryInterfaces {
	return schemas{c.Interface.Discovery(), c.documents}
}

type schemas struct {
	discovery.DiscoveryInterfaces
	documents *documents.Documents
}

// OpenAPIV3 fulfils discovery.OpenAPIV3SchemaInterface.
func (s schemas) OpenAPIV3() openapi.Client { return s }

// Paths fulfils openapi.Client.
func (s schemas) Paths() (map[string]openapi.GroupVersion, error) {
	var index struct {
		Paths map[string]struct{ ServerRelativeURL string }
	}
	if err := json.Unmarshal(s.documents.Index(), &index); err != nil {
		return nil, err
	}
	all := make(map[string]openapi.GroupVersion, len(index.Paths))
	for path, at := range index.Paths {
		all[path] = groupVersion{s.documents, path, at.ServerRelativeURL}
	}
	return all, nil
}

// A groupVersion is one document. It fulfils openapi.GroupVersion.
type groupVersion struct {
	documents *documents.Documents
	path, url string
}

func (g groupVersion) ServerRelativeURL() string { return g.url }

// Schema returns the document in JSON, or in Protobuf where that is asked for; nothing if it is no longer served.
func (g groupVersion) Schema(contentType string) ([]byte, error) {
	d, ok := g.documents.V3(g.path)
	if !ok {
		return nil, nil
	}
	if strings.Contains(contentType, "protobuf") {
		return d.Proto(), nil
	}
	return d.JSON(), nil
}
