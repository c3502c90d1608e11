package tui

import (
	"fmt"
	"strconv"

	"kubarium/tui/label"
	"kubarium/tui/term"
)

// A speaker is a page that plain mode can tell: its rows as numbered sentences, and what there is to say about one.
type speaker interface {
	sentences() []string
	about(number uint64) []sheetLine // nil if there is no such row
}

// plainPages are the words that tell a page.
var plainPages = map[string]screenID{"lists": pageLists, "conflicts": pageConflicts, "deletes": pageDeletes}

// page tells a page, or one row of it by its number, and reports whether word names one.
func (p *plain) page(word, rest string) bool {
	id, ok := plainPages[word]
	if !ok {
		return false
	}
	p.fold() // tells what has come meanwhile, before the list
	s := p.u.pages[id].(speaker)
	if rest != "" {
		number, err := strconv.ParseUint(rest, 10, 64)
		lines := s.about(number)
		if err != nil || lines == nil {
			p.print("%s: there is no number %q.", word, rest)
			return true
		}
		for _, l := range lines {
			p.print("%s", l.String())
		}
		return true
	}
	said := s.sentences()
	if len(said) == 0 {
		p.print("%s", map[string]string{"lists": "Nothing was listed yet.", "conflicts": "No write has met another one.", "deletes": "Nothing is terminating, and nothing was deleted yet."}[word])
		return true
	}
	for _, l := range said {
		p.print("%s", l)
	}
	return true
}

// plainWidth is how wide the lines about a row are made.
const plainWidth = 117

func (x *conflicts) sentences() []string {
	var out []string
	for _, c := range x.list {
		f := c.Flow
		out = append(out, fmt.Sprintf("%d. %s: %s %s %s, %s. conflicts %d tells more.", f.Seq, c.Kind, f.Client.Tag, f.Target.Verb, label.Target(f), versionsText(c), f.Seq))
	}
	return out
}

func (x *conflicts) about(number uint64) []sheetLine {
	for i, c := range x.list {
		if c.Flow.Seq == number {
			x.follow, x.cursor, x.seq = false, i, number
			x.build(plainWidth)
			return x.sheet.lines
		}
	}
	return nil
}

func (d *deletes) sentences() []string {
	var out []string
	for _, r := range d.rows {
		_, state := d.state(r.Deletion)
		also := ""
		if r.More > 0 {
			also = fmt.Sprintf(" and %s of its kind more", term.Count(r.More))
		}
		if r.Depth > 0 {
			also += ", because of what was deleted before it"
		}
		out = append(out, fmt.Sprintf("%d. %s%s: %s, deleted by %s at rv %d. deletes %d tells more.", r.ID, label.Ref(r.Ref), also, state, r.Began.Who, r.Began.Revision, r.ID))
	}
	return out
}

func (d *deletes) about(number uint64) []sheetLine {
	for _, x := range d.All {
		if x.ID == number {
			l := &LineList{w: plainWidth}
			d.phases(l, x)
			return l.out
		}
	}
	return nil
}

func (l *lists) sentences() []string {
	var out []string
	for _, w := range l.list {
		_, state := standingWords(w.Standing(l.u.time.Compacted))
		out = append(out, fmt.Sprintf("%d. %s lists %s: snapshot rv %s, %s in %s, left %s, from %s, %s. lists %d tells more.", w.ID, w.First().Flow.Client.Tag, whatListed(w),
			label.Revision(w.First().Snapshot), term.Plural(w.Items(), "item"), term.Plural(w.Pages(), "page"), remaining(w), sourceOf(w), state, w.ID))
	}
	return out
}

func (l *lists) about(number uint64) []sheetLine {
	for _, w := range l.list {
		if w.ID == number {
			s := &LineList{w: plainWidth}
			l.pages(s, w)
			return s.out
		}
	}
	return nil
}
