package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMain is also an e2e.test of four specs, for the tests here: the first passes, the second fails, the third is
// interrupted, the fourth ends the process.
func TestMain(m *testing.M) {
	if os.Getenv("KUBARIUM_FAKE_SPECS") == "" {
		os.Exit(m.Run())
	}
	args := strings.Join(os.Args, " ")
	_, path, _ := strings.Cut(os.Args[len(os.Args)-1], "=")
	var reports []string
	for name, result := range map[string]string{
		"passes":    `"State": "passed"`,
		"fails":     `"State": "failed", "Failure": {"Message": "error running /bin/kubectl --server=a --kubeconfig=/b\n\tget: lookup x on 10.0.0.1:53: no Pod"}`,
		"waits":     `"State": "interrupted", "Failure": {"Message": "A suite timeout occurred", "AdditionalFailure": {"Failure": {"Message": "still waiting for 1 Pod, got instead: <*v1.Pod>"}}}`,
		"ends here": "",
	} {
		spec := fmt.Sprintf(`{"ContainerHierarchyTexts": ["[sig-test] A"], "LeafNodeType": "It", "LeafNodeText": "%s [Conformance]", `, name)
		switch {
		case strings.Contains(args, "dry-run"):
			reports = append(reports, spec+`"State": "passed"}`)
		case !strings.Contains(args, name):
			reports = append(reports, spec+`"State": "skipped"}`)
		case result == "":
			os.Exit(3)
		default:
			reports = append(reports, spec+result+"}")
		}
	}
	os.WriteFile(path, []byte(`[{"SpecReports": [`+strings.Join(reports, ",")+`]}]`), 0o644)
}

// TestRunner proves what is kept of each spec, and that the next run asks only for what has no result.
func TestRunner(t *testing.T) {
	t.Setenv("KUBARIUM_FAKE_SPECS", "yes")
	file := filepath.Join(t.TempDir(), "results.tsv")
	run := func() []string {
		table, err := readTable(file)
		if err != nil {
			t.Fatal(err)
		}
		r := runner{e2e: os.Args[0], limit: time.Minute, parallel: 2, table: table}
		if err := r.list(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := r.run(t.Context(), "kubarium", "kubeconfig"); err != nil {
			t.Fatal(err)
		}
		kept, err := readTable(file)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range kept.rows {
			got = append(got, strings.Join([]string{r.Spec, r.Real.State, r.Kubarium.State, r.Kubarium.Message}, "|"))
		}
		return got
	}
	want := []string{
		"[sig-test] A ends here [Conformance]||fail|no report: exit status 3",
		"[sig-test] A fails [Conformance]||fail|error running kubectl get: lookup x: no Pod",
		"[sig-test] A passes [Conformance]||pass|",
		"[sig-test] A waits [Conformance]||fail|still waiting for 1 Pod",
	}
	if got := run(); len(got) != 4 || !strings.HasPrefix(got[0], want[0]) || !slices.Equal(got[1:], want[1:]) {
		t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	text, _ := os.ReadFile(file)
	os.WriteFile(file, []byte(strings.Replace(string(text), "error running kubectl get: lookup x: no Pod", "kept", 1)), 0o644)
	if got := run(); got[1] != "[sig-test] A fails [Conformance]||fail|kept" {
		t.Errorf("a spec with a result was run again: %s", got[1])
	}
	r := runner{e2e: os.Args[0], limit: time.Minute, parallel: 2, table: &table{path: t.TempDir()}}
	if err := errors.Join(r.list(t.Context()), r.run(t.Context(), "real", "kubeconfig")); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("results that cannot be kept: %v", err)
	}
}

// TestRun_Missing proves that a file that is not there ends the command before anything is run or written.
func TestRun_Missing(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"--e2e", "--real", "--kubarium"} {
		args := []string{"--folder", dir, "--page", dir + "/page.md", "--kubectl", os.Args[0], "--e2e", os.Args[0], name, "nowhere"}
		if err := run(t.Context(), args); err == nil || err.Error() != "stat nowhere: no such file or directory" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("written: %v", files)
	}
}

// TestReadTable proves that a file that is not the table is refused with the place of the mistake.
func TestReadTable(t *testing.T) {
	for text, want := range map[string]string{
		"spec\n":                              "the first line is not",
		heading + "a\tpass\n":                 ":2: 2 columns, not 7",
		heading + "a\tpass\tx\t\tpass\t1\t\n": `:2: strconv.Atoi: parsing "x": invalid syntax`,
	} {
		file := filepath.Join(t.TempDir(), "results.tsv")
		os.WriteFile(file, []byte(text), 0o644)
		if _, err := readTable(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
