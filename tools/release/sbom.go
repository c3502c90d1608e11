package main

import (
	"debug/buildinfo"
	"encoding/json"
	"runtime/debug"
	"strings"
	"time"
)

// packSBOM writes what a binary is made of, which the binary itself says, as CycloneDX: Go's standard library and the modules.
func (r release) packSBOM(b binaries, archive string) (name string, err error) {
	info, err := buildinfo.ReadFile(b.file("kubarium"))
	if err != nil {
		return "", err
	}
	parts := []component{{"library", "stdlib", info.GoVersion, "pkg:golang/stdlib@" + strings.TrimPrefix(info.GoVersion, "go")}}
	for _, m := range info.Deps {
		parts = append(parts, componentOf(m))
	}
	text, err := json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata": map[string]any{"timestamp": r.written.Format(time.RFC3339),
			"component": component{"application", "kubarium", r.version, "pkg:golang/kubarium@" + r.version}},
		"components": parts,
	}, "", " ")
	if err != nil {
		return "", err
	}
	name = archive + ".cdx.json"
	return name, r.write(name, entry{text: append(text, '\n')}.copyTo)
}

// A component is a part of a binary, in CycloneDX's form.
type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"`
}

func componentOf(m *debug.Module) component {
	if m.Replace != nil {
		m = m.Replace
	}
	return component{"library", m.Path, m.Version, "pkg:golang/" + m.Path + "@" + strings.ReplaceAll(m.Version, "+", "%2B")}
}
