package main

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	restful "github.com/emicklei/go-restful/v3"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/endpoints"
	apiserver "k8s.io/apiserver/pkg/endpoints/openapi"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kube-openapi/pkg/builder"
	"k8s.io/kube-openapi/pkg/builder3"
	"k8s.io/kube-openapi/pkg/handler"
	"k8s.io/kube-openapi/pkg/spec3"
)

// A part is the routes that one document describes.
type part struct {
	path   string // below /openapi/v3/: "apis/apps/v1"
	routes []*restful.WebService
}

// writeDocuments writes a document of OpenAPI v3 a part, and one swagger of all of them.
func writeDocuments(folder string, namer *apiserver.DefinitionNamer) error {
	parts, err := allParts()
	if err != nil {
		return err
	}
	var all []*restful.WebService
	for _, p := range parts {
		all = append(all, p.routes...)
		document, err := builder3.BuildOpenAPISpec(p.routes, configV3(namer))
		if err != nil {
			return fmt.Errorf("%s: %w", p.path, err)
		}
		p.narrowKinds(document)
		if err := writeJSON(filepath.Join(folder, p.fileName()), document); err != nil {
			return err
		}
	}
	swagger, err := builder.BuildOpenAPISpec(all, configV2(namer))
	if err != nil {
		return err
	}
	swagger.Definitions = handler.PruneDefaults(swagger.Definitions) // clients of the swagger never knew defaults
	return writeJSON(filepath.Join(folder, "swagger.json.gz"), swagger)
}

// allParts lists the group versions and the discovery that leads to them.
func allParts() ([]part, error) {
	parts := discoveryParts()
	for _, g := range groups {
		routes, err := g.routes()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.GroupVersion, err)
		}
		parts = append(parts, part{g.root() + "/" + g.GroupVersion.String(), routes})
	}
	return parts, nil
}

// narrowKinds leaves, of the dozens of group versions in which DeleteOptions and WatchEvent are registered, v1 and the one
// that the document is about.
func (p part) narrowKinds(document *spec3.OpenAPI) {
	const key = "x-kubernetes-group-version-kind"
	for name, schema := range document.Components.Schemas {
		if !strings.HasSuffix(name, ".DeleteOptions") && !strings.HasSuffix(name, ".WatchEvent") {
			continue
		}
		kinds, _ := schema.Extensions[key].([]any)
		schema.Extensions[key] = slices.DeleteFunc(slices.Clone(kinds), func(kind any) bool {
			k, _ := kind.(map[string]any)
			gv := gv(k["group"].(string), k["version"].(string))
			return gv != core("").GroupVersion() && "apis/"+gv.String() != p.path
		})
	}
}

// fileName is where package openapi looks for a part: "api_v1.json.gz", "apis_apps_v1.json.gz".
func (p part) fileName() string {
	return strings.ReplaceAll(p.path, "/", "_") + ".json.gz"
}

// root is the first element of the group's paths.
func (g group) root() string {
	if g.Group == "" {
		return "api"
	}
	return "apis"
}

func writeJSON(path string, document any) error {
	data, err := json.Marshal(document)
	if err != nil {
		return err
	}
	return writeFile(path, func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		if _, err := z.Write(data); err != nil {
			return err
		}
		return z.Close()
	})
}

// routes has the official installer make the routes of a group version.
func (g group) routes() ([]*restful.WebService, error) {
	storages := map[string]rest.Storage{}
	for _, r := range g.resources {
		maps.Copy(storages, r.storages(g.GroupVersion))
	}
	version := &endpoints.APIGroupVersion{
		Storage:                    storages,
		Root:                       "/" + g.root(),
		GroupVersion:               g.GroupVersion,
		OptionsExternalVersion:     &schema.GroupVersion{Version: "v1"},
		Serializer:                 codecs,
		ParameterCodec:             parameters,
		Typer:                      scheme,
		Creater:                    scheme,
		Convertor:                  scheme,
		UnsafeConvertor:            runtime.UnsafeObjectConvertor(scheme),
		Defaulter:                  scheme,
		Namer:                      runtime.Namer(meta.NewAccessor()),
		TypeConverter:              managedfields.NewDeducedTypeConverter(),
		EquivalentResourceRegistry: runtime.NewEquivalentResourceRegistry(),
	}
	container := restful.NewContainer()
	if _, _, err := version.InstallREST(container); err != nil {
		return nil, err
	}
	return container.RegisteredWebServices(), nil
}
