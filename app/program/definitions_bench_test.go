package program_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
)

// largeDefinition is a CustomResourceDefinition of the size that real projects have: some 10,000 lines of YAML, about
// 400 KiB of JSON, four levels of objects with lists, maps, defaults, patterns, and a few validation rules.
func largeDefinition(group string) []byte {
	text := func(s string) map[string]any { return map[string]any{"type": "string", "description": s} }
	widths := []int{20, 20, 20, 10}
	var object func(depth int, path string) map[string]any
	object = func(depth int, path string) map[string]any {
		properties := map[string]any{}
		for i := range widths[depth] {
			name := fmt.Sprintf("field%02d", i)
			about := strings.Repeat("What "+path+name+" is for, as the project's own comments say it. ", 2)
			switch {
			case depth+1 < len(widths) && i%5 == 0:
				properties[name] = object(depth+1, path+name+".")
			case i%5 == 1:
				properties[name] = map[string]any{"type": "array", "description": about, "x-kubernetes-list-type": "atomic", "items": text(about)}
			case i%5 == 2:
				properties[name] = map[string]any{"type": "integer", "format": "int32", "description": about, "minimum": 0, "default": i}
			case i%5 == 3:
				properties[name] = map[string]any{"type": "string", "pattern": "^[a-z]*$", "description": about}
			default:
				properties[name] = map[string]any{"type": "object", "description": about, "additionalProperties": text(about)}
			}
		}
		return map[string]any{"type": "object", "description": path, "properties": properties}
	}
	spec := object(0, "spec.")
	spec["x-kubernetes-validations"] = []any{map[string]any{"rule": "!has(self.field02) || self.field02 < 1000", "message": "field02 is below 1000"}}
	body, err := json.Marshal(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "larges." + group},
		"spec": map[string]any{
			"group": group, "scope": "Namespaced",
			"names": map[string]any{"plural": "larges", "singular": "large", "kind": "Large", "listKind": "LargeList"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true, "subresources": map[string]any{"status": map[string]any{}},
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{
					"spec": spec, "status": map[string]any{"type": "object", "properties": map[string]any{"phase": text("the phase")}},
				}}},
			}},
		},
	})
	if err != nil {
		panic(err)
	}
	return body
}

// BenchmarkDefinitions installs 25 large definitions, four at a time as kubectl and controllers do, until all of their
// kinds answer. The goal is a second.
func BenchmarkDefinitions(b *testing.B) {
	p := programtest.MustStartConfig(b, program.Config{Listen: "127.0.0.1:0", DB: filepath.Join(b.TempDir(), "bench.db"), History: time.Minute, Sync: "full"})
	for round := range b.N {
		b.StopTimer()
		groups, bodies := make([]string, 25), make([][]byte, 25)
		for i := range groups {
			groups[i] = fmt.Sprintf("g%d.r%d.example.com", i, round)
			bodies[i] = largeDefinition(groups[i])
		}
		b.ReportMetric(float64(len(bodies[0])), "B/definition")
		b.StartTimer()
		var wg sync.WaitGroup
		lanes := make(chan struct{}, 4)
		for i, group := range groups {
			wg.Go(func() {
				lanes <- struct{}{}
				install(b, p.URL, group, bodies[i])
				<-lanes
			})
		}
		wg.Wait()
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/25-definitions")
}

func install(b *testing.B, url, group string, body []byte) {
	resp, err := http.Post(url+"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "application/json", bytes.NewReader(body))
	if err != nil {
		b.Error(err)
		return
	}
	answer, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		b.Errorf("%d: %.300s", resp.StatusCode, answer)
		return
	}
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		resp, err := http.Get(url + "/apis/" + group + "/v1/larges")
		if err != nil {
			b.Error(err)
			return
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return
		}
	}
	b.Errorf("%s is not served", group)
}
