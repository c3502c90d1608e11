package objects

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubarium/analysis/chain"
	"kubarium/analysis/workload"
	"kubarium/flow"
	"kubarium/flow/object"
	"kubarium/tui/term"
)

// mostOfTree is how many of the newest writes a tree is made from: they are parsed while a frame waits.
const mostOfTree = 500

// ofWorkloads are the resources of which workloads consist.
var ofWorkloads = map[string]bool{
	"pods": true, "replicationcontrollers": true, "services": true, "persistentvolumeclaims": true, "persistentvolumes": true,
	"deployments.apps": true, "replicasets.apps": true, "statefulsets.apps": true, "daemonsets.apps": true, "jobs.batch": true, "cronjobs.batch": true,
	"endpointslices.discovery.k8s.io": true,
}

// treeLines are the workload that the object is part of: which client made each part, after which event, and how much later. They
// are none where the kept requests show no part that belongs to another.
func (p *Object) treeLines(w int) []term.Line {
	if !ofWorkloads[p.Of.ID()] {
		return nil
	}
	root := workload.Of(p.ofTree(), object.Ref{Resource: p.Of.ID(), Namespace: p.key.Namespace, Name: p.key.Name})
	if root == nil || len(root.Parts) == 0 {
		return nil
	}
	u := p.o.env
	t := tree{p: p, w: w, at: root.Made.At}
	t.lines = append(t.lines, term.Text(term.Head, u.T("which client made each part, after which event; + is the time since the first")))
	t.add(root, "", "")
	return append(t.lines, nil)
}

// ofTree are the newest flows that changed parts of workloads, up to the moment that is shown.
func (p *Object) ofTree() []*flow.Flow {
	all, _ := p.o.env.Log.Since(0, 0)
	var of []*flow.Flow
	for _, f := range slices.Backward(all) {
		if len(f.Effects) == 0 || !ofWorkloads[f.Effects[0].Commit.Resource] {
			continue
		}
		if m := p.o.env.Moment; m != nil && f.Effects[0].Commit.Revision > m.Revision {
			continue
		}
		if of = append(of, f); len(of) == mostOfTree {
			break
		}
	}
	slices.Reverse(of)
	return of
}

// A tree is drawn part by part.
type tree struct {
	p     *Object
	w     int
	at    time.Time // when the root was made
	lines []term.Line
}

// add draws a part and what belongs to it. branch is before its name, below before the lines below it.
func (t *tree) add(part *workload.Part, branch, below string) {
	name, _, _ := strings.Cut(part.Object.Resource, ".")
	l := term.Line{term.Dim.Of(branch), term.Accent.Of(name + "/" + part.Object.Name)}
	switch {
	case part.Gone.Revision != 0:
		l = append(l, term.Del.Of("  "+t.p.o.env.F("gone, by %s #%d", part.Gone.Client, part.Gone.Seq)))
	case part.Phase != "":
		l = append(l, term.Plain.Of("  "+part.Phase))
	}
	t.lines = append(t.lines, term.FitLine(l, t.w))
	rest := below + term.Pick(len(part.Parts) > 0, "│ ", "  ")
	for _, text := range t.came(part) {
		t.lines = append(t.lines, term.FitLine(term.Line{term.Dim.Of(rest), term.Plain.Of(text)}, t.w))
	}
	for i, child := range part.Parts {
		last := i == len(part.Parts)-1
		t.add(child, below+term.Pick(last, "└ ", "├ "), below+term.Pick(last, "  ", "│ "))
	}
}

// came says how a part came about: who made it and why, and of a Pod where it runs and since when.
func (t *tree) came(part *workload.Part) (lines []string) {
	u := t.p.o.env
	if part.Made.Revision == 0 {
		return []string{u.T("made before the requests that are kept")}
	}
	text := fmt.Sprintf("%s #%d", part.Made.Client, part.Made.Seq)
	if c := u.Chains.Of(part.Made.Seq); c != nil && len(c.Events) > 0 {
		e := &c.Events[0]
		name, _, _ := strings.Cut(e.Resource, ".")
		text += ", " + u.F("%s after %s/%s %d", term.Ago(max(0, e.Before)), name, e.Name, e.Revision)
		if e.Link == chain.Time {
			text += u.T(", by time")
		}
	}
	lines = append(lines, t.later(part.Made)+text)
	if part.Bound.Revision != 0 {
		lines = append(lines, t.later(part.Bound)+u.F("bound to %s by %s #%d", part.Node, part.Bound.Client, part.Bound.Seq))
	}
	if part.Ready.Revision != 0 {
		lines = append(lines, t.later(part.Ready)+u.F("ready, by %s #%d", part.Ready.Client, part.Ready.Seq))
	}
	return lines
}

// later is how long after the root a step was taken; "" where that is not known, and for the root itself.
func (t *tree) later(s workload.Step) string {
	if t.at.IsZero() || !s.At.After(t.at) {
		return ""
	}
	return fmt.Sprintf("+%-7s ", term.Ago(s.At.Sub(t.at)))
}
