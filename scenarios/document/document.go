// Package document reads a YAML file that contains exactly one document of a known form. Its errors say file and line, and
// suggest the word that was meant for one that is unknown.
package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxSize bounds a file, in bytes.
const maxSize = 1 << 20

// Read decodes the text of a file into a pointer to a struct. file and what, as "lesson", are for errors, which say the line:
// "lessons/x.yaml:12: unknown field …".
func Read(file string, text []byte, what string, into any) error {
	if len(text) > maxSize {
		return fmt.Errorf("%s: larger than %d bytes", file, maxSize)
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil {
		return decodeError(file, err, into)
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: a file must contain exactly one %s", file, what)
	}
	return nil
}

var (
	unknownField = regexp.MustCompile(`^line (\d+): field (\S+) not found in type .*$`)
	atLine       = regexp.MustCompile(`^(?:yaml: )?line (\d+): (?s:(.*))$`)
)

// decodeError puts the first error of the YAML reader into the form file:line: message.
func decodeError(file string, err error, into any) error {
	message := err.Error()
	var types *yaml.TypeError
	if errors.As(err, &types) {
		message = types.Errors[0]
	}
	if m := unknownField.FindStringSubmatch(message); m != nil {
		return fmt.Errorf("%s:%s: unknown field %q%s", file, m[1], m[2], Meant(m[2], Keys(into)))
	}
	if m := atLine.FindStringSubmatch(message); m != nil {
		return fmt.Errorf("%s:%s: %s", file, m[1], m[2])
	}
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: the file is empty", file)
	}
	return fmt.Errorf("%s: %s", file, strings.TrimPrefix(message, "yaml: "))
}

// Keys returns the YAML keys of a struct, or of what a pointer to one points to, and of all structs in it, in order.
func Keys(of any) []string { return keys(reflect.TypeOf(of), map[reflect.Type]bool{}) }

func keys(t reflect.Type, seen map[reflect.Type]bool) []string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return nil
	}
	seen[t] = true
	var out []string
	for i := range t.NumField() {
		f := t.Field(i)
		if key := f.Tag.Get("yaml"); key != "" && key != "-" {
			out = append(append(out, key), keys(f.Type, seen)...)
		}
	}
	return out
}

// StepLines returns the line of each step: of each item in the list at the key steps. nil if there is no such list.
func StepLines(text []byte) []int {
	var doc yaml.Node
	if yaml.Unmarshal(text, &doc) != nil || len(doc.Content) == 0 {
		return nil
	}
	top := doc.Content[0]
	for i := 0; i+1 < len(top.Content); i += 2 {
		if top.Content[i].Value != "steps" {
			continue
		}
		var lines []int
		for _, step := range top.Content[i+1].Content {
			lines = append(lines, step.Line)
		}
		return lines
	}
	return nil
}
