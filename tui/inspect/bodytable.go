package inspect

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"kubarium/flow"
	"kubarium/flow/bodies"
	"kubarium/tui/body"
	"kubarium/tui/client"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// answerTables are answers as Tables that were sent in another format. Only the server knows the columns of a kind, so
// it is asked for the same objects at the same revision, once for each answer.
type answerTables struct {
	known map[uint64]answerTable // by the request's Seq
	asked map[uint64]bool
	came  int // counts the Tables received, so that drawn lines can be outdated
}

type answerTable struct {
	address string // the request
	table   *client.Table
	err     error
}

// mostAnswerTables limits the Tables that are kept.
const mostAnswerTables = 64

// askTable asks for the Table of the selected request's answer, if it is shown and not known.
func (in *Inspector) askTable() {
	f := in.env.Sel
	if f == nil || in.Format != body.Rows || in.Tab != tabResponse || in.tables.asked[f.Seq] || noTable(f) != "" {
		return
	}
	if plain, _ := bodies.Unpacked(f.ResponseBody.Kept); isTable(plain) {
		return
	}
	if len(in.tables.asked) == 0 || len(in.tables.asked) >= mostAnswerTables {
		in.tables = answerTables{known: map[uint64]answerTable{}, asked: map[uint64]bool{}, came: in.tables.came}
	}
	t, a := &in.tables, in.env.API
	t.asked[f.Seq] = true
	in.env.Do(page.Work{Run: func() func() {
		got := tableOf(a, f)
		return func() {
			t.known[f.Seq] = got
			t.came++
		}
	}})
}

// noTable says why an answer has no Table, "" if it has one.
func noTable(f *flow.Flow) string {
	dry := strings.Contains(f.Query, "dryRun=")
	switch {
	case f.Target.Resource == "":
		return "this path serves no objects"
	case f.Watch != nil:
		return "a watch is answered with frames"
	case f.Status != http.StatusOK && f.Status != http.StatusCreated:
		return "the answer is a Status"
	case f.Target.Subresource != "":
		return "only whole objects are asked for again, no subresource"
	case !slices.Contains([]string{"get", "list", "create", "update", "patch", "apply"}, f.Target.Verb) || dry ||
		f.Revision == 0:
		return "what was answered is not stored, so it cannot be asked for again"
	}
	return ""
}

// tableOf does I/O and is called off the loop.
func tableOf(a *client.Client, f *flow.Flow) answerTable {
	q := url.Values{}
	sent, _ := url.ParseQuery(f.Query) // the server ignores invalid parts too
	path, name := f.Path, objectOf(f)
	for _, k := range []string{"labelSelector", "fieldSelector", "limit", "continue"} {
		if f.Target.Verb == "list" && sent.Has(k) {
			q.Set(k, sent.Get(k))
		}
	}
	if !q.Has("limit") {
		q.Set("limit", strconv.Itoa(client.TablePage))
	}
	if f.Target.Verb != "list" {
		q.Set("fieldSelector", "metadata.name="+name)
		if f.Target.Name != "" && f.Target.Verb != "create" {
			path = strings.TrimSuffix(strings.TrimSuffix(path, "/"), "/"+f.Target.Name)
		}
	}
	if !q.Has("continue") { // a token holds its revision
		q.Set("resourceVersion", strconv.FormatInt(f.Revision, 10))
		q.Set("resourceVersionMatch", "Exact")
	}
	got, err := a.ReadTable(path, q)
	return answerTable{path + "?" + q.Encode(), got, err}
}

// objectOf returns the name of the object of a request.
func objectOf(f *flow.Flow) string {
	if f.Target.Name == "" && len(f.Effects) > 0 {
		return f.Effects[0].Commit.Name // the path of a create does not have it
	}
	return f.Target.Name
}

// tableForm adds a body as a Table: the one that was sent, or the one that the server would have sent.
func (in *Inspector) tableForm(p *term.Column, plain []byte) {
	f := in.made.f
	if in.Tab == TabRequest {
		p.Say(term.Plain, "A Table is a format of answers; requests have none. The tab Response shows that of the "+
			"answer.")
		return
	}
	if isTable(plain) {
		t, err := client.ParseTable(plain)
		if err == nil {
			p.Say(term.Dim, "The client asked for a Table, so this is what was sent:")
			p.More(tableLines(t, p.W)...)
			return
		}
	}
	if why := noTable(f); why != "" {
		p.Say(term.Plain, "There is no Table of this: "+why+".")
		return
	}
	got, ok := in.tables.known[f.Seq]
	if !ok {
		p.Add(term.Dim.Of("asking the server …"))
		return
	}
	in.askedTable(p, f, got)
}

// askedTable adds a Table from the server, and the request for it.
func (in *Inspector) askedTable(p *term.Column, f *flow.Flow, got answerTable) {
	var no *client.Refusal
	switch {
	case errors.As(got.err, &no) && no.Code == http.StatusGone:
		p.Say(term.Warn, fmt.Sprintf("✗ rv %d is compacted: this answer can no longer be read as a Table.", f.Revision))
	case got.err != nil:
		p.Say(term.Err, "✗ "+got.err.Error())
	case len(got.table.Rows) == 0:
		p.Say(term.Plain, "It is a Table without rows.")
	default:
		p.More(tableLines(got.table, p.W)...)
	}
	if t := got.table; t != nil && t.Revision != f.Revision && t.Revision != 0 {
		p.Say(term.Warn, fmt.Sprintf("This is of rv %d; the answer was of rv %d.", t.Revision, f.Revision))
	}
	p.Blank()
	p.Say(term.Dim, "Read now, as of then, with Accept: "+client.TableForm)
	p.Say(term.Dim, "GET "+got.address)
}

// isTable reports whether a body is a Table in JSON.
func isTable(b []byte) bool {
	head := string(b[:min(len(b), 64)])
	return strings.Contains(head, `"Table"`)
}

// tableLines are the rows with the columns of kubectl get without -o wide, as far as there is room.
func tableLines(t *client.Table, w int) []term.Line {
	var cols []term.TableColumn[client.Row]
	for i, c := range t.Columns {
		if c.Priority == 0 {
			cols = append(cols, term.TableColumn[client.Row]{Name: strings.ToUpper(c.Name), Width: term.AsShown,
				Cell: func(r client.Row) term.Span { return term.Plain.Of(r.Cell(i)) }})
		}
	}
	table := term.PlanTable(w, 2, cols, t.Rows)
	out := []term.Line{term.FitLine(table.Heading(), w)}
	for _, r := range t.Rows {
		out = append(out, term.FitLine(table.Row(r), w))
	}
	if t.More {
		out = append(out, term.Text(term.Dim, "… and more on the next page"))
	}
	return out
}
