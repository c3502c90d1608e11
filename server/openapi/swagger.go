package openapi

import (
	"encoding/json"
	"fmt"
	"strings"
)

// swagger returns the published swagger with the paths of the served group versions and the definitions these need.
func (d *Documents) swagger() []byte {
	whole := unpack(readFile("swagger"))
	var parts map[string]json.RawMessage
	mustUnmarshal(whole, &parts)
	var paths, parameters, definitions map[string]json.RawMessage
	mustUnmarshal(parts["paths"], &paths)
	mustUnmarshal(parts["parameters"], &parameters)
	mustUnmarshal(parts["definitions"], &definitions)
	for p := range paths {
		if !d.serves(p) {
			delete(paths, p)
		}
	}
	parts["paths"] = mustMarshal(paths)
	parts["parameters"] = mustMarshal(reachable("#/parameters/", parameters, parts["paths"]))
	parts["definitions"] = mustMarshal(reachable("#/definitions/", definitions, parts["paths"], parts["parameters"]))
	return mustMarshal(parts)
}

func (d *Documents) serves(requestPath string) bool {
	for _, gv := range d.served {
		if strings.HasPrefix(requestPath, "/"+path(gv)+"/") {
			return true
		}
	}
	return false
}

// reachable returns those of all, which are at place in the document, that the given parts refer to, and those that
// these refer to.
func reachable(place string, all map[string]json.RawMessage, parts ...json.RawMessage) map[string]json.RawMessage {
	found := map[string]json.RawMessage{}
	for open := parts; len(open) > 0; {
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

func mustUnmarshal(data []byte, into any) {
	must(into, json.Unmarshal(data, into))
}
