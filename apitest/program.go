package apitest

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// Program returns the path of the program kubarium, for tests that start it themselves.
func Program(t testing.TB) string {
	t.Helper()
	program, err := findProgram()
	if err != nil {
		t.Fatalf("apitest: %v", err)
	}
	return program
}

// Assets returns a folder with Kubarium in place of etcd and kube-apiserver, for envtest's BinaryAssetsDirectory or the
// variable KUBEBUILDER_ASSETS.
func Assets(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command(Program(t), "envtest", "--dir", dir).CombinedOutput(); err != nil {
		t.Fatalf("apitest: kubarium envtest: %v: %s", err, out)
	}
	return dir
}

// findProgram finds kubarium: by the variable, on PATH, or as a tool, which go builds.
func findProgram() (string, error) {
	if program := os.Getenv("KUBARIUM"); program != "" {
		return program, nil
	}
	if program, err := exec.LookPath("kubarium"); err == nil {
		return program, nil
	}
	return buildTool()
}

// toolFiles are where a tool of the tested module can be, next to its go.mod, so that the tool's requirements are not the
// module's: in a file for -modfile, or in a module of its own, which go also takes if it has to get a later Go first, or
// if the tested module has a folder vendor.
var toolFiles = []string{"kubarium.mod", filepath.Join("kubarium", "go.mod")}

// buildTool returns the path of the tool kubarium of the tested module, after go has built it.
func buildTool() (string, error) {
	file, args := "go.mod", []string{"tool", "-n", "kubarium"}
	mod, _ := exec.Command("go", "env", "GOMOD").Output()
	for _, name := range toolFiles {
		at := filepath.Join(filepath.Dir(strings.TrimSpace(string(mod))), name)
		if _, err := os.Stat(at); err != nil {
			continue
		}
		if file = name; filepath.Base(name) == "go.mod" {
			args = []string{"-C", filepath.Dir(at), "tool", "-n", "kubarium"}
		} else {
			args = []string{"tool", "-modfile=" + at, "-n", "kubarium"}
		}
		break
	}
	cmd := exec.Command("go", args...)
	if file != "go.mod" {
		cmd.Env = append(os.Environ(), "GOWORK=off")
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		why := strings.TrimSpace(downloads.ReplaceAllString(said.String(), ""))
		return "", fmt.Errorf("there is no kubarium: say where in the variable KUBARIUM, put it on PATH, or make it a tool "+
			"of your module in kubarium.mod: go get -tool -modfile=kubarium.mod %s@latest (%s: %s)",
			path.Dir(reflect.TypeFor[Server]().PkgPath()), file, cmp.Or(strings.ReplaceAll(why, "\n", "; "), err.Error()))
	}
	return strings.TrimSpace(string(out)), nil
}

// downloads are the lines of go that are no error.
var downloads = regexp.MustCompile(`(?m)^go: downloading .*\n?`)
