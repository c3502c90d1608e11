package tui

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// finalizerWriter is the manager that wrote a finalizer last, as the managed fields tell; "" if they do not.
func finalizerWriter(object []byte, h *hold) string {
	parent := pick(h.spec, "spec", "metadata")
	v, err := fieldpath.DeserializePathElement("v:" + quoted(h.name))
	if err != nil {
		return ""
	}
	path := fieldpath.MakePathOrDie(parent, "finalizers")
	best, at := "", ""
	for _, o := range ownersOf(parsed(object)) {
		if (o.set.Has(append(path.Copy(), v)) || o.set.Has(path)) && cmp.Compare(o.time, at) >= 0 {
			best, at = o.name, o.time
		}
	}
	return best
}

func quoted(s string) string {
	b, _ := json.Marshal(s) // a string always marshals
	return string(b)
}

// releasePatch is the kubectl command that takes a finalizer out of the newest version, and only if it is still where
// it was.
func (d *deletes) releasePatch(x *deletion, h *hold) string {
	r := remainsOf(x.newest)
	i := slices.Index(r.Metadata.Finalizers, h.name)
	if i < 0 {
		return ""
	}
	where := fmt.Sprintf("/metadata/finalizers/%d", i)
	patch := fmt.Sprintf(`[{"op":"test","path":%q,"value":%q},{"op":"remove","path":%q}]`, where, h.name, where)
	ns := ""
	if x.ref.namespace != "" {
		ns = " -n " + x.ref.namespace
	}
	return fmt.Sprintf("kubectl%s patch %s %s%s --type=json -p '%s'", d.u.serverFlag(), x.ref.resource, x.ref.name, ns, patch)
}

// askRelease offers to copy a patch for each finalizer that still holds the object, and the request as elsewhere.
func (d *deletes) askRelease() {
	x := d.selected()
	m := &menu{title: "Copy: " + x.ref.text(), text: []string{"A finalizer that is taken out by hand leaves undone what it stands for."}}
	for i := range x.holds {
		h := &x.holds[i]
		if !h.removed.zero() || h.spec || len(m.items) > 8 {
			continue
		}
		s := d.releasePatch(x, h)
		m.items = append(m.items, item{key: fmt.Sprint(len(m.items) + 1), label: "a patch that removes " + h.name, do: func() {
			d.u.do(copyEffect{s})
			d.u.say("copied %s", fit(s, 100))
		}})
	}
	why := d.u.needsRow()
	if len(m.items) == 0 && why != "" {
		d.u.say("y: %s", why)
		return
	}
	if len(m.items) == 0 {
		d.u.onRow(d.u.askCopy)()
		return
	}
	m.items = append(m.items, item{key: "c", label: "something of the request: kubectl, curl, body …", off: why, do: d.u.onRow(d.u.askCopy)})
	d.u.over = m
}
