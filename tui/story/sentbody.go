package story

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"kubarium/flow"
	"kubarium/flow/bodies"
	"kubarium/flow/redact"
)

// A sentBody is a request's body in a form for commands.
type sentBody struct {
	text    string // "" if there is none
	json    []byte // text or binary as JSON; nil if it is not an object
	binary  []byte // instead of text
	missing string // why the body is missing
	changed bool   // whether text is JSON though the body was not sent as JSON
	notes   []string
}

const (
	noteMasked           = mask + " stands for a secret: fill it in before you run this, or copy with :unmask"
	noteMaskedCredential = mask + " stands for a credential: fill it in before you run this, or copy with :unmask"
	noteStored           = "only the first of the body's %d bytes were kept: this is the object as it was stored"
)

// bodyOf returns the body of a request, with secrets masked unless the options say otherwise.
func bodyOf(f *flow.Flow, options []Option) *sentBody {
	sent := f.RequestBody
	b := &sentBody{json: bodies.JSON(sent)}
	switch {
	case sent.Cut:
		b.restore(f)
	case b.json != nil && !bodies.IsText(sent.Kept):
		b.text, b.changed = string(b.json), true
	case !bodies.IsText(sent.Kept) || strings.ContainsFunc(string(sent.Kept), isControl):
		if b.binary = sent.Kept; b.json != nil {
			b.text, b.binary, b.changed = string(b.json), nil, true
		}
	default:
		b.text = string(sent.Kept)
	}
	switch {
	case isUnmasked(options) || b.empty():
	case redact.ReadsOthers(f):
		b.withhold()
	case holdsSecrets(f):
		b.mask(redact.Keys(f))
	}
	return b
}

// isControl reports whether a terminal would interpret a character of pasted text.
func isControl(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f }

// restore makes the body of a whole object from the stored object.
func (b *sentBody) restore(f *flow.Flow) {
	b.missing = fmt.Sprintf("only the first of the body's %d bytes were kept", f.RequestBody.Total)
	if f.Target.Verb != "create" && f.Target.Verb != "update" || f.Target.Subresource != "" || len(f.Effects) != 1 {
		return
	}
	var o map[string]json.RawMessage
	var meta map[string]json.RawMessage
	if json.Unmarshal(f.Effects[0].After, &o) != nil || json.Unmarshal(o["metadata"], &meta) != nil {
		return
	}
	for _, name := range []string{"managedFields", "creationTimestamp", "generation", "uid", "resourceVersion",
		"selfLink"} {
		delete(meta, name)
	}
	if f.SentRevision > 0 && f.Target.Verb == "update" {
		meta["resourceVersion"] = fmt.Appendf(nil, `"%d"`, f.SentRevision)
	}
	delete(o, "status")
	o["metadata"] = encode(meta)
	b.json = encode(o)
	b.text, b.missing, b.changed = string(b.json), "", true
	b.note(fmt.Sprintf(noteStored, f.RequestBody.Total))
}

func (b *sentBody) mask(keys []string) {
	text, ok := redact.With(mask, b.json, keys)
	masked := string(text)
	switch {
	case b.missing != "":
	case !ok:
		b.withhold()
	case strings.Contains(masked, mask):
		b.changed = b.changed || !json.Valid([]byte(b.text))
		b.text, b.json, b.binary = masked, []byte(masked), nil
		b.note(noteMasked)
	}
}

// withhold hides the body.
func (b *sentBody) withhold() {
	b.missing, b.text, b.binary = "the body may hold secrets and cannot be masked", "", nil
}

func (b *sentBody) note(text string) {
	if !slices.Contains(b.notes, text) {
		b.notes = append(b.notes, text)
	}
}

func (b *sentBody) empty() bool { return b.text == "" && b.binary == nil && b.missing == "" }

// asJSON converts other text into JSON.
func (b *sentBody) asJSON() {
	if b.missing == "" && b.json != nil && !json.Valid([]byte(b.text)) {
		b.text, b.binary, b.changed = string(b.json), nil, true
	}
}

// isJSON reports whether a server can read it without a Content-Type.
func (b *sentBody) isJSON() bool {
	return b.binary == nil && (b.text == "" || json.Valid([]byte(b.text)))
}

// name adds the apiVersion and the kind that kubectl needs to an object sent without them. It reports whether the
// object has them.
func (b *sentBody) name(f *flow.Flow) bool {
	sent, answered := typeOf(b.json), typeOf(bodies.JSON(f.ResponseBody))
	if sent.Kind != "" && sent.APIVersion != "" {
		return b.binary == nil
	}
	if len(f.Effects) == 1 {
		answered = typeOf(f.Effects[0].After)
	}
	var o map[string]json.RawMessage
	if answered.Kind == "" || answered.Kind == "Status" || json.Unmarshal(b.json, &o) != nil {
		return false
	}
	o["apiVersion"], o["kind"] = encode(f.Target.APIVersion()), encode(answered.Kind)
	b.json = encode(o)
	b.text, b.binary, b.changed = string(b.json), nil, true
	return true
}

// A typed is the type of an object.
type typed struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

func typeOf(object []byte) (t typed) {
	if json.Unmarshal(object, &t) != nil {
		return typed{}
	}
	return t
}

// encode encodes decoded JSON again.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return nil
	}
	return bytes.TrimSpace(b.Bytes())
}

// comments are the lines before a command.
func (b *sentBody) comments() string {
	var out strings.Builder
	for _, n := range b.notes {
		out.WriteString("# " + n + "\n")
	}
	return out.String()
}

// bodyFile is the file from which a command reads a body that is not recorded.
const bodyFile = "body.json"

// longLine is the longest line to paste; terminals that edit lines themselves cut at 4,095 bytes.
const longLine = 2000

// feed passes the body to a command that reads standard input.
func (b *sentBody) feed(command string) string {
	switch {
	case b.missing != "":
		b.note(b.missing + ": put all of it into the file " + bodyFile + " before you run this")
		for _, stdin := range []string{" --data-binary @-", " --patch-file=/dev/stdin", " -f -"} {
			if i := strings.LastIndex(command, stdin); i >= 0 {
				names := strings.NewReplacer("@-", "@"+bodyFile, "/dev/stdin", bodyFile, "-f -", "-f "+bodyFile)
				command = command[:i] + names.Replace(stdin) + command[i+len(stdin):]
				break
			}
		}
		return b.comments() + command
	case b.binary != nil:
		coded := wrapped(base64.StdEncoding.EncodeToString(b.binary))
		return b.comments() + "base64 -d <<'EOF' | " + command + "\n" + coded + "\nEOF"
	case b.text == "":
		return b.comments() + command + " </dev/null"
	}
	text := strings.TrimSuffix(b.text, "\n")
	if len(text) > longLine && json.Valid([]byte(text)) {
		var out bytes.Buffer
		if json.Indent(&out, []byte(text), "", " ") == nil {
			text = out.String()
		}
	}
	end := "EOF"
	for strings.Contains("\n"+text+"\n", "\n"+end+"\n") {
		end += "_"
	}
	return b.comments() + command + " <<'" + end + "'\n" + text + "\n" + end
}

// wrapped breaks base64 into lines.
func wrapped(s string) string {
	var lines []string
	for chunk := range slices.Chunk([]byte(s), 76) {
		lines = append(lines, string(chunk))
	}
	return strings.Join(lines, "\n")
}
