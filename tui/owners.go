package tui

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"kubarium/server/flow/object"
)

// dependents are the objects that name one as their owner, as the server's lists tell.
type dependents struct {
	found []dependentObject
	err   error
	asked int
	known bool // an answer came
	came  int  // counts the answers, so that lines know theirs
}

type dependentObject struct {
	of  *resource
	key objectKey
	by  object.OwnerRef
}

// loadDependents asks which objects name this one as their owner, once each time that the tab is opened.
func (p *objectPane) loadDependents() {
	if p.of == nil || p.key.name == "" || p.owns.known {
		return
	}
	p.owns.asked++
	asked, a, r, k, all := p.owns.asked, p.o.api, *p.of, p.key, slices.Clone(p.o.resources.all)
	p.o.u.do(workEffect{func() func() {
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

// readDependents lists the metadata of what may belong to an object: of all that can be deleted, in its namespace if it has
// one. It does I/O and is called off the loop.
func readDependents(a *api, r *resource, k objectKey, all []resource) ([]dependentObject, error) {
	var self struct{ Metadata struct{ UID string } }
	if err := a.read(r.path(k.namespace, k.name), nil, asPlainJSON, &self); err != nil {
		return nil, err
	}
	var out []dependentObject
	for i := range all {
		of := &all[i]
		if !of.can("list") || !of.can("delete") || of.counted && of.n == 0 || r.namespaced && !of.namespaced {
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
		if err := a.read(of.path(k.namespace, ""), url.Values{"limit": {strconv.Itoa(mostRows)}}, asNames, &l); err != nil {
			return nil, fmt.Errorf("list %s: %w", of.fullName(), err)
		}
		for _, x := range l.Items {
			for _, o := range x.Metadata.OwnerReferences {
				if o.UID != "" && o.UID == self.Metadata.UID {
					out = append(out, dependentObject{of, objectKey{x.Metadata.Namespace, x.Metadata.Name}, o})
				}
			}
		}
	}
	return out, nil
}

// ownerLines show whose the object is, and below it what is its own.
func (p *objectPane) ownerLines(w int) []line {
	var out []line
	for _, o := range p.meta.OwnerReferences {
		out = append(out, fitLine(append(line{{sAccent, o.Kind + "/" + o.Name}, {sDim, "  " + o.APIVersion + ", uid " + o.UID}}, ownerNotes(&o)...), w))
	}
	if len(out) == 0 {
		out = wrapLines(sDim, "Nobody owns it: it names no ownerReferences, so nothing else's deletion takes it along.", w)
	}
	out = append(out, fitLine(line{{sDim, "└ "}, {sBold, p.of.kind + "/" + p.key.name}, {sDim, "  uid " + p.meta.UID}}, w))
	switch {
	case p.owns.err != nil:
		return append(out, wrapLines(sErr, "  ✗ "+p.owns.err.Error(), w)...)
	case !p.owns.known:
		return append(out, text(sDim, "  asking who names it as owner …"))
	case len(p.owns.found) == 0:
		return append(out, wrapLines(sDim, "  It owns nothing: no object names its uid.", w)...)
	}
	for i, d := range p.owns.found {
		sign := pick(i == len(p.owns.found)-1, "  └ ", "  ├ ")
		out = append(out, fitLine(append(line{{sDim, sign}, {sAccent, d.of.kind + "/" + d.key.name}}, ownerNotes(&d.by)...), w))
	}
	out = append(out, nil)
	return append(out, wrapLines(sDim, "When it is deleted, the garbage collector deletes what it owns; kubectl delete --cascade=orphan leaves that alone.", w)...)
}

// ownerNotes say what an ownerReference means beside that it is one.
func ownerNotes(o *object.OwnerRef) line {
	var l line
	if o.Controller {
		l = append(l, span{sPlain, "  controller"})
	}
	if o.BlockOwnerDeletion {
		l = append(l, span{sWarn, "  blocks its deletion in the foreground"})
	}
	return l
}
