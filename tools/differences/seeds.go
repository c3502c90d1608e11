package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/yaml"
)

//go:embed seeds/*.yaml
var seedFiles embed.FS

// sampleFile has values only; a create would refuse its objects.
const sampleFile = "samples.yaml"

// A seed is the JSON of a valid object. $name, $id, $ip and $ns in it are replaced in each object that is made of it.
type seed struct {
	gvk    schema.GroupVersionKind
	text   string
	sample bool // only parts of it are valid
}

// scheme knows the Go types of all built-in kinds.
var scheme = func() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientscheme.AddToScheme, apiextensionsv1.AddToScheme, apiregistrationv1.AddToScheme} {
		if err := add(s); err != nil {
			panic(err)
		}
	}
	return s
}()

// readSeeds returns all seeds in the order of their files.
func readSeeds() ([]seed, error) {
	files, err := seedFiles.ReadDir("seeds")
	if err != nil {
		return nil, err
	}
	var all []seed
	for _, file := range files {
		data, err := seedFiles.ReadFile("seeds/" + file.Name())
		if err != nil {
			return nil, err
		}
		seeds, err := splitSeeds(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name(), err)
		}
		for i := range seeds {
			seeds[i].sample = file.Name() == sampleFile
		}
		all = append(all, seeds...)
	}
	return all, nil
}

func splitSeeds(data []byte) ([]seed, error) {
	var seeds []seed
	documents := utilyaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(data)))
	buffer := make([]byte, len(data))
	for {
		n, err := documents.Read(buffer)
		if err == io.EOF {
			return seeds, nil
		}
		if err != nil {
			return nil, err
		}
		text, err := yaml.YAMLToJSONStrict(buffer[:n])
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", len(seeds)+1, err)
		}
		var meta runtime.TypeMeta
		if err := json.Unmarshal(text, &meta); err != nil {
			return nil, fmt.Errorf("document %d: %w", len(seeds)+1, err)
		}
		seeds = append(seeds, seed{gvk: meta.GroupVersionKind(), text: string(text)})
	}
}

// names are what one object is called; all but the namespace are unique to it.
type names struct {
	name      string // a DNS label
	id        string // letters and digits
	ip        string
	namespace string
}

// object makes an object of the seed.
func (s seed) object(n names) map[string]any {
	text := strings.NewReplacer("$name", n.name, "$id", n.id, "$ip", n.ip, "$ns", n.namespace).Replace(s.text)
	return decodeObject([]byte(text))
}

// decodeObject reads JSON that this command made or checked; numbers stay as they are written.
func decodeObject(data []byte) map[string]any {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var o map[string]any
	if err := d.Decode(&o); err != nil {
		panic(err)
	}
	return o
}

// typeOf returns the Go type of a kind, or an error if none is known.
func typeOf(gvk schema.GroupVersionKind) (reflect.Type, error) {
	o, err := scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	return reflect.TypeOf(o).Elem(), nil
}
