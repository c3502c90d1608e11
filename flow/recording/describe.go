package recording

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// A description collects the messages of the format.
type description struct {
	repeated bool // of the next field
	fields   []string
	messages []described
}

type described struct {
	name   string
	fields []string
}

func (c *coder) describe(n protowire.Number, typ, name string) {
	if c.mode != describing {
		return
	}
	if c.about.repeated {
		typ = "repeated " + typ
		c.about.repeated = false
	}
	c.about.fields = append(c.about.fields, fmt.Sprintf("%s %s = %d;", typ, name, n))
}

func describeMessage[T any](c *coder, n protowire.Number, name string, fields func(*coder, *T)) {
	typ := strings.Title(reflect.TypeFor[T]().Name()) //nolint // names of Go types are ASCII
	c.describe(n, typ, name)
	d := c.about
	if slices.ContainsFunc(d.messages, func(m described) bool { return m.name == typ }) {
		return
	}
	d.messages = append(d.messages, described{name: typ}) // before its fields, which may contain it
	at, outer := len(d.messages)-1, d.fields
	d.fields = nil
	fields(c, new(T))
	d.messages[at].fields, d.fields = d.fields, outer
}

// Describe writes the messages of the format in the language of Protocol Buffers.
func Describe(w io.Writer) error {
	c := &coder{mode: describing, about: &description{}}
	entry(c, &Entry{})
	var b strings.Builder
	fmt.Fprintf(&b, "// The records of a recording of Kubarium, format %d. docs/recording.md describes the file.\n",
		Format)
	b.WriteString("// Texts need not be UTF-8, so they are bytes. A number with \"word\" is a word in the table.\n")
	b.WriteString("syntax = \"proto3\";\n\npackage kubarium.recording;\n")
	all := append([]described{{"Entry", c.about.fields}}, c.about.messages...)
	for _, m := range all {
		fmt.Fprintf(&b, "\nmessage %s {\n", m.name)
		for _, f := range m.fields {
			fmt.Fprintf(&b, "  %s\n", f)
		}
		b.WriteString("}\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
