package compare

import (
	"regexp"
	"strings"
	"time"

	"kubarium/flow/object"
	"kubarium/flow/redact"
)

// changing are fields that are different in each run: what the server gives out, and what test environments make again
// each time.
var changing = map[string]bool{
	"resourceVersion": true, "uid": true, "creationTimestamp": true, "deletionTimestamp": true,
	"managedFields": true, "continue": true, "caBundle": true,
}

// ofNoMatter reports whether a field of an object does not count: one that changes, or the value of an operation of a
// JSON Patch on such a field.
func ofNoMatter(object map[string]any, field string) bool {
	if changing[field] {
		return true
	}
	path, _ := object["path"].(string)
	return field == "value" && path != "" && changing[path[strings.LastIndexByte(path, '/')+1:]]
}

// nested is the object that a string says, as annotations do: kubectl's last-applied-configuration.
func nested(s string) any {
	if len(s) < 2 || s[0] != '{' {
		return nil
	}
	m, _ := object.Parse([]byte(s)).(map[string]any)
	if m == nil {
		return nil
	}
	return m
}

// A reader reads the requests of a run into numbers that can be compared with those of the other run.
type reader struct {
	known map[string]bool // names of the left run
	to    *names          // how names are written; nil for the left run
}

// plain is a value as it is compared: without what does not count.
func (rd reader) plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for field, inner := range v {
			if !ofNoMatter(v, field) {
				out[rd.text(field)] = rd.plain(inner)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = rd.plain(inner)
		}
		return out
	case string:
		if inner := nested(v); inner != nil {
			return rd.plain(inner)
		}
		return rd.text(v)
	}
	return v
}

// local is an address of the loopback interface, whose port is another one in each run.
var local = regexp.MustCompile(`(127\.0\.0\.1|localhost|\[::1\]):\d+`)

// text is a text without what is different in each run.
func (rd reader) text(s string) string {
	if len(s) < 5 { // too short for anything that differs
		return s
	}
	if isTime(s) {
		return "(a time)"
	}
	if strings.HasPrefix(s, redact.Hidden) {
		return redact.Hidden
	}
	if strings.Contains(s, "127.0.0.1:") || strings.Contains(s, "localhost:") || strings.Contains(s, "[::1]:") {
		s = local.ReplaceAllString(s, "$1:*")
	}
	if len(s) >= 36 && strings.Count(s, "-") >= 4 {
		s = uuid.ReplaceAllString(s, "(a uid)")
	}
	return rd.words(s)
}

func isTime(s string) bool {
	if len(s) < len("2006-01-02T15:04:05Z") || s[4] != '-' || s[10] != 'T' {
		return false
	}
	_, err := time.Parse(time.RFC3339Nano, s)
	return err == nil
}

// words writes each word of a text as the left run has it.
func (rd reader) words(s string) string {
	var b strings.Builder
	from := 0 // what is before it is in b, once anything is
	for i := 0; i < len(s); {
		if !isWord(s[i]) {
			i++
			continue
		}
		end := i
		for end < len(s) && isWord(s[end]) {
			end++
		}
		if word := s[i:end]; len(word) >= 5 {
			if other := rd.word(word); other != word {
				b.WriteString(s[from:i])
				b.WriteString(other)
				from = end
			}
		}
		i = end
	}
	if from == 0 {
		return s
	}
	b.WriteString(s[from:])
	return b.String()
}

func isWord(c byte) bool {
	return c == '-' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// word is a name as the left run has it. The generated suffix of a thing that no request is about, such as a volume,
// does not count.
func (rd reader) word(w string) string {
	w = rd.to.of(w)
	if rd.known[w] {
		return w
	}
	if stem, ok := generated(w); ok {
		return stem + "-*"
	}
	return w
}
