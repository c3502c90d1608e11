package codecs

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v2"
)

// A plainWriter writes what a plainReader has read as YAML, with the bytes of YAML's encoder, in a small part of the time
// and of the memory. It knows ASCII text, which is nearly all there is; of all else it says so.
type plainWriter struct {
	dst  []byte
	line int // where in dst the line begins
}

const (
	// yamlIndent is by how much each level is indented, and yamlWidth is the column after which text is folded.
	yamlIndent = 2
	yamlWidth  = 80
	// longestSimpleKey is the most bytes of a key on one line with its value.
	longestSimpleKey = 128
)

// appendPlain appends a mapping or a sequence; false means that it is not plain.
func appendPlain(dst []byte, v any) ([]byte, bool) {
	w := &plainWriter{dst: dst, line: len(dst)}
	switch v := v.(type) {
	case yaml.MapSlice:
		return w.dst, len(v) > 0 && w.mapping(v, 0) && len(w.dst) > len(dst)
	case []any:
		return w.dst, len(v) > 0 && w.sequence(v, 0) && len(w.dst) > len(dst)
	}
	return dst, false
}

// mapping writes the members of a mapping; the line has been indented for the first one.
func (w *plainWriter) mapping(members yaml.MapSlice, indent int) bool {
	for i, m := range members {
		if i > 0 {
			w.indent(indent)
		}
		key := m.Key.(string)
		if len(key) > longestSimpleKey || !w.text(key, indent, true) {
			return false
		}
		w.dst = append(w.dst, ':')
		if !w.member(m.Value, indent) {
			return false
		}
	}
	return true
}

// member writes the value of a member: a mapping below it and further in, a sequence below it.
func (w *plainWriter) member(v any, indent int) bool {
	switch v := v.(type) {
	case yaml.MapSlice:
		if len(v) > 0 {
			w.newLine()
			w.indent(indent + yamlIndent)
			return w.mapping(v, indent+yamlIndent)
		}
	case []any:
		if len(v) > 0 {
			w.newLine()
			w.indent(indent)
			return w.sequence(v, indent)
		}
	}
	w.dst = append(w.dst, ' ')
	return w.scalar(v, indent)
}

// sequence writes the items of a sequence; the line has been indented for the first one.
func (w *plainWriter) sequence(items []any, indent int) bool {
	for i, v := range items {
		if i > 0 {
			w.indent(indent)
		}
		w.dst = append(w.dst, '-', ' ')
		if !w.item(v, indent) {
			return false
		}
	}
	return true
}

// item writes an item of a sequence, whose first line is that of the dash.
func (w *plainWriter) item(v any, indent int) bool {
	switch v := v.(type) {
	case yaml.MapSlice:
		if len(v) > 0 {
			return w.mapping(v, indent+yamlIndent)
		}
	case []any:
		if len(v) > 0 {
			return w.sequence(v, indent+yamlIndent)
		}
	}
	return w.scalar(v, indent)
}

// scalar writes a value at the end of a line.
func (w *plainWriter) scalar(v any, indent int) bool {
	switch v := v.(type) {
	case string:
		if !w.text(v, indent, false) {
			return false
		}
	case int:
		w.dst = strconv.AppendInt(w.dst, int64(v), 10)
	case bool:
		w.dst = strconv.AppendBool(w.dst, v)
	case nil:
		w.dst = append(w.dst, "null"...)
	case yaml.MapSlice:
		w.dst = append(w.dst, "{}"...)
	case []any:
		w.dst = append(w.dst, "[]"...)
	}
	if w.dst[len(w.dst)-1] != '\n' {
		w.newLine()
	}
	return true
}

// text writes a string in the plainest style that gives it back, as a value or as a key.
func (w *plainWriter) text(s string, indent int, key bool) bool {
	for i := range len(s) {
		if c := s[i]; c != '\n' && (c < ' ' || '~' < c) {
			return false
		}
	}
	switch {
	case strings.Contains(s, "\n"):
		return !key && w.literal(s, indent+yamlIndent)
	case !readsAsText(s):
		w.dst = append(append(append(w.dst, '"'), s...), '"')
		return !strings.Contains(s, " ") // a folded one has rules of its own
	case s[0] == ' ' || s[len(s)-1] == ' ':
		return false
	case isPlain(s):
		w.folded(s, indent+yamlIndent, !key)
		return true
	}
	w.dst = append(w.dst, '\'')
	w.folded(strings.ReplaceAll(s, "'", "''"), indent+yamlIndent, !key)
	w.dst = append(w.dst, '\'')
	return true
}

// folded writes a text that goes on in the next line, if it may, from the first single space on that is far to the right.
func (w *plainWriter) folded(s string, indent int, may bool) {
	if !may || len(w.dst)-w.line+len(s) <= yamlWidth {
		w.dst = append(w.dst, s...)
		return
	}
	for i := range len(s) {
		if s[i] == ' ' && s[i-1] != ' ' && s[i+1] != ' ' && len(w.dst)-w.line > yamlWidth {
			w.newLine()
			w.indent(indent)
			continue
		}
		w.dst = append(w.dst, s[i])
	}
}

// literal writes a text of several lines line by line.
func (w *plainWriter) literal(s string, indent int) bool {
	body, ended := strings.CutSuffix(s, "\n")
	if body == "" || body[0] == ' ' || body[0] == '\n' || body[len(body)-1] == '\n' || strings.HasSuffix(s, " ") || strings.Contains(s, " \n") {
		return false
	}
	w.dst = append(w.dst, '|')
	if !ended {
		w.dst = append(w.dst, '-')
	}
	w.newLine()
	for line := range strings.Lines(s) {
		if line != "\n" {
			w.indent(indent)
		}
		w.dst = append(w.dst, line...)
		w.line = len(w.dst)
	}
	return true
}

func (w *plainWriter) newLine() {
	w.dst = append(w.dst, '\n')
	w.line = len(w.dst)
}

func (w *plainWriter) indent(columns int) {
	for range columns {
		w.dst = append(w.dst, ' ')
	}
}
