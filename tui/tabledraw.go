package tui

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// A shownColumn is a column with its width; the namespace is at -1.
type shownColumn struct {
	heading string
	at      int
	width   int
}

const nameSpaceColumn = -1

// plan chooses the columns and their widths for what is visible.
func (t *objectTable) plan(w int, visible []tableRow) []shownColumn {
	var out []shownColumn
	if t.of.namespaced {
		out = append(out, shownColumn{heading: "NAMESPACE", at: nameSpaceColumn})
	}
	for i, c := range t.columns {
		if c.Priority == 0 || t.wide {
			out = append(out, shownColumn{heading: strings.ToUpper(c.Name), at: i})
		}
	}
	total := 2
	for i := range out {
		c := &out[i]
		c.width = text(sPlain, c.heading).width()
		for _, r := range visible {
			c.width = max(c.width, text(sPlain, t.cell(r, c.at)).width())
		}
		total += c.width + 2
	}
	for total > w && shrink(out) {
		total--
	}
	return out
}

// shrink takes a cell from the widest column, and reports whether there was one that could spare it.
func shrink(cs []shownColumn) bool {
	widest := 0
	for i := range cs {
		if cs[i].width > cs[widest].width {
			widest = i
		}
	}
	if len(cs) == 0 || cs[widest].width <= 12 {
		return false
	}
	cs[widest].width--
	return true
}

// cell is the text of a row in a column. An age is reckoned now, since the server's answer does not grow older.
func (t *objectTable) cell(r tableRow, at int) string {
	switch {
	case at == nameSpaceColumn:
		return r.key.namespace
	case at >= len(r.cells):
		return ""
	case t.columns[at].Name == "Age" && !r.created.IsZero():
		return duration.HumanDuration(max(0, t.o.u.now().Sub(r.created)).Truncate(time.Second))
	}
	return r.cells[at]
}

// draw shows the objects as kubectl get does; those that are being deleted say what holds them.
func (t *objectTable) draw(c *canvas, r rect, focused bool) {
	body := r.from(1)
	t.tall = body.h
	if t.drawNothing(c, r) {
		return
	}
	t.top = max(0, min(t.top, t.cursor, len(t.rows)-body.h), t.cursor-body.h+1)
	visible := t.rows[t.top:min(len(t.rows), t.top+max(0, body.h))]
	cols := t.plan(r.w, visible)
	x := 2
	for _, col := range cols {
		c.put(r, x, 0, sHead, fit(col.heading, col.width))
		x += col.width + 2
	}
	for y, row := range visible {
		t.drawRow(c, body.row(y), row, cols)
		if t.top+y == t.cursor {
			c.put(body.row(y), 0, 0, sBold, "▸")
			c.restyle(body.row(y), pick(focused, selected, shadowed))
		}
	}
}

func (t *objectTable) drawRow(c *canvas, r rect, row tableRow, cols []shownColumn) {
	if row.deleting {
		c.put(r, 1, 0, sWarn, "◌")
	}
	x := 2
	for _, col := range cols {
		st := sPlain
		if col.at == nameSpaceColumn {
			st = sDim
		}
		c.put(r, x, 0, st, fit(t.cell(row, col.at), col.width))
		x += col.width + 2
	}
	if row.deleting {
		c.put(r, x, 0, sWarn, fit(heldText(row.finalizers), r.w-x))
	}
}

// heldText says what keeps an object that is being deleted.
func heldText(finalizers []string) string {
	if len(finalizers) == 0 {
		return "terminating"
	}
	return "terminating, held by " + strings.Join(finalizers, ", ")
}

// drawNothing says why there is nothing to list, and reports whether that is so.
func (t *objectTable) drawNothing(c *canvas, r rect) bool {
	var say []line
	switch {
	case t.of == nil:
		return true
	case !t.of.can("list"):
		say = t.notListed()
	case t.err != nil:
		say = append(wrapLines(sErr, "✗ "+t.err.Error(), r.w-5), line{{sKey, "u"}, {sPlain, " asks again"}})
	case len(t.rows) > 0:
		return false
	case !t.loaded:
		say = []line{text(sDim, "asking for the objects …")}
	case len(t.all) > 0:
		say = []line{text(sBold, fmt.Sprintf("0 of %s objects have %q.", count(len(t.all)), t.words)), {{sKey, "*"}, {sPlain, " clears it, "}, {sKey, "/"}, {sPlain, " changes it"}}}
	default:
		say = []line{text(sBold, "There are no "+t.of.name+" yet."), text(sPlain, "In another window:"), text(sAccent, "  "+t.firstCommand())}
	}
	for y, s := range say {
		c.line(r, 3, 1+y, fitLine(s, r.w-4))
	}
	return true
}

// notListed says what is to be done with a resource of which there is no collection.
func (t *objectTable) notListed() []line {
	return []line{
		text(sBold, fmt.Sprintf("A %s is not kept, so none can be listed.", t.of.kind)),
		text(sPlain, "It is created for the answer that comes back:"),
		text(sAccent, "  kubectl"+t.o.u.serverFlag()+" explain "+t.of.fullName()),
	}
}

// creations are kubectl's own ways to create the first object of a resource.
var creations = map[string]string{
	"configmaps": "create configmap first --from-literal=a=b", "deployments.apps": "create deployment web --image=nginx",
	"secrets": "create secret generic first --from-literal=password=example", "pods": "run web --image=nginx",
	"jobs.batch": "create job first --image=busybox -- true", "cronjobs.batch": "create cronjob first --image=busybox --schedule='* * * * *' -- true",
	"services": "create service clusterip web --tcp=80", "namespaces": "create namespace team", "serviceaccounts": "create serviceaccount robot",
	"roles.rbac.authorization.k8s.io":        "create role reader --verb=get --resource=pods",
	"clusterroles.rbac.authorization.k8s.io": "create clusterrole reader --verb=get --resource=pods",
	"ingresses.networking.k8s.io":            "create ingress web --rule=example.io/*=web:80",
	"poddisruptionbudgets.policy":            "create pdb web --selector=app=web --min-available=1",
	"priorityclasses.scheduling.k8s.io":      "create priorityclass high --value=1000",
	"resourcequotas":                         "create quota few --hard=pods=3",
}

// firstCommand is a line that makes the first object, or tells how one is written.
func (t *objectTable) firstCommand() string {
	what, ok := creations[t.of.id()]
	if !ok {
		what = "explain " + t.of.fullName()
	}
	return "kubectl" + t.o.u.serverFlag() + " " + what
}
