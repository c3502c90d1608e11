package app_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kubarium/app"
)

// What is asked wrongly is one line and code 2, and nothing runs.
func TestExplore_usage(t *testing.T) {
	folder := t.TempDir()
	for _, known := range []string{"known", "known[1]"} {
		if err := os.MkdirAll(filepath.Join(folder, known, "finding-1"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for says, args := range map[string][]string{
		"say which command to run":         {},
		`unexpected argument "x"`:          {"x", "--", own},
		"put a command after --":           {own},
		`unknown kind "never"`:             {"--kinds", "never", "--", own},
		"--most must be":                   {"--most", "-1", "--", own},
		"must be 1 or more":                {"--repeat", "0", "--", own},
		"must be more than 0":              {"--quiet", "0s", "--", own},
		"--client:":                        {"--client", "nothing:1", "--", own},
		"the command: ":                    {"--", "no-such-command-of-anybody"},
		"--controller must be":             {"--controller", "'unclosed", "--", own},
		`"no such controller": executable`: {"--controller", "'no such controller' --now", "--", own},
		"has findings already":             {"--out", filepath.Join(folder, "known"), "--", own},
		"known[1] has findings already":    {"--out", filepath.Join(folder, "known[1]"), "--", own},
		"is not a folder":                  {"--out", file, "--", own},
		"--format xml: must be":            {"--format", "xml", "--", own},
		"is not the folder of a finding":   {"--replay", folder, "--", own},
		"--resume takes nothing else":      {"--resume", folder, "--", own},
		"has nothing to go on with":        {"--resume", folder},
		"unknown flag":                     {"--fault", "--", own},
	} {
		var out, errs bytes.Buffer
		code := app.Main(append([]string{"explore"}, args...), strings.NewReader(""), &out, &errs)
		if code != 2 || !strings.Contains(errs.String(), says) || strings.Count(errs.String(), "\n") != 1 || out.Len() > 0 {
			t.Errorf("%q: code %d, %s%s", args, code, out.String(), errs.String())
		}
	}
}

// A run whose controller ends by itself and cannot be started again proves nothing: it ends with the reason.
func TestExplore_controllerLost(t *testing.T) {
	folder := t.TempDir()
	controller := filepath.Join(folder, "controller")
	if err := os.WriteFile(controller, []byte("#!/bin/sh\nrm \"$0\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("sleep"); err != nil {
		t.Skip(err)
	}
	var out, errs bytes.Buffer
	code := app.Main([]string{"explore", "--quiet", "100ms", "--out", filepath.Join(folder, "findings"), "--controller", controller, "--", "sleep", "3"},
		strings.NewReader(""), &out, &errs)
	if code != 1 || !strings.Contains(errs.String(), "--controller was not started again: ") {
		t.Errorf("code %d, %s%s", code, out.String(), errs.String())
	}
}
