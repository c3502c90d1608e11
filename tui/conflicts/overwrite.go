package conflicts

import (
	"cmp"
	"fmt"

	"kubarium/analysis/conflict"
	"kubarium/flow/object"
	"kubarium/tui/label"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// overwritten shows what a write without a resourceVersion put back.
func (x *Page) overwritten(l *page.LineList, cl *conflict.Clash) {
	f := cl.Flow
	l.Wrapped(term.Plain, "", fmt.Sprintf("%s replaced the object without naming a resourceVersion, so nothing was compared and the answer was %d. It put back what another client had changed:", f.Client.Tag, f.Status))
	l.Blank()
	value := max(10, l.W*18/100)
	name := max(20, l.W-2*(value+1)-22)
	l.Add(term.Head.Of(term.Pad("field", name)), term.Head.Of(term.Pad("was", value+1)), term.Head.Of(term.Pad("is now", value+1)), term.Head.Of("whose change is lost"))
	for _, u := range cl.Undone {
		l.Of(u.By.Seq, term.Name.Of(term.Pad(label.ShortPath(u.Path, name-1), name)), term.Del.Of(term.Pad(x.value(f, u.Path, u.Was, value), value+1)),
			term.Err.Of(term.Pad(x.value(f, u.Path, u.Now, value), value+1)), term.Plain.Of(fmt.Sprintf("%s at rv %d", u.By.Who, u.By.Revision)))
	}
	l.Blank()
	l.Wrapped(term.Bold, "verdict  ", conflict.Overwritten)
}

// precondition shows which object was meant and which one is stored.
func (x *Page) precondition(l *page.LineList, cl *conflict.Clash) {
	f, c := cl.Flow, cl.Flow.Conflict
	l.Wrapped(term.Plain, "", fmt.Sprintf("%s meant one very object of that name. A uid is given once: an object that was deleted and created again has another.", f.Client.Tag))
	l.Blank()
	l.Add(term.Name.Of(term.Pad("uid sent", 12)), term.Plain.Of(term.OrNone(c.SentUID)))
	l.Add(term.Name.Of(term.Pad("uid stored", 12)), term.Plain.Of(term.Pick(c.StoredUID == "", "– no object of that name", c.StoredUID)))
	if at := object.TextIn(object.Parse(c.Object), "metadata", "creationTimestamp"); at != "" {
		l.Add(term.Name.Of(term.Pad("created at", 12)), term.Plain.Of(at))
	}
	x.writersBefore(l, cl, c.Stored)
	l.Blank()
	l.Wrapped(term.Bold, "verdict  ", "look at what is stored now: either it is not the object that was meant, and nothing is to be done, or take its uid")
}

// exists shows what a create met.
func (x *Page) exists(l *page.LineList, cl *conflict.Clash) {
	f, c := cl.Flow, cl.Flow.Conflict
	name := cmp.Or(object.TextIn(object.Parse(c.Object), "metadata", "name"), f.Target.Name)
	l.Wrapped(term.Plain, "", fmt.Sprintf("%s wanted to create %s %s; one of that name is stored at rv %s.", f.Client.Tag, f.Target.Resource, name, label.Revision(c.Stored)))
	if at := object.TextIn(object.Parse(c.Object), "metadata", "creationTimestamp"); at != "" {
		l.Add(term.Name.Of(term.Pad("created at", 12)), term.Plain.Of(at))
	}
	x.writersBefore(l, cl, c.Stored)
	value := max(10, l.W*24/100)
	width := max(16, l.W-2*(value+1))
	rows := 0
	for _, r := range conflict.Differences(f) {
		if rows++; rows == 1 {
			l.Blank()
			l.Add(term.Head.Of(term.Pad("field that differs", width)), term.Head.Of(term.Pad("stored", value+1)), term.Head.Of("sent"))
		}
		l.Add(term.Name.Of(term.Pad(label.ShortPath(r.Path, width-1), width)), term.Plain.Of(term.Pad(x.value(f, r.Path, r.Stored, value), value+1)), term.Add.Of(x.value(f, r.Path, r.Sent, value)))
	}
	l.Blank()
	l.Wrapped(term.Bold, "verdict  ", term.Pick(rows == 0, "what is stored has every value that was sent: for a client that only wants it to be there, that is success",
		"update or patch the stored object, or create one of another name; generateName makes names that are free"))
}

// writersBefore names who wrote the stored version.
func (x *Page) writersBefore(l *page.LineList, cl *conflict.Clash, stored int64) {
	key := object.RefOfTarget(cl.Flow.Target)
	if key.Name == "" {
		key.Name = object.TextIn(object.Parse(cl.Flow.Conflict.Object), "metadata", "name")
	}
	for _, w := range x.lineages.Between(key, 0, stored) {
		l.Of(w.Flow.Seq, term.Name.Of(term.Pad(fmt.Sprintf("rv %d", w.Effect.Commit.Revision), 12)), term.Accent.Of(w.Flow.Client.Tag), term.Plain.Of(fmt.Sprintf(" %s, #%d", w.Flow.Target.Verb, w.Flow.Seq)))
	}
}
