package main

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"strings"

	restful "github.com/emicklei/go-restful/v3"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/endpoints"
	apiserver "k8s.io/apiserver/pkg/endpoints/openapi"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kube-openapi/pkg/builder"
	"k8s.io/kube-openapi/pkg/builder3"
)

// writeDocuments writes a document of OpenAPI v3 a group version, and one swagger of all of them.
func writeDocuments(folder string, namer *apiserver.DefinitionNamer) error {
	var all []*restful.WebService
	for _, g := range groups {
		routes, err := g.routes()
		if err != nil {
			return fmt.Errorf("%s: %w", g.GroupVersion, err)
		}
		all = append(all, routes...)
		document, err := builder3.BuildOpenAPISpec(routes, configV3(namer))
		if err != nil {
			return fmt.Errorf("%s: %w", g.GroupVersion, err)
		}
		if err := writeJSON(filepath.Join(folder, fileName(g.GroupVersion)), document); err != nil {
			return err
		}
	}
	swagger, err := builder.BuildOpenAPISpec(all, configV2(namer))
	if err != nil {
		return err
	}
	return writeJSON(filepath.Join(folder, "swagger.json.gz"), swagger)
}

// fileName is where package openapi looks for a group version: "api_v1.json.gz", "apis_apps_v1.json.gz".
func fileName(gv schema.GroupVersion) string {
	root := "apis/"
	if gv.Group == "" {
		root = "api/"
	}
	return strings.ReplaceAll(root+gv.String(), "/", "_") + ".json.gz"
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
	root := "/apis"
	if g.Group == "" {
		root = "/api"
	}
	version := &endpoints.APIGroupVersion{
		Storage:                    storages,
		Root:                       root,
		GroupVersion:               g.GroupVersion,
		OptionsExternalVersion:     &schema.GroupVersion{Version: "v1"},
		Serializer:                 scheme.Codecs,
		ParameterCodec:             scheme.ParameterCodec,
		Typer:                      scheme.Scheme,
		Creater:                    scheme.Scheme,
		Convertor:                  scheme.Scheme,
		UnsafeConvertor:            runtime.UnsafeObjectConvertor(scheme.Scheme),
		Defaulter:                  scheme.Scheme,
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
