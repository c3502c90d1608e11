//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// An action is the metadata of a composite action, as GitHub documents it.
type action struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Inputs      map[string]struct {
		Description string `json:"description"`
		Default     string `json:"default"`
	} `json:"inputs"`
	Outputs map[string]struct {
		Description string `json:"description"`
		Value       string `json:"value"`
	} `json:"outputs"`
	Runs struct {
		Using string `json:"using"`
		Steps []step `json:"steps"`
	} `json:"runs"`
}

type step struct {
	ID    string            `json:"id"`
	Name  string            `json:"name"`
	Uses  string            `json:"uses"`
	With  map[string]string `json:"with"`
	If    string            `json:"if"`
	Shell string            `json:"shell"`
	Run   string            `json:"run"`
	Env   map[string]string `json:"env"`
}

// A runner does the steps of an action that are shell commands.
type runner struct {
	expressions map[string]string // what each ${{ expression }} is here
	path        string
	files       string // folder of the files that steps write to
}

// run runs a step as GitHub's runner does, unless its condition says no.
func (r runner) run(t *testing.T, s step) {
	t.Helper()
	if s.Uses != "" || s.If == "inputs.url != ''" && r.expressions["inputs.url"] == "" || s.If == "inputs.url == ''" && r.expressions["inputs.url"] != "" {
		return
	}
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run)
	cmd.Env = append(os.Environ(), "PATH="+r.path)
	for _, name := range []string{"GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH"} {
		cmd.Env = append(cmd.Env, name+"="+filepath.Join(r.files, name))
	}
	for name, value := range s.Env {
		for expression, is := range r.expressions {
			value = strings.ReplaceAll(value, "${{ "+expression+" }}", is)
		}
		if strings.Contains(value, "${{") {
			t.Fatalf("%s: the test does not know %s", s.Name, value)
		}
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", s.Name, err, out)
	}
}

// TestAction proves that action.yml has the form of a composite action, and that its steps download or build Kubarium and
// set KUBEBUILDER_ASSETS. Instead of Go a script writes the program.
func TestAction(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed")
	}
	text, err := os.ReadFile(filepath.Join(root, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.UnmarshalStrict(text, &a); err != nil {
		t.Fatal(err)
	}
	if a.Name == "" || a.Description == "" || a.Runs.Using != "composite" || a.Inputs["url"].Description == "" || a.Inputs["version"].Description == "" {
		t.Errorf("%+v", a)
	}
	for _, s := range a.Runs.Steps {
		if (s.Uses == "") == (s.Run == "") || s.Run != "" && s.Shell == "" || strings.Contains(s.Run, "${{") {
			t.Errorf("a step needs uses, or else run and shell, and takes expressions by env: %+v", s)
		}
	}
	if got := a.Outputs["assets"].Value; got != "${{ steps.envtest.outputs.assets }}" {
		t.Errorf("the output is %s", got)
	}

	served, address := mustServe(t)
	tools := t.TempDir()
	const script = "#!/bin/sh\n" + `[ "$1 $2" = "build -C" ] && tar -xzf "$ARCHIVE" -C "$8" kubarium` + "\n"
	if err := os.WriteFile(filepath.Join(tools, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ARCHIVE", match(t, served, "kubarium_*"+runtime.GOARCH+".tar.gz"))
	source, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ url, version string }{"folder": {address, ""}, "version": {address + "/all/", "v1.2.3"}, "build": {}} {
		t.Run(name, func(t *testing.T) {
			temp := t.TempDir()
			r := runner{map[string]string{"inputs.url": c.url, "inputs.version": c.version, "github.action_path": source, "runner.temp": temp},
				tools + ":" + os.Getenv("PATH"), t.TempDir()}
			for _, s := range a.Runs.Steps {
				r.run(t, s)
			}
			dir := filepath.Join(temp, "kubarium")
			for file, want := range map[string]string{"GITHUB_ENV": "KUBEBUILDER_ASSETS=" + dir + "/envtest\n", "GITHUB_OUTPUT": "assets=" + dir + "/envtest\n", "GITHUB_PATH": dir + "\n"} {
				if got, err := os.ReadFile(filepath.Join(r.files, file)); err != nil || string(got) != want {
					t.Errorf("%s is %q, %v; want %q", file, got, err, want)
				}
			}
			if _, err := os.Stat(filepath.Join(dir, "envtest")); err != nil {
				t.Error(err)
			}
		})
	}
}
