// Program generate writes the schemas that Kubarium publishes. It is run by hand when k8s.io/api is raised
// (`go generate kubarium/server/openapi`) and is a module of its own, so that what it needs stays out of the product.
//
// The routes of each group version are installed with the official installer on storage that stores nothing, and
// kube-openapi describes them: paths, operation IDs, parameters and definitions are those of kube-apiserver. A group
// version more is a line in groups.go (and its package in generate.sh).
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	apiserver "k8s.io/apiserver/pkg/endpoints/openapi"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"kubarium/server/openapi/generate/definitions"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: generate FOLDER")
		os.Exit(2)
	}
	if err := generate(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func generate(folder string) error {
	if err := serveCBOR(); err != nil {
		return err
	}
	namer := apiserver.NewDefinitionNamer(scheme)
	err := writeFile(filepath.Join(folder, "types.zip"), func(w io.Writer) error { return writeTypes(w, configV3(namer)) })
	if err != nil {
		return err
	}
	return writeDocuments(folder, namer)
}

func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// info is what each document says of itself. kube-apiserver tells the version that it emulates, which has no patch.
func info() *spec.Info {
	return &spec.Info{InfoProps: spec.InfoProps{Title: "Kubernetes", Version: "1.37"}}
}

// unauthorized is what every operation may answer besides its own responses.
const unauthorized = "Unauthorized"

// bearerToken is how requests say who asks.
var bearerToken = spec.SecuritySchemeProps{
	Type: "apiKey", Name: "authorization", In: "header", Description: "Bearer Token authentication",
}

func configV3(namer *apiserver.DefinitionNamer) *common.OpenAPIV3Config {
	config := &common.OpenAPIV3Config{
		Info: info(),
		CommonResponses: map[int]*spec3.Response{
			http.StatusUnauthorized: {ResponseProps: spec3.ResponseProps{Description: unauthorized}},
		},
		SecuritySchemes: spec3.SecuritySchemes{"BearerToken": {SecuritySchemeProps: spec3.SecuritySchemeProps{
			Type: bearerToken.Type, Name: bearerToken.Name, In: bearerToken.In, Description: bearerToken.Description,
		}}},
		DefaultSecurity:       []map[string][]string{{"BearerToken": {}}},
		GetOperationIDAndTags: apiserver.GetOperationIDAndTags,
		GetDefinitionName:     namer.GetDefinitionName,
		GetDefinitions:        definitions.GetOpenAPIDefinitions,
	}
	config.Definitions = definitions.GetOpenAPIDefinitions(func(name string) spec.Ref {
		return spec.MustCreateRef("#/components/schemas/" + common.EscapeJsonPointer(name))
	})
	return config
}

func configV2(namer *apiserver.DefinitionNamer) *common.Config {
	return &common.Config{
		ProtocolList: []string{"https"},
		Info:         info(),
		CommonResponses: map[int]spec.Response{
			http.StatusUnauthorized: {ResponseProps: spec.ResponseProps{Description: unauthorized}},
		},
		SecurityDefinitions:   &spec.SecurityDefinitions{"BearerToken": {SecuritySchemeProps: bearerToken}},
		DefaultSecurity:       []map[string][]string{{"BearerToken": {}}},
		GetOperationIDAndTags: apiserver.GetOperationIDAndTags,
		GetDefinitionName:     namer.GetDefinitionName,
		GetDefinitions:        definitions.GetOpenAPIDefinitions,
	}
}
