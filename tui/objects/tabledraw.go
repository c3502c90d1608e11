package objects

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"kubarium/tui/client"
	"kubarium/tui/term"
)

// nameSpaceColumn is the index of the namespace, which is not in the server's Table.
const nameSpaceColumn = -1

// plan chooses the columns and their widths for the visible rows.
func (t *objectTable) plan(w int, visible []client.Row) term.Table[client.Row] {
	var cols []term.TableColumn[client.Row]
	add := func(name string, st term.Style, at int) {
		cols = append(cols, term.TableColumn[client.Row]{Name: name, Width: term.AsShown,
			Cell: func(r client.Row) term.Span { return st.Of(t.cell(r, at)) }})
	}
	if t.of.Namespaced && t.o.env.Namespace == "" {
		add("NAMESPACE", term.Dim, nameSpaceColumn)
	}
	for i, c := range t.columns {
		if c.Priority == 0 || t.wide {
			add(strings.ToUpper(c.Name), term.Plain, i)
		}
	}
	return term.PlanTable(w, 2, cols, visible)
}

// cell returns the text of a row in a column. Ages are computed locally, since the server's answer does not change.
func (t *objectTable) cell(r client.Row, at int) string {
	switch {
	case at == nameSpaceColumn:
		return r.Key.Namespace
	case at >= len(r.Cells):
		return ""
	case t.columns[at].Name == "Age" && !r.Created.IsZero():
		return duration.HumanDuration(max(0, t.o.env.Now().Sub(r.Created)).Truncate(time.Second))
	}
	return r.Cells[at]
}

// draw draws the objects as kubectl get does; those being deleted also show their finalizers.
func (t *objectTable) draw(c *term.Canvas, r term.Rect, focused bool) {
	body := r.From(1)
	from, to := t.cursor.Range(body.H)
	if t.drawNothing(c, r) {
		return
	}
	cols := t.plan(r.W-2, t.rows[from:to])
	c.Line(r, 2, 0, cols.Heading())
	t.cursor.Draw(c, body, term.Pick(focused, term.Selected, term.Shadowed),
		func(row term.Rect, i int) { drawObject(c, row, t.rows[i], &cols) })
}

// drawObject draws a row, followed by the finalizers if the object is being deleted.
func drawObject(c *term.Canvas, r term.Rect, row client.Row, cols *term.Table[client.Row]) {
	c.Line(r, 2, 0, cols.Row(row))
	if row.Deleting {
		c.Put(r, 1, 0, term.Warn, "◌")
		x := 2 + cols.Width()
		c.Put(r, x, 0, term.Warn, term.Fit(heldText(row.Finalizers), r.W-x))
	}
}

// heldText says why an object that is being deleted still exists.
func heldText(finalizers []string) string {
	if len(finalizers) == 0 {
		return "terminating"
	}
	return "terminating, held by " + strings.Join(finalizers, ", ")
}

// drawNothing says why the table is empty, and reports whether it is.
func (t *objectTable) drawNothing(c *term.Canvas, r term.Rect) bool {
	var say []term.Line
	switch {
	case t.of == nil:
		return true
	case !t.of.Can("list"):
		say = t.notListed()
	case t.err != nil:
		say = append(term.WrapLines(term.Err, "✗ "+t.err.Error(), r.W-5),
			term.Line{term.Key.Of("u"), term.Plain.Of(" asks again")})
	case len(t.rows) > 0:
		return false
	case !t.loaded:
		say = []term.Line{term.Text(term.Dim, "asking for the objects …")}
	case len(t.all) > 0:
		say = append(t.notFound(r.W-5), term.Line{term.Key.Of("*"), term.Plain.Of(" clears it, "), term.Key.Of("/"),
			term.Plain.Of(" changes it")})
	default:
		say = append([]term.Line{term.Text(term.Bold, t.noneText())}, t.o.env.Try("", t.firstCommand())...)
	}
	c.Notice(r, say...)
	return true
}

// noneText says that there are no objects, and in which namespace or at which moment.
func (t *objectTable) noneText() string {
	switch u := t.o.env; {
	case u.Bare:
		return "This recording has only requests, not the objects of the server."
	case u.Past():
		return "There were no " + t.of.Name + " " + u.Then() + "."
	}
	if ns := t.o.env.Namespace; ns != "" && t.of.Namespaced {
		return "There are no " + t.of.Name + " in namespace " + ns + "."
	}
	return "There are no " + t.of.Name + "."
}

// notListed explains a resource without stored objects.
func (t *objectTable) notListed() []term.Line {
	out := []term.Line{
		term.Text(term.Bold, fmt.Sprintf("A %s is not stored, so none can be listed.", t.of.Kind)),
		term.Text(term.Plain, "It is created only for the answer to it."),
	}
	return append(out, t.o.env.Try("", t.o.env.Kubectl()+" explain "+t.of.FullName())...)
}

// creations are kubectl commands that create a first object of a resource.
var creations = map[string]string{
	"configmaps":       "create configmap first --from-literal=a=b",
	"deployments.apps": "create deployment web --image=nginx",
	"secrets":          "create secret generic first --from-literal=password=example", "pods": "run web --image=nginx",
	"jobs.batch":     "create job first --image=busybox -- true",
	"cronjobs.batch": "create cronjob first --image=busybox --schedule='* * * * *' -- true",
	"services":       "create service clusterip web --tcp=80", "namespaces": "create namespace team",
	"serviceaccounts":                        "create serviceaccount robot",
	"roles.rbac.authorization.k8s.io":        "create role reader --verb=get --resource=pods",
	"clusterroles.rbac.authorization.k8s.io": "create clusterrole reader --verb=get --resource=pods",
	"ingresses.networking.k8s.io":            "create ingress web --rule=example.io/*=web:80",
	"poddisruptionbudgets.policy":            "create pdb web --selector=app=web --min-available=1",
	"priorityclasses.scheduling.k8s.io":      "create priorityclass high --value=1000",
	"resourcequotas":                         "create quota few --hard=pods=3",
}

// firstCommand returns a command that creates the first object, or explains how to write one.
func (t *objectTable) firstCommand() string {
	what, ok := creations[t.of.ID()]
	if !ok {
		what = "explain " + t.of.FullName()
	}
	if ns := t.o.env.Namespace; ns != "" && ok && t.of.Namespaced {
		what = "-n " + ns + " " + what
	}
	return "kubectl" + t.o.env.ServerFlag() + " " + what
}
