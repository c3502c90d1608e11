package objects

import (
	"fmt"
	"net/http"

	"kubarium/flow/object"
	"kubarium/tui/action"
	"kubarium/tui/client"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// An edit is an object that the user changes in the editor.
type edit struct {
	draft
	of   client.Resource
	key  client.Key
	base []byte // the version that was opened
}

// edit reads the object under the cursor and opens the editor on it.
func (o *Page) edit() {
	r, k := o.thing()
	e := &edit{of: *r, key: k}
	e.draft = draft{o: o, what: "edit " + action.Name(*r, k), file: r.Name + "-" + k.Name + ".yaml", send: e.send}
	a := o.env.API
	o.env.Do(page.Work{Run: func() func() {
		base, err := a.Do(client.Request{Method: http.MethodGet, Path: e.of.Path(k.Namespace, k.Name)})
		return func() {
			if err == nil {
				err = e.begin(base)
			}
			if err != nil {
				o.env.Say("%s: %s", e.what, err)
			}
		}
	}})
}

// begin opens the editor on the object.
func (e *edit) begin(base []byte) error {
	text, err := action.Text(base)
	if err != nil {
		return err
	}
	e.base, e.from = base, text
	e.head = e.heading()
	e.open(nil, text)
	return nil
}

func (e *edit) heading() []string {
	return []string{
		fmt.Sprintf("%s at resourceVersion %s. Saving replaces the object; an unchanged or empty file changes nothing.",
			action.Name(e.of, e.key), revisionOf(e.base)),
		"If another client writes the object in between, both sides are shown, and nothing is lost.",
	}
}

// revisionOf returns an object's resourceVersion.
func revisionOf(obj []byte) string {
	return object.TextIn(object.Parse(obj), "metadata", "resourceVersion")
}

// send sends the text, as an update of the version that was opened.
func (e *edit) send(text []byte) {
	ms, err := action.Manifests(text)
	if err == nil && len(ms) != 1 {
		err = fmt.Errorf("one object is edited here, and the file has %d", len(ms))
	}
	if err != nil {
		e.back(err.Error())
		return
	}
	e.put(action.At(ms[0].JSON, revisionOf(e.base)))
}

// put sends a manifest. After a conflict it also reads the stored object.
func (e *edit) put(manifest []byte) {
	api, a := e.o.env.API, action.Update(e.of, e.key, manifest)
	e.o.env.AskWrite(func() {
		e.o.env.Do(page.Work{Run: func() func() {
			_, err := api.Do(a.Request())
			var now []byte
			if client.Code(err) == http.StatusConflict {
				// If this fails, the conflict is handled as any refusal.
				now, _ = api.Get(e.of.Path(e.key.Namespace, e.key.Name), nil, client.JSON)
			}
			return func() { e.answered(a, now, err) }
		}})
	})
}

// answered handles the answer to an update.
func (e *edit) answered(a *action.Action, now []byte, err error) {
	switch code := client.Code(err); {
	case err == nil:
		e.o.did("edited "+a.Name(), a)
	case code == http.StatusConflict && now != nil && revisionOf(now) != revisionOf(e.base):
		e.clash(a, now)
	case code == http.StatusNotFound:
		e.gone(a)
	case code == 0:
		e.keep(err.Error())
	default:
		e.back(err.Error())
	}
}

// gone offers to create an object again that another client has deleted.
func (e *edit) gone(a *action.Action) {
	title := action.Name(e.of, e.key) + " was deleted by another client"
	e.o.env.Over = &term.Question{Title: title, Lines: func(w int) []term.Line {
		return term.WrapLines(term.Plain, "Your edit was not stored: there is nothing to update.", w)
	}, Items: []term.Item{
		{Key: "c", Label: "create it again, with your edit", Do: func() {
			made, err := action.Restore(e.of, e.key, a.Body, nil)
			if err != nil {
				e.keep(err.Error())
				return
			}
			e.o.do(made, "created "+made.Name(), func(err error) { e.keep(err.Error()) })
		}},
	}, Esc: "give up; your text is kept in a file", Closed: func() { e.keep("another client deleted it") }}
}
