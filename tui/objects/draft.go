package objects

import (
	"fmt"

	"kubarium/tui/action"
	"kubarium/tui/page"
)

// A draft is a text that the user edits until it is sent, given up, or kept in a file. The user's text is never lost.
type draft struct {
	o     *Page
	what  string            // the thing that is edited: "deployments/web in default"
	file  string            // its name, from which editors choose a mode
	head  []string          // comment lines above the text each time
	from  []byte            // the original text: if saved like this, it is not sent
	text  []byte            // the user's text; nil before the first save
	again bool              // the editor was opened again, because the text was refused
	send  func(text []byte) // sends the text
}

// open opens the editor on a text, with further comment lines above it.
func (d *draft) open(words []string, text []byte) {
	head := d.head
	if len(words) > 0 {
		head = append(append(head[:len(head):len(head)], ""), words...)
	}
	d.o.env.Do(page.Edit{Name: d.file, Text: action.Commented(head, text), Done: d.edited})
}

// edited handles the saved text.
func (d *draft) edited(saved []byte, err error) {
	u := d.o.env
	switch {
	case err != nil && d.text != nil:
		d.keep(err.Error())
	case err != nil:
		u.Say("nothing was sent: %s", err)
	case action.Blank(saved):
		u.Say("%s: cancelled, the file was saved empty", d.what)
	case action.Unchanged(saved, d.from) && d.again:
		d.keep("cancelled, the file was saved unchanged")
	case action.Unchanged(saved, d.from):
		u.Say("%s: cancelled, the file was saved unchanged", d.what)
	default:
		d.text = action.Commented(nil, saved)
		d.send(d.text)
	}
}

// back opens the editor again on the user's text, with the reason.
func (d *draft) back(why string) {
	d.from, d.again = d.text, true
	d.open([]string{"✗ " + why}, d.text)
}

// keep saves the user's text in a file, and says where.
func (d *draft) keep(why string) {
	d.o.env.Keep("your text", fmt.Sprintf("%s: %s", d.what, why), d.file, string(d.text))
}
