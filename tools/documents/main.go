// Program documents writes the schemas that Kubarium publishes, when k8s.io/kubernetes is raised (`go generate ./server/openapi`).
// It is a module of its own, so that what it needs stays out of the product.
//
// The module k8s.io/kubernetes has the documents of a kube-apiserver (api/openapi-spec). This copies those of the group
// versions that are generally available, with the values of enumerations, which a server adds and these files lack.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/handler"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kubernetes/pkg/generated/openapi"
)

// version is what each document says of itself: the version that kube-apiserver emulates, which has no patch.
const version = "1.37"

// generallyAvailable are the files of group versions that are published.
var generallyAvailable = regexp.MustCompile(`^apis?(__[^_]+)?__v\d+_openapi\.json$`)

// others are the files that are published besides, and those of the groups.
var others = []string{".well-known__openid-configuration", "api", "apis", "openid__v1__jwks", "version"}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: documents FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "documents:", err)
		os.Exit(1)
	}
}

// write writes the documents of OpenAPI v3, the swagger, and the archive of types into a folder.
func write(folder string) error {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes").Output()
	if err != nil {
		return fmt.Errorf("find k8s.io/kubernetes: %w", err)
	}
	from := filepath.Join(strings.TrimSpace(string(dir)), "api", "openapi-spec")
	names, err := published(filepath.Join(from, "v3"))
	if err != nil {
		return err
	}
	definitions := openapi.GetOpenAPIDefinitions(func(name string) spec.Ref { return spec.MustCreateRef("#/" + name) })
	paths, types := map[string]bool{}, map[string]*spec.Schema{}
	for _, name := range names {
		document := new(spec3.OpenAPI)
		if err := readJSON(filepath.Join(from, "v3", name+"_openapi.json"), document); err != nil {
			return err
		}
		document.Info.Version = version
		for name, schema := range document.Components.Schemas {
			enumerate(schema, definitions[name].Schema)
			if types[name] == nil {
				types[name] = schema
			}
		}
		for path := range document.Paths.Paths {
			paths[path] = true
		}
		if err := writeJSON(filepath.Join(folder, strings.ReplaceAll(name, "__", "_")+".json.gz"), document); err != nil {
			return err
		}
	}
	if err := writeTypes(filepath.Join(folder, "types.zip"), types); err != nil {
		return err
	}
	return writeSwagger(folder, filepath.Join(from, "swagger.json"), paths, definitions)
}

// published lists the documents of a folder that Kubarium publishes, without the end of their names.
func published(folder string) ([]string, error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	names := others
	for _, f := range files {
		if !generallyAvailable.MatchString(f.Name()) {
			continue
		}
		name := strings.TrimSuffix(f.Name(), "_openapi.json")
		names = append(names, name)
		if group := name[:strings.LastIndex(name, "__")]; !slices.Contains(names, group) {
			names = append(names, group)
		}
	}
	return names, nil
}

// writeSwagger writes the official swagger as far as it is about some paths.
func writeSwagger(folder, official string, paths map[string]bool, definitions map[string]common.OpenAPIDefinition) error {
	document := new(spec.Swagger)
	if err := readJSON(official, document); err != nil {
		return err
	}
	document.Info.Version = version
	maps.DeleteFunc(document.Paths.Paths, func(path string, _ spec.PathItem) bool { return !paths[path] })
	used, err := namesIn(document)
	if err != nil {
		return err
	}
	maps.DeleteFunc(document.Parameters, func(name string, _ spec.Parameter) bool { return !used[name] })
	maps.DeleteFunc(document.Definitions, func(name string, _ spec.Schema) bool { return !used[name] })
	for name, schema := range document.Definitions {
		enumerate(&schema, definitions[name].Schema)
		document.Definitions[name] = schema
	}
	document.Definitions = handler.PruneDefaults(document.Definitions) // clients of the swagger never knew defaults
	return writeJSON(filepath.Join(folder, "swagger.json.gz"), document)
}

var reference = regexp.MustCompile(`"\$ref":"#/(?:definitions|parameters)/([^"]+)"`)

// namesIn returns the names that the paths of a swagger refer to, and those that what they name refers to.
func namesIn(document *spec.Swagger) (map[string]bool, error) {
	used := map[string]bool{}
	for open := []any{document.Paths}; len(open) > 0; open = open[1:] {
		text, err := json.Marshal(open[0])
		if err != nil {
			return nil, err
		}
		for _, found := range reference.FindAllSubmatch(text, -1) {
			if name := string(found[1]); !used[name] {
				used[name] = true
				open = append(open, document.Definitions[name], document.Parameters[name])
			}
		}
	}
	return used, nil
}

// enumerate gives a schema and those in it the values of enumerations, and the descriptions that list them.
func enumerate(schema *spec.Schema, full spec.Schema) {
	if len(full.Enum) > 0 {
		schema.Enum = full.Enum
	}
	if strings.Contains(full.Description, "Possible enum values:") {
		schema.Description = full.Description
	}
	for name, p := range schema.Properties {
		enumerate(&p, full.Properties[name])
		schema.Properties[name] = p
	}
	if schema.Items != nil && schema.Items.Schema != nil && full.Items != nil && full.Items.Schema != nil {
		enumerate(schema.Items.Schema, *full.Items.Schema)
	}
	if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil && full.AdditionalProperties != nil {
		enumerate(schema.AdditionalProperties.Schema, *full.AdditionalProperties.Schema)
	}
}
