package openapi

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
)

//go:embed published/*.json.gz
var published embed.FS

// publishedDocument is the embedded one of a path. Its text is kept once it has been asked for.
func publishedDocument(path string) *Document {
	packed := func() []byte { return readFile(path) }
	return newDocument(packed, sync.OnceValue(func() []byte { return unpack(packed()) }), protoV3)
}

// publishedSwagger is that of the built-in documents.
func (d *Documents) publishedSwagger() *Document {
	source := func() []byte {
		return fmt.Append(readFile("swagger"), slices.Sorted(maps.Keys(d.builtIn)), d.withheld)
	}
	return newDocument(source, sync.OnceValue(func() []byte { return mustMarshal(d.builtInSwagger()) }), protoV2)
}

// builtInSwagger returns the published swagger with the paths that are served and the definitions these need.
func (d *Documents) builtInSwagger() swagger {
	var s swagger
	mustUnmarshal(unpack(readFile("swagger")), &s)
	maps.DeleteFunc(s.Paths, func(path string, _ json.RawMessage) bool { return !d.serves(path) })
	paths := slices.Collect(maps.Values(s.Paths))
	s.Parameters = reachable("#/parameters/", s.Parameters, paths)
	s.Definitions = reachable("#/definitions/", s.Definitions, append(paths, slices.Collect(maps.Values(s.Parameters))...))
	return s
}

// serves reports whether a path of the swagger belongs to a built-in document.
func (d *Documents) serves(requestPath string) bool {
	parts := strings.Split(strings.Trim(requestPath, "/"), "/")
	depth := len(parts)
	switch parts[0] {
	case "api":
		depth = min(depth, 2) // api/VERSION
	case "apis":
		depth = min(depth, 3) // apis/GROUP/VERSION
	}
	version := strings.Join(parts[:depth], "/")
	return d.builtIn[version] != nil && !slices.Contains(d.withheld[version], resourceOf(version, requestPath))
}

// reachable returns those of all, which are at place in the document, that the given parts refer to, and those that
// these refer to.
func reachable(place string, all map[string]json.RawMessage, parts []json.RawMessage) map[string]json.RawMessage {
	found := map[string]json.RawMessage{}
	for open := slices.Clone(parts); len(open) > 0; {
		part := open[len(open)-1]
		open = open[:len(open)-1]
		for _, name := range referencesBelow(string(part), place) {
			if found[name] != nil {
				continue
			}
			if all[name] == nil {
				panic(fmt.Errorf("published swagger: nothing at %s%s", place, name))
			}
			found[name] = all[name]
			open = append(open, all[name])
		}
	}
	return found
}

func fileName(path string) string {
	return "published/" + strings.ReplaceAll(path, "/", "_") + ".json.gz"
}

func isPublished(path string) bool {
	f, err := published.Open(fileName(path))
	if err != nil {
		return false
	}
	f.Close()
	return true
}

func readFile(path string) []byte {
	return must(published.ReadFile(fileName(path)))
}

func unpack(packed []byte) []byte {
	return must(io.ReadAll(must(gzip.NewReader(bytes.NewReader(packed)))))
}

// The embedded files and what is made of them are our own, so an error in them is a bug, and the tests read them all.
func must[T any](value T, err error) T {
	if err != nil {
		panic(fmt.Errorf("published schemas: %w", err))
	}
	return value
}

func mustMarshal(value any) []byte {
	return must(json.Marshal(value))
}

func mustUnmarshal(data []byte, into any) {
	must(into, json.Unmarshal(data, into))
}
