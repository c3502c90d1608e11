package page

import (
	"bytes"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"kubarium/flow"
	"kubarium/flow/bodies"
	"kubarium/flow/object"
)

// cannotEdit says why the body of a request cannot be edited, "" if it can.
func cannotEdit(f *flow.Flow) string {
	switch {
	case len(f.RequestBody.Kept) == 0:
		return "it has no body"
	case bodies.JSON(f.RequestBody) == nil:
		return "its body is neither JSON, YAML, Protobuf nor CBOR that can be read"
	}
	return ""
}

// editReplay opens the editor on the body of a replay as YAML, whatever it was sent in, and then offers to send it.
func (e *Env) editReplay(f *flow.Flow, r *replay) {
	text, err := yaml.JSONToYAML(bodies.JSON(f.RequestBody))
	if err != nil {
		e.Say("replay of #%d: %s", f.Seq, err)
		return
	}
	e.openReplay(f, r, text, text, "")
}

// openReplay opens the editor on a text. A text that is saved as it was, or empty, is not sent.
func (e *Env) openReplay(f *flow.Flow, r *replay, from, text []byte, problem string) {
	head := fmt.Sprintf("# The body of #%d, %s %s. Saving offers to send it; an unchanged or empty file is not sent.\n", f.Seq, f.Method, object.OneLine(f.Path))
	if problem != "" {
		head += "# ✗ " + problem + "\n"
	}
	e.Do(Edit{Name: fmt.Sprintf("request-%d.yaml", f.Seq), Text: append([]byte(head), text...), Done: func(saved []byte, err error) {
		body := bytes.TrimSpace(withoutHead(saved))
		switch {
		case err != nil:
			e.Say("nothing was sent: %s", err)
		case len(body) == 0:
			e.Say("replay of #%d: cancelled, the file was saved empty", f.Seq)
		case bytes.Equal(body, bytes.TrimSpace(from)):
			e.Say("replay of #%d: cancelled, the file was saved unchanged%s", f.Seq, after(problem))
		default:
			e.sendEdited(f, r, append(body, '\n'))
		}
	}})
}

func after(problem string) string {
	if problem == "" {
		return ""
	}
	return "; " + problem
}

// withoutHead is a text without its lines that begin with #.
func withoutHead(text []byte) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		if line[0] != '#' {
			out = append(out, line...)
		}
	}
	return out
}

// sendEdited sends a replay with the body that was written, in the form of the request that it repeats: YAML stays
// YAML, all else is JSON.
func (e *Env) sendEdited(f *flow.Flow, r *replay, body []byte) {
	text, err := yaml.YAMLToJSONStrict(body)
	if err != nil {
		e.openReplay(f, r, body, body, strings.TrimPrefix(object.OneLine(err.Error()), "error converting YAML to JSON: "))
		return
	}
	media := r.header.Get("Content-Type")
	switch {
	case strings.Contains(media, "yaml"):
		text = body
	case strings.Contains(media, "apply-patch"):
		media = "application/apply-patch+yaml"
	case !strings.Contains(media, "json"):
		media = "application/json"
	}
	r.header.Set("Content-Type", media)
	r.body = text
	e.replay(f, r, "with an edited body")
}
