package codecs

import (
	goyaml "go.yaml.in/yaml/v2"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"sigs.k8s.io/yaml"
)

// newYAML makes the row of YAML. It has no streams: kube-apiserver refuses to watch in YAML, too.
func newYAML() *Codec {
	return &Codec{
		Name:      "YAML",
		MediaType: runtime.ContentTypeYAML,
		tables:    true,
		parts:     yamlParts,
		plain:     serializer(json.SerializerOptions{Yaml: true}),
		strict:    serializer(json.SerializerOptions{Yaml: true, Strict: true}),
		fromJSON:  func(text []byte, _ bool) ([]byte, error) { return YAMLFromJSON(text) },
	}
}

// YAMLFromJSON rewrites a JSON text as YAML: block style, keys sorted, numbers kept as they are written.
func YAMLFromJSON(json []byte) ([]byte, error) {
	v, ok := readPlain(json)
	if !ok {
		return yaml.JSONToYAML(json)
	}
	if text, ok := appendPlain(make([]byte, 0, len(json)+len(json)/4), v); ok {
		return text, nil
	}
	return goyaml.Marshal(v)
}

// JSONFromYAML rewrites the one document of a YAML text as compact JSON. Keys that are not strings become strings; of a
// key that occurs twice, the last counts. JSON is YAML and passes.
func JSONFromYAML(text []byte) ([]byte, error) { return yaml.YAMLToJSON(text) }
