package objects

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"kubarium/flow/object"
	"kubarium/tui/client"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// dependents are the objects that name another one as their owner, from the server's lists.
type dependents struct {
	found []dependentObject
	err   error
	asked int
	known bool // an answer came
	came  int  // counts the answers, so that built lines can be outdated
}

// A dependentObject is one of them, with its reference to the owner.
type dependentObject struct {
	of  *client.Resource
	key client.Key
	by  object.OwnerRef
}

// loadDependents reads the objects that name this one as their owner, once each time that the tab is opened.
func (p *Object) loadDependents() {
	if p.Of == nil || p.key.Name == "" || p.owns.known {
		return
	}
	p.owns.asked++
	asked, a, r, k, all := p.owns.asked, p.o.env.API, *p.Of, p.key, slices.Clone(p.o.resources.all)
	p.o.env.Do(page.Work{Run: func() func() {
		found, err := readDependents(a, &r, k, all)
		return func() {
			if asked == p.owns.asked {
				p.owns.found, p.owns.err = found, err
				p.owns.known = true
				p.owns.came++
			}
		}
	}})
}

// readDependents lists the metadata of all objects that may depend on an object: those that can be deleted, in its
// namespace if it has one. It does I/O and is called off the loop.
func readDependents(a *client.Client, r *client.Resource, k client.Key, all []client.Resource) ([]dependentObject,
	error) {
	var self struct{ Metadata struct{ UID string } }
	body, err := a.Object(r, k)
	if err == nil {
		err = json.Unmarshal(body, &self)
	}
	if err != nil {
		return nil, err
	}
	var out []dependentObject
	for i := range all {
		of := &all[i]
		if !of.Can("list") || !of.Can("delete") || r.Namespaced && !of.Namespaced {
			continue
		}
		var l struct {
			Items []struct {
				Metadata struct {
					Namespace, Name string
					OwnerReferences []object.OwnerRef
				}
			}
		}
		query := a.Then(url.Values{"limit": {strconv.Itoa(client.MostRows)}})
		if err := a.Read(of.Path(k.Namespace, ""), query, client.NamesForm, &l); err != nil {
			return nil, fmt.Errorf("list %s: %w", of.FullName(), err)
		}
		for _, x := range l.Items {
			for _, o := range x.Metadata.OwnerReferences {
				if o.UID != "" && o.UID == self.Metadata.UID {
					out = append(out, dependentObject{of,
						client.Key{Namespace: x.Metadata.Namespace, Name: x.Metadata.Name}, o})
				}
			}
		}
	}
	return out, nil
}

// ownerLines are the object's owners, and below it its dependents.
func (p *Object) ownerLines(w int) []term.Line {
	out := p.treeLines(w)
	for _, o := range p.meta.OwnerReferences {
		owner := term.Line{term.Accent.Of(o.Kind + "/" + o.Name), term.Dim.Of("  " + o.APIVersion + ", uid " + o.UID)}
		out = append(out, term.FitLine(append(owner, ownerNotes(&o)...), w))
	}
	if len(p.meta.OwnerReferences) == 0 {
		out = append(out, term.WrapLines(term.Dim, "It has no ownerReferences, so no other object's deletion removes it.", w)...)
	}
	out = append(out, term.FitLine(term.Line{term.Dim.Of("└ "), term.Bold.Of(p.Of.Kind + "/" + p.key.Name),
		term.Dim.Of("  uid " + p.meta.UID)}, w))
	switch {
	case p.owns.err != nil:
		return append(out, term.WrapLines(term.Err, "  ✗ "+p.owns.err.Error(), w)...)
	case !p.owns.known:
		return append(out, term.Text(term.Dim, "  asking for the objects that name it as owner …"))
	case len(p.owns.found) == 0:
		return append(out, term.WrapLines(term.Dim, "  It owns nothing: no object names its uid.", w)...)
	}
	for i, d := range p.owns.found {
		sign := term.Pick(i == len(p.owns.found)-1, "  └ ", "  ├ ")
		out = append(out, term.FitLine(append(term.Line{term.Dim.Of(sign),
			term.Accent.Of(d.of.Kind + "/" + d.key.Name)}, ownerNotes(&d.by)...), w))
	}
	out = append(out, nil)
	return append(out, term.WrapLines(term.Dim, "When it is deleted, the garbage collector deletes what it owns; "+
		"kubectl delete --cascade=orphan leaves that alone.", w)...)
}

// ownerNotes describe the flags of an ownerReference.
func ownerNotes(o *object.OwnerRef) term.Line {
	var l term.Line
	if o.Controller {
		l = append(l, term.Plain.Of("  controller"))
	}
	if o.BlockOwnerDeletion {
		l = append(l, term.Warn.Of("  blocks its deletion in the foreground"))
	}
	return l
}
