package compare

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"kubarium/flow"
	"kubarium/flow/object"
	"kubarium/flow/redact"
)

// Why says in a sentence without a full stop how the runs differ at a row that is not the same in both.
func (c *Comparison) Why(at int) string {
	r := &c.Rows[at]
	switch {
	case r.Kind == Different && r.Left.Status == r.Right.Status && r.Left.Reason == r.Right.Reason:
		return fmt.Sprintf("the %s was %s", Request(r.Left), r.Differs)
	case r.Kind == Different:
		return otherAnswer(r)
	}
	f, in, other := r.Left, "first", "second"
	if r.Kind == OnlyRight {
		f, in, other = r.Right, "second", "first"
	}
	text := fmt.Sprintf("only the %s run has the %s by %s, which %s%s", in, Request(f), r.Client, met(f), because(f))
	switch next := c.following(at, r.Kind); {
	case next == nil && !c.has(r.Client, r.Kind):
		text += fmt.Sprintf("; there is no %s in the %s run", r.Client, other)
	case next == nil:
		text += fmt.Sprintf("; in the %s run %s asks for nothing more", other, r.Client)
	default:
		text += fmt.Sprintf("; in the %s run %s goes on with the %s", other, r.Client, Request(next))
	}
	return text
}

// otherAnswer begins with the run in which the request failed.
func otherAnswer(r *Row) string {
	bad, in, good, other := r.Right, "second", r.Left, "first"
	if failed(r.Left) && !failed(r.Right) {
		bad, in, good, other = r.Left, "first", r.Right, "second"
	}
	return fmt.Sprintf("in the %s run the %s %s%s; in the %s run the same request %s",
		in, Request(bad), met(bad), because(bad), other, met(good))
}

// met says how a request ended.
func met(f *flow.Flow) string {
	switch {
	case f.Status == 0:
		return "got no answer"
	case failed(f):
		return "met " + Answer(f)
	}
	return "was answered " + Answer(f)
}

// because is what the server said of an error.
func because(f *flow.Flow) string {
	if c := f.Conflict; c != nil && c.Kind == flow.StaleRevision {
		return fmt.Sprintf(": resourceVersion %d was stored, %d sent", c.Stored, c.Sent)
	}
	if text := strings.TrimRight(object.OneLine(redact.Message(f)), ". "); failed(f) && text != "" {
		return ": " + short(text, 200)
	}
	return ""
}

// following is the next request of the row's client in the run that does not have the row's; nil if there is none.
func (c *Comparison) following(at int, only Kind) *flow.Flow {
	for i := at + 1; i < len(c.Rows); i++ {
		r := &c.Rows[i]
		other := r.Right
		if only == OnlyRight {
			other = r.Left
		}
		if r.Client == c.Rows[at].Client && other != nil && r.Soft == "" {
			return other
		}
	}
	return nil
}

// has reports whether a client has any request in the run that does not have the row's.
func (c *Comparison) has(client string, only Kind) bool {
	return slices.ContainsFunc(c.Rows, func(r Row) bool {
		if only == OnlyRight {
			return r.Client == client && r.Left != nil
		}
		return r.Client == client && r.Right != nil
	})
}

// Request names a request: "PUT of deployments default/web".
func Request(f *flow.Flow) string {
	t := &f.Target
	if t.Resource == "" {
		return f.Method + " of " + f.Path
	}
	verb := f.Method
	switch t.Verb {
	case "list", "watch", "apply", "deletecollection":
		verb = t.Verb
	}
	what := t.Resource
	if t.Subresource != "" {
		what += "/" + t.Subresource
	}
	switch {
	case t.Name != "" && t.Namespace != "" && t.Resource != "namespaces":
		what += " " + t.Namespace + "/" + t.Name
	case t.Name != "":
		what += " " + t.Name
	case created(f) != "":
		what += " " + created(f)
	case t.Namespace != "":
		what += " in " + t.Namespace
	}
	return verb + " of " + what
}

// created is the object that a request has made, or would have: its path does not name it.
func created(f *flow.Flow) string {
	if f.Target.Verb != "create" {
		return ""
	}
	name := ""
	if len(f.Effects) > 0 {
		name = f.Effects[0].Commit.Name
	}
	if name == "" {
		name = object.TextIn(object.Sent(f), "metadata", "name")
	}
	if name == "" || f.Target.Namespace == "" {
		return name
	}
	return f.Target.Namespace + "/" + name
}

// Answer is a status with its reason: "409 Conflict", "200".
func Answer(f *flow.Flow) string {
	switch {
	case f.Status == 0:
		return "not at all"
	case f.Reason != "":
		return fmt.Sprintf("%d %s", f.Status, f.Reason)
	case f.Status >= 400:
		return strings.TrimSpace(fmt.Sprintf("%d %s", f.Status, http.StatusText(f.Status)))
	}
	return fmt.Sprint(f.Status)
}

// differing says which field of two bodies is the first that differs, by their paths.
func differing(l, r *flow.Flow, n *names) string {
	left := leaves(reader{known: n.left}, l)
	right := leaves(reader{known: n.left, to: n}, r)
	if left == nil || right == nil {
		return fmt.Sprintf("sent with %d bytes in the first run and other %d bytes in the second",
			l.RequestBody.Total, r.RequestBody.Total)
	}
	all := maps.Clone(left)
	maps.Copy(all, right)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		a, inLeft := left[path]
		b, inRight := right[path]
		if inLeft && inRight && object.Same(a, b) {
			continue
		}
		if redact.Keys(l) != nil || redact.Keys(r) != nil {
			return fmt.Sprintf("sent with another %s in the second run", path)
		}
		return fmt.Sprintf("sent with %s in the first run and %s in the second",
			textOf(path, a, inLeft), textOf("", b, inRight))
	}
	return "sent with another body in the second run"
}

func textOf(path string, v any, has bool) string {
	text := "nothing"
	if has {
		text = short(object.OneLine(object.Text(v)), 80)
	}
	return strings.TrimSpace(path + " " + text)
}

func leaves(rd reader, f *flow.Flow) map[string]any {
	v := object.Parse(asJSON(f.RequestBody))
	if v == nil {
		return nil
	}
	return object.Leaves(rd.plain(v))
}

// short is a text of so many letters at most.
func short(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
