package deletes

import (
	"fmt"

	"kubarium/analysis/deletion"
	"kubarium/tui/label"
	"kubarium/tui/term"
)

// ReleasePatch is the kubectl command that takes a finalizer out of the newest version, and only if it is still where
// it was.
func (d *Page) ReleasePatch(x *deletion.Deletion, h *deletion.Hold) string {
	patch := x.ReleasePatch(*h)
	if patch == "" {
		return ""
	}
	ns := ""
	if x.Ref.Namespace != "" {
		ns = " -n " + x.Ref.Namespace
	}
	return fmt.Sprintf("kubectl%s patch %s %s%s --type=json -p '%s'", d.Env.ServerFlag(), x.Ref.Resource, x.Ref.Name, ns, patch)
}

// askRelease offers to copy a patch for each finalizer that still holds the object, and the request as elsewhere.
func (d *Page) askRelease() {
	x := d.Selected()
	m := &term.Menu{Title: d.Env.F("Copy: %s", label.Ref(x.Ref)),
		Text: []string{"If you remove a finalizer by hand, the work it waits for is not done."}}
	for i := range x.Holds {
		h := &x.Holds[i]
		if !h.Removed.Zero() || h.Spec || len(m.Items) > 8 || !d.Env.Acts() {
			continue
		}
		s := d.ReleasePatch(x, h)
		m.Items = append(m.Items, term.Item{Key: fmt.Sprint(len(m.Items) + 1), Label: d.Env.F("a patch that removes %s", h.Name), Do: func() {
			d.Env.CopyText("the patch", s)
		}})
	}
	why := d.Env.NeedsRow()
	if len(m.Items) == 0 && why != "" {
		d.Env.Say("y: %s", why)
		return
	}
	if len(m.Items) == 0 {
		d.Env.OnRow(d.Env.AskCopy)()
		return
	}
	m.Items = append(m.Items, term.Item{Key: "c", Label: "something of the request: kubectl, curl, body …", Off: why, Do: d.Env.OnRow(d.Env.AskCopy)})
	d.Env.Over = m
}
