package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestPage proves that docs/conformance.md is what the results give, and was not edited by hand.
func TestPage(t *testing.T) {
	table, err := readTable("results.tsv")
	if err != nil {
		t.Fatal(err)
	}
	want, err := makePage(table.rows)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../docs/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("docs/conformance.md is not what results.tsv gives: go run ./tools/conformance writes it")
	}
}

// TestSpecs proves that the results are of all specs that Kubernetes lists for the release in go.mod.
func TestSpecs(t *testing.T) {
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "test/conformance/testdata/conformance.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var listed []struct{ Codename string }
	if err := yaml.Unmarshal(text, &listed); err != nil {
		t.Fatal(err)
	}
	table, err := readTable("results.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, l := range listed {
		want = append(want, l.Codename)
	}
	for _, r := range table.rows {
		got = append(got, r.Spec)
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("results of %d specs, want those of conformance.yaml, %d", len(got), len(want))
	}
}

// TestReasons proves that each rule is the first that fits some spec, so that none is left over.
func TestReasons(t *testing.T) {
	table, err := readTable("results.tsv")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, r := range table.rows {
		if r.Real.State == "pass" || r.Kubarium.State == "pass" || !r.ran() {
			continue
		}
		reason, err := reasonOf(r)
		if err != nil {
			t.Error(err)
		}
		used[reason] = true
	}
	for _, rule := range rules {
		if !used[rule.reason] {
			t.Errorf("no spec has the reason %q", rule.reason)
		}
	}
	if reason, err := reasonOf(&row{Spec: "[sig-node] odd", Real: result{State: "fail", Message: "odd"}}); err == nil {
		t.Errorf("a failure that no rule knows has the reason %q", reason)
	}
}

// TestMakePage proves where a spec is listed, by what both servers answered.
func TestMakePage(t *testing.T) {
	pass, fail := result{State: "pass"}, result{State: "fail", Message: "unable to upgrade connection: a|b"}
	page, err := makePage([]*row{
		{"[sig-apps] A both [Conformance]", pass, pass},
		{"[sig-apps] B real [Conformance]", pass, fail},
		{"[sig-node] C kubarium [Conformance]", fail, pass},
		{"[sig-node] D neither [Conformance]", fail, fail},
		{"[sig-node] E waits [Conformance]", pass, result{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(page), "|---|---|---|---|---|\n")
	for _, want := range []string{
		"| sig-apps | 2 | 2 | 1 | 1 |\n| sig-node | 3 | 1 | 1 | 0 |\n| **all** | **5** | **3** | **2** | **1** |\n",
		"## Not run\n\n- E waits\n",
		"## Pass on the real control plane alone\n\n| spec | why it does not pass on Kubarium |\n|---|---|\n| B real | unable to upgrade connection: a\\|b |\n",
		"| C kubarium | unable to upgrade connection: a\\|b |\n\n## Pass on neither\n\n- 1: ",
		"| spec | message |\n|---|---|\n| D neither | unable to upgrade connection: a\\|b |\n",
		"## Pass on both\n\n### sig-apps\n\n- A both\n",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in\n%s", want, body)
		}
	}
}
