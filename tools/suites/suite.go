package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

//go:embed suites.yaml
var suitesYAML []byte

// A suite is what is run of a project.
type suite struct {
	Name       string            // that of the project
	Repository string            // OWNER/NAME on GitHub
	Commit     string            // 40 digits
	Folder     string            // of the module; "" for the repository's
	Prepare    string            // command in that folder before the tests are compiled, as the project's Makefile has it; "" for none
	Packages   []string          // as for go test
	Flags      []string          // of the test binaries
	Env        map[string]string // further variables, as the project's Makefile sets them
}

func readSuites() (all []suite, err error) {
	if err := yaml.UnmarshalStrict(suitesYAML, &all); err != nil {
		return nil, fmt.Errorf("suites.yaml: %w", err)
	}
	return all, nil
}

// checkout makes the folder of the project have its commit, and returns the folder of the module.
func (s suite) checkout(ctx context.Context, sources string) (string, error) {
	top := filepath.Join(sources, filepath.FromSlash(s.Repository))
	if _, err := os.Stat(top); os.IsNotExist(err) {
		if _, err := output(ctx, "", nil, "git", "clone", "--quiet", "--no-checkout", "https://github.com/"+s.Repository, top); err != nil {
			return "", err
		}
	}
	if head, err := output(ctx, top, nil, "git", "rev-parse", "HEAD"); err != nil || strings.TrimSpace(head) != s.Commit {
		if _, err := output(ctx, top, nil, "git", "checkout", "--quiet", "--force", "--detach", s.Commit); err != nil {
			return "", err
		}
	}
	return filepath.Join(top, filepath.FromSlash(s.Folder)), nil
}

// A binary is the compiled test of a package.
type binary struct {
	pkg    string // import path
	folder string // of the package, where it runs
	file   string
}

// compile prepares the module and makes the binaries of its packages in the folder out. A project that compiling
// changed is an error: the table says that it is unchanged.
func (s suite) compile(ctx context.Context, module, out string) ([]binary, error) {
	if s.Prepare != "" {
		if _, err := output(ctx, module, s.Env, "sh", "-ec", s.Prepare); err != nil {
			return nil, err
		}
	}
	list := append([]string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}"}, s.Packages...)
	text, err := output(ctx, module, s.Env, "go", list...)
	if err != nil {
		return nil, err
	}
	var all []binary
	for line := range strings.Lines(text) {
		pkg, folder, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		b := binary{pkg, folder, filepath.Join(out, strings.ReplaceAll(pkg, "/", "_")+".test")}
		if _, err := output(ctx, module, s.Env, "go", "test", "-vet=off", "-c", "-o", b.file, pkg); err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no tests in %s", strings.Join(s.Packages, " "))
	}
	changed, err := output(ctx, module, nil, "git", "status", "--porcelain", "--untracked-files=no")
	if err == nil && changed != "" {
		err = fmt.Errorf("preparing changed the project:\n%s", changed)
	}
	return all, err
}

// output runs a program in a folder and returns what it prints to stdout.
func output(ctx context.Context, folder string, env map[string]string, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = folder, environ(env)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s%s", program, strings.Join(args, " "), err, out.String(), errs.String())
	}
	return out.String(), nil
}

// environ is the process's environment with these variables.
func environ(env map[string]string) []string {
	all := os.Environ()
	for k, v := range env {
		all = append(all, k+"="+v)
	}
	return all
}
