package openapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// withheldDocument is the embedded document of a group version without some of its resources, and without the schemas that
// they alone need.
func withheldDocument(path string, resources []string) *Document {
	text := sync.OnceValue(func() []byte {
		var document, components map[string]json.RawMessage
		var paths, schemas map[string]json.RawMessage
		mustUnmarshal(unpack(readFile(path)), &document)
		mustUnmarshal(document["paths"], &paths)
		mustUnmarshal(document["components"], &components)
		mustUnmarshal(components["schemas"], &schemas)
		maps.DeleteFunc(paths, func(p string, _ json.RawMessage) bool { return slices.Contains(resources, resourceOf(path, p)) })
		components["schemas"] = mustMarshal(reachable("#/components/schemas/", schemas, slices.Collect(maps.Values(paths))))
		document["paths"], document["components"] = mustMarshal(paths), mustMarshal(components)
		return mustMarshal(document)
	})
	return newDocument(text, text, protoV3)
}

// resourceOf is the resource that a request path below the path of a group version is about, or "".
func resourceOf(version, requestPath string) string {
	below, ok := strings.CutPrefix(strings.Trim(requestPath, "/"), version+"/")
	if !ok {
		return ""
	}
	parts := strings.Split(strings.TrimPrefix(below, "watch/"), "/")
	if len(parts) > 2 && parts[0] == "namespaces" && parts[1] == "{namespace}" {
		parts = parts[2:]
	}
	return parts[0]
}

// byVersion sorts resources by the path of their version.
func byVersion(resources []schema.GroupVersionResource) map[string][]string {
	all := map[string][]string{}
	for _, r := range resources {
		path := pathOf(r.GroupVersion())
		all[path] = append(all[path], r.Resource)
	}
	return all
}
