package objects

import (
	"fmt"

	"kubarium/tui/action"
	"kubarium/tui/page"
)

// A draft is a text that the reader edits until it is sent, given up, or set aside in a file. What was written is never lost.
type draft struct {
	o     *Page
	what  string            // is edited: "deployments/web in default"
	file  string            // its name, of which editors take its form
	head  []string          // what is said above the text each time
	from  []byte            // the text that says nothing new: saved so, it is not sent
	text  []byte            // what the reader has written; nil before anything
	again bool              // the editor was opened once more, because the text was not taken
	send  func(text []byte) // sends what was written
}

// open opens the editor on a text, with words above it.
func (d *draft) open(words []string, text []byte) {
	head := d.head
	if len(words) > 0 {
		head = append(append(head[:len(head):len(head)], ""), words...)
	}
	d.o.env.Do(page.Edit{Name: d.file, Text: action.Commented(head, text), Done: d.edited})
}

// edited takes what was saved.
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

// back opens the editor again on what the reader has written, with why it was not taken.
func (d *draft) back(why string) {
	d.from, d.again = d.text, true
	d.open([]string{"✗ " + why}, d.text)
}

// keep sets aside what the reader has written, and says where it is.
func (d *draft) keep(why string) {
	d.o.env.Keep("your text", fmt.Sprintf("%s: %s", d.what, why), d.file, string(d.text))
}
