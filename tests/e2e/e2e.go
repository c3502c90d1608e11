// Package e2e has scripts that a stock kubectl plays against a whole Kubarium, without any configuration. A script is a
// readable text: commands, their output, and the files that they use.
//
//	# a comment
//	$ kubectl create namespace shop     a command for sh, which must succeed
//	> namespace/shop created            its output, both streams, has this text, after the last one found
//	~ error                             its output does not have this text
//	! kubectl get pod nope              a command that must fail
//	? kubectl get sa -n shop            a command that is repeated until it is as expected, 15 s at most
//	& kubectl get cm -w                 a command in the background, until the end of the script
//	+ ADDED                             the background command prints this, after the last text found
//	$[1.26] kubectl events              a command for kubectl 1.26 and newer
//	-- file.yaml --                     from here: files in the folder in which the script runs
package e2e

import (
	"fmt"
	"strconv"
	"strings"
)

// A Script is a list of steps and the files that they use.
type Script struct {
	Steps []Step
	Files map[string]string // content by name
}

// A Step is one command and its expected output.
type Step struct {
	Line    int  // in the script's file, from 1
	Mode    byte // '$' succeeds, '!' fails, '?' is tried again, '&' runs in the background, '+' waits for the background
	Since   int  // minor version of the oldest kubectl that has the command; 0 means all do
	Command string
	Want    []string // texts in the output, in order; for '+' of the background command
	Never   []string // texts that must not be in the output
}

// Parse reads a script. The error names the line.
func Parse(text string) (*Script, error) {
	s := &Script{Files: map[string]string{}}
	file := ""
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if name, ok := fileName(line); ok {
			file = name
			s.Files[file] = ""
			continue
		}
		if file != "" {
			s.Files[file] += line + "\n"
			continue
		}
		if err := s.add(i+1, line); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return s, nil
}

// fileName reads a line such as "-- file.yaml --".
func fileName(line string) (string, bool) {
	name, ok := strings.CutPrefix(line, "-- ")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(name, " --")
}

// add reads one line of the script's part with commands.
func (s *Script) add(number int, line string) error {
	if line == "" || line[0] == '#' {
		return nil
	}
	mode, rest := line[0], strings.TrimSpace(line[1:])
	switch mode {
	case '$', '!', '?', '&':
		step := Step{Line: number, Mode: mode, Command: rest}
		if since, command, ok := strings.Cut(rest, "] "); ok && strings.HasPrefix(since, "[1.") {
			minor, err := strconv.Atoi(since[len("[1."):])
			if err != nil {
				return err
			}
			step.Since, step.Command = minor, command
		}
		s.Steps = append(s.Steps, step)
		return nil
	case '+':
		s.Steps = append(s.Steps, Step{Line: number, Mode: mode, Want: []string{rest}})
		return nil
	}
	if len(s.Steps) == 0 {
		return fmt.Errorf("no command before %q", line)
	}
	last := &s.Steps[len(s.Steps)-1]
	switch mode {
	case '>':
		last.Want = append(last.Want, rest)
	case '~':
		last.Never = append(last.Never, rest)
	default:
		return fmt.Errorf("a line begins with one of $ ! ? & + > ~ #, not %q", mode)
	}
	return nil
}

// Check says what is wrong with the output of a step's command, "" if it is right. failed is whether the command
// failed.
func (s Step) Check(output string, failed bool) string {
	if failed != (s.Mode == '!') {
		return map[bool]string{true: "the command failed", false: "the command succeeded"}[failed]
	}
	rest := output
	for _, want := range s.Want {
		at := strings.Index(rest, want)
		if at < 0 {
			return fmt.Sprintf("the output has no %q where it should", want)
		}
		rest = rest[at+len(want):]
	}
	for _, never := range s.Never {
		if strings.Contains(output, never) {
			return fmt.Sprintf("the output has %q", never)
		}
	}
	return ""
}
