package main

import "testing"

var renamed = names{to: "example.org/kubarium", packages: map[string]bool{"apitest": true, "app/version": true, "flow": true}}

// What names a package is renamed, and nothing else.
func TestNames_InText(t *testing.T) {
	for text, want := range map[string]string{
		`import "kubarium/apitest"`:                                       `import "example.org/kubarium/apitest"`,
		"-X kubarium/app/version.release=v1 kubarium/flow kubarium/flow.": "-X example.org/kubarium/app/version.release=v1 example.org/kubarium/flow example.org/kubarium/flow.",
		"kubarium/flow": "example.org/kubarium/flow",
		"the keys /kubarium/flow and kubarium/objects, OWNER/kubarium/flow, run.kubarium/flow, kubarium/flows": "the keys /kubarium/flow and kubarium/objects, OWNER/kubarium/flow, run.kubarium/flow, kubarium/flows",
		"kubarium apitest": "kubarium apitest",
	} {
		if got := renamed.inText(text); got != want {
			t.Errorf("%q\n%q, want\n%q", text, got, want)
		}
	}
}

// In Go it is imports, strings, comments, and the package of a go command; imports are sorted again.
func TestNames_InGo(t *testing.T) {
	const before = `// Package a is like kubarium/flow.
package a

import (
	"kubarium"
	named "kubarium/apitest"
	"example.com/other"
	"example.org/z"
	"kubariumx/flow"
)

func f() {
	exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(dir, "kubarium"), "kubarium")
	exec.Command("go", "tool", "-n", "kubarium")
	exec.Command("kubarium", "-ldflags", ` + "`-X kubarium/app/version.release=x`" + `, "kubarium/flow/none") // of kubarium/flow
}
`
	const want = `// Package a is like example.org/kubarium/flow.
package a

import (
	"example.com/other"
	"example.org/kubarium"
	named "example.org/kubarium/apitest"
	"example.org/z"
	"kubariumx/flow"
)

func f() {
	exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(dir, "kubarium"), "example.org/kubarium")
	exec.Command("go", "tool", "-n", "kubarium")
	exec.Command("kubarium", "-ldflags", ` + "`-X example.org/kubarium/app/version.release=x`" + `, "kubarium/flow/none") // of example.org/kubarium/flow
}
`
	got, err := renamed.inGo([]byte(before))
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
	if _, err := renamed.inGo([]byte("package")); err == nil {
		t.Error("a file that is not Go is copied")
	}
	const other = "package a\nvar  x = 1 // as it is\n"
	if got, err := renamed.inGo([]byte(other)); err != nil || string(got) != other {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestNames_InMod(t *testing.T) {
	const before = `module kubarium/apitest/example

go 1.26.0

tool kubarium

require (
	example.com/other v1.0.0
	kubarium v0.0.0 // indirect
	kubarium/apitest v0.0.0
)

replace (
	kubarium => ../..
	kubarium/apitest => ..
	example.com/other => example.com/fork v1.0.1
)
`
	const want = `module example.org/kubarium/apitest/example

go 1.26.0

tool example.org/kubarium

require (
	example.com/other v1.0.0
	example.org/kubarium v0.0.0 // indirect
	example.org/kubarium/apitest v0.0.0
)

replace (
	example.com/other => example.com/fork v1.0.1
	example.org/kubarium => ../..
	example.org/kubarium/apitest => ..
)
`
	got, err := renamed.inMod("go.mod", []byte(before))
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
	if _, err := renamed.inMod("go.mod", []byte("modul x")); err == nil {
		t.Error("a file that is not a go.mod is copied")
	}
}
