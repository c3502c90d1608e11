package trials

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"kubarium/app/cli"
	"kubarium/app/record"
	"kubarium/app/remedy"
	"kubarium/app/version"
)

// write writes the folder of a finding.
func (x *Exploration) write(f *finding, base *ran) error {
	if err := os.MkdirAll(f.folder, 0o755); err != nil {
		return remedy.Add(err, "say --out DIR for one that can be written")
	}
	fault, err := json.MarshalIndent(f.fault, "", "  ")
	if err != nil {
		return err
	}
	command := x.commandLine(f)
	for name, text := range map[string]string{
		faultFile: string(fault) + "\n", storyFile: x.story(f, command), rulesFile: x.rulesText(f),
		commandFile: "#!/bin/sh\n# Repeats the finding.\n" + command + "\n",
	} {
		mode := fs.FileMode(0o644)
		if name == commandFile {
			mode = 0o755
		}
		if err := os.WriteFile(filepath.Join(f.folder, name), []byte(text), mode); err != nil {
			return err
		}
	}
	if err := keep(base, f.folder, Base); err != nil {
		return err
	}
	return keep(f.run, f.folder, Faulty)
}

// The names of the recordings in the folder of a finding, without their extension.
const (
	Base   = "base"   // of the run without the fault
	Faulty = "faulty" // of the one with it
)

// Story is what a finding is, in words, from its folder. Errors: of the file that has it.
func Story(folder string) (string, error) {
	text, err := os.ReadFile(filepath.Join(folder, storyFile))
	return string(text), err
}

// keep copies the recordings of a run and what it printed.
func keep(r *ran, folder, name string) error {
	files, err := r.recordings()
	if err != nil {
		return err
	}
	for i, file := range files {
		to := name
		if i > 0 {
			to = fmt.Sprintf("%s-server-%d", name, i+1)
		}
		if err := copyFile(file, filepath.Join(folder, to+record.Extension)); err != nil {
			return err
		}
	}
	for _, file := range []string{commandOutput, controllerFile} {
		err := copyFile(filepath.Join(r.folder, file), filepath.Join(folder, name+"-"+file))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}

// rulesText is the file of rules of a finding, as they were in force.
func (x *Exploration) rulesText(f *finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\nseed %d\n", f.fault.What, max(1, x.Seed))
	switch {
	case f.fault.Away:
		b.WriteString("# While the rule holds the request the controller is killed; it starts again after the request.\n")
	case f.fault.Kill:
		b.WriteString("# While the rule holds the request the controller is killed, and started again.\n")
	case f.fault.Restart != nil && f.fault.Restart.Bare:
		b.WriteString("# There is no rule: the controller is killed, and started again.\n")
	case f.fault.Restart != nil:
		b.WriteString("# The rule is added when the client starts again; the version is that of the recorded run.\n")
	}
	for _, line := range f.run.Rules {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// commandLine is the command that repeats a finding.
func (x *Exploration) commandLine(f *finding) string {
	words := []string{"kubarium", "explore", "--replay", f.folder}
	if x.Controlled != "" {
		words = append(words, "--controller", x.Controlled)
	}
	if x.Setup != "" {
		words = append(words, "--setup", x.Setup)
	}
	if x.Client != "" {
		words = append(words, "--client", x.Client)
	}
	words = append(words, "--quiet", x.Quiet.String(), "--timeout", x.Timeout.String(), "--")
	words = append(words, x.words...)
	for i := range words {
		words[i] = cli.Quote(words[i])
	}
	return strings.Join(words, " ")
}

// story describes what happened, in sentences.
func (x *Exploration) story(f *finding, command string) string {
	var b strings.Builder
	line := func(format string, values ...any) { fmt.Fprintf(&b, format+"\n", values...) }
	line("%s: %s", f.fault.About(), stability(f))
	line("")
	line("%s", f.story)
	line("")
	line("All that differs at the end from runs without the fault:")
	for _, p := range f.outcome.Points() {
		line("- %s", p)
	}
	if len(f.also) > 0 {
		line("")
		line("The same differs with:")
		for _, what := range f.also {
			line("- %s", what)
		}
	}
	line("")
	line("To repeat it:")
	line("  %s", command)
	line("")
	line("Files: %s has the rules as they were in force, %s the fault for --replay, base%s and faulty%s the recorded", rulesFile, faultFile, record.Extension, record.Extension)
	line("runs, for \"kubarium open\" and \"kubarium diff\". The rest is what the command and the controller printed.")
	line("Made by %s on %s.", version.String(), runtime.GOOS)
	return b.String()
}
