package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"
)

// TestPackSBOM proves that the modules of a binary are listed with their versions, and Go's standard library.
func TestPackSBOM(t *testing.T) {
	b := binaries{"linux", runtime.GOARCH, t.TempDir()}
	mustBuild(t, b.file("kubarium"), "./tools/release") // which needs a module for YAML
	r := release{version: "v1.2.3", written: time.Unix(1_700_000_000, 0).UTC(), out: t.TempDir()}
	name, err := r.packSBOM(b, "kubarium.tar.gz")
	if err != nil || name != "kubarium.tar.gz.cdx.json" {
		t.Fatal(name, err)
	}
	text, err := os.ReadFile(filepath.Join(r.out, name))
	if err != nil {
		t.Fatal(err)
	}
	var bill struct {
		BOMFormat  string
		Components []component
	}
	if err := json.Unmarshal(text, &bill); err != nil || bill.BOMFormat != "CycloneDX" {
		t.Fatalf("%s %v", text, err)
	}
	if first := bill.Components[0]; first.Name != "stdlib" || first.Version != runtime.Version() {
		t.Errorf("%+v", first)
	}
	if !slices.ContainsFunc(bill.Components, func(c component) bool {
		return c.Name == "sigs.k8s.io/yaml" && c.PURL == "pkg:golang/sigs.k8s.io/yaml@"+c.Version
	}) {
		t.Errorf("%+v", bill.Components)
	}
	replaced := componentOf(&debug.Module{Path: "a", Version: "v1", Replace: &debug.Module{Path: "b", Version: "v2+incompatible"}})
	if want := (component{"library", "b", "v2+incompatible", "pkg:golang/b@v2%2Bincompatible"}); replaced != want {
		t.Errorf("%+v, want %+v", replaced, want)
	}
	if err := os.WriteFile(b.file("kubarium"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := r.packSBOM(b, "x"); err == nil {
		t.Error("a script has a bill")
	}
}
