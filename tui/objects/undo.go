package objects

import (
	"fmt"
	"net/http"
	"slices"

	"kubarium/tui/action"
	"kubarium/tui/body"
	"kubarium/tui/client"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// needsOlder says why the selected version cannot be restored, "" if it can.
func (o *Page) needsOlder() string {
	switch v := o.Object.history.selected(); {
	case o.env.NeedsNow() != "":
		return o.env.NeedsNow()
	case o.Object.Tab != TabHistory || o.depth != 2 || v == nil:
		return "only on the tab History; ] goes to the next tab"
	case v.whole == nil && v.letter == "D":
		return "this version is the deletion: select the one before it"
	case v.whole == nil:
		return "this version can no longer be read"
	}
	return ""
}

// askUndo reads the present object, and asks whether to replace it by the selected version.
func (o *Page) askUndo() {
	p, v := &o.Object, o.Object.history.selected()
	of, k, older, revision, a := *p.Of, p.key, slices.Clone(v.whole), v.revision, o.env.API
	o.env.Do(page.Work{Run: func() func() {
		now, err := a.Do(client.Request{Method: http.MethodGet, Path: of.Path(k.Namespace, k.Name)})
		if client.Code(err) == http.StatusNotFound {
			now, err = nil, nil
		}
		return func() {
			var back *action.Action
			if err == nil {
				back, err = action.Restore(of, k, older, now)
			}
			if err != nil {
				o.env.Say("undo %s: %s", action.Name(of, k), err)
				return
			}
			o.confirmUndo(back, now, revision)
		}
	}})
}

// confirmUndo shows what an undo changes, and asks.
func (o *Page) confirmUndo(back *action.Action, now []byte, revision int64) {
	mask := o.env.MaskerOf(back.Of.Name)
	from, to := body.ObjectText(mask(action.Own(now))), body.ObjectText(mask(action.Own(back.Body)))
	if now != nil && slices.Equal(from, to) {
		o.env.Say("%s is as it was at rv %d already", back.Name(), revision)
		return
	}
	way := "send it as an update: it is at rv " + revisionOf(now) + " now"
	if now == nil {
		way = "send it as a create: it is deleted now"
	}
	o.env.Over = &term.Question{
		Title: o.env.F("Bring %s back to rv %d?", back.Name(), revision),
		Lines: func(w int) []term.Line {
			return append(append(o.commandLines(back, w), nil), body.Diff(from, to, w)...)
		},
		Items: []term.Item{
			{Key: "u", Label: way, Do: func() { o.undo(back, revision) }},
			o.copyItem(back),
		},
	}
}

// undo sends an older version. If another client has written since, it asks again.
func (o *Page) undo(back *action.Action, revision int64) {
	o.do(back, fmt.Sprintf("%s is as at rv %d again", back.Name(), revision), func(err error) {
		if client.Code(err) == http.StatusConflict && o.needsOlder() == "" &&
			o.Object.history.selected().revision == revision {
			o.env.Say("%s was changed by another client: look again", back.Name())
			o.askUndo()
			return
		}
		o.refused(back, err)
	})
}
