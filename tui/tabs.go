package tui

import (
	"slices"

	"kubarium/cells"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// tabGroups are the pages as the row of tabs groups them.
var tabGroups = []struct {
	word  string
	pages []page.ID
}{
	{"See", []page.ID{page.Traffic, page.Watches, page.Lists, page.Versions, page.Objects, page.Client}},
	{"Trouble", []page.ID{page.Conflicts, page.Deletes, page.Doctor}},
	{"Do", []page.ID{page.Learn, page.Gate, page.Compare}},
}

// badgesFirst are the pages whose badges are written first where there is little room.
var badgesFirst = []page.ID{page.Gate, page.Conflicts, page.Doctor, page.Deletes, page.Learn, page.Watches, page.Lists,
	page.Compare}

// badgeRoom is how many cells are left for badges before names are written whole, so that the names depend on the width
// of the screen alone and stay where they are when a badge comes.
const badgeRoom = 8

// A tabLook is a way to write the row of tabs.
type tabLook struct {
	words  bool // of the groups
	gap    int  // blanks between two tabs
	apart  int  // blanks between two groups
	spaced bool // a blank between key and name
}

// tabLooks are all ways to write whole names, the widest first.
var tabLooks = []tabLook{{true, 3, 5, true}, {true, 1, 3, true}, {true, 1, 2, true}, {false, 1, 2, true},
	{false, 1, 2, false}}

// A tab is a page in the row of tabs.
type tab struct {
	id    page.ID
	group int
	word  string // of the group
	key   string
	name  string // as written; "" where there is room for the key alone
	label page.Tab
	badge bool // is written
	rate  bool
	x     int // where it begins
}

// A tabRow is the row of tabs as it is laid out.
type tabRow struct {
	look tabLook
	tabs []tab
}

// tabs lays the tabs out for the width of the screen: names first, then badges, then rates.
func (u *ui) tabs() *tabRow {
	r := &tabRow{}
	for g, group := range tabGroups {
		for _, id := range group.pages {
			if p := u.pages[id]; p != nil {
				label := p.Tab()
				t := tab{id: id, group: g, word: u.T(group.word), key: label.Name[:1], name: u.T(label.Name[2:]), label: label}
				if t.name != label.Name[2:] { // names in other languages are short enough
					t.label.Short = t.key + t.name
				}
				r.tabs = append(r.tabs, t)
			}
		}
	}
	r.fitNames(u.w, u.Front)
	for _, id := range badgesFirst {
		if i := slices.IndexFunc(r.tabs, func(t tab) bool { return t.id == id }); i >= 0 && r.tabs[i].label.Badge != "" {
			r.tabs[i].badge = true
			r.tabs[i].badge = r.width() <= u.w
		}
	}
	for i := range r.tabs {
		if t := &r.tabs[i]; t.label.Rate != "" && !u.quiet {
			t.rate = true
			t.rate = r.width() <= u.w
		}
	}
	r.width()
	return r
}

// fitNames writes the names whole if they fit; else as few as possible are short, and on the smallest screens only the
// page at the front has a name.
func (r *tabRow) fitNames(w int, front page.ID) {
	for _, r.look = range tabLooks {
		if r.width()+badgeRoom <= w {
			return
		}
	}
	for r.width()+badgeRoom > w && r.shorten() {
	}
	if r.width()+badgeRoom <= w {
		return
	}
	for i := range r.tabs {
		if t := &r.tabs[i]; t.id != front {
			t.name = ""
		}
	}
}

// shorten writes the name short that becomes shorter than any other by it; it reports whether there was one.
func (r *tabRow) shorten() bool {
	most, at := 0, -1
	for i, t := range r.tabs {
		if by := len(t.name) - len(t.label.Short[1:]); by > most {
			most, at = by, i
		}
	}
	if at >= 0 {
		r.tabs[at].name = r.tabs[at].label.Short[1:]
	}
	return at >= 0
}

// width is how many cells the tabs take; it says of each where it begins.
func (r *tabRow) width() int {
	x := 1
	for i := range r.tabs {
		t := &r.tabs[i]
		first := i == 0 || r.tabs[i-1].group != t.group
		if i > 0 {
			x += term.Pick(first, r.look.apart, r.look.gap)
		}
		if first && r.look.words {
			x += term.Text(term.Plain, t.word).Width() + 1
		}
		t.x = x
		x += len(t.key) + term.Pick(r.look.spaced, 1, 0) + len(t.name)
		if t.badge || t.rate {
			x += cells.Width(r.more(t))
		}
	}
	return x
}

// text is the key and the name of a tab.
func (r *tabRow) text(t *tab) string { return t.key + term.Pick(r.look.spaced, " ", "") + t.name }

// more is the badge and the rate of a tab as they are written after its name.
func (r *tabRow) more(t *tab) (s string) {
	if t.badge {
		s = term.Pick(r.look.gap > 1, " ", "") + t.label.Badge
	}
	if t.rate {
		s += " " + t.label.Rate
	}
	return s
}

// drawTabs shows the pages with what is new on them.
func (u *ui) drawTabs(c *term.Canvas, r term.Rect) {
	row, end := u.tabs(), 0
	for i := range row.tabs {
		t := &row.tabs[i]
		if row.look.words && (i == 0 || row.tabs[i-1].group != t.group) {
			c.Right(r, t.x-1, 0, term.Dim, t.word)
		}
		end = c.Put(r, t.x, 0, term.Pick(t.id == u.Front, term.Tab, term.Plain), row.text(t))
		end = c.Put(r, end, 0, term.Open, row.more(t))
	}
	if note := u.tabNote(); end+2+term.Text(term.Plain, note).Width() < r.W {
		c.Right(r, r.W-1, 0, term.Dim, note)
	}
}

func (u *ui) tabNote() string {
	switch {
	case len(u.Marks) > 0:
		return u.F("◆ %d marked", len(u.Marks))
	case u.quiet:
		return ""
	}
	return u.o.Version
}

// clickTab shows the page whose tab was pressed.
func (u *ui) clickTab(x int) {
	row := u.tabs()
	for i := range row.tabs {
		if t := &row.tabs[i]; x >= t.x && x < t.x+term.Text(term.Plain, row.text(t)).Width() {
			u.open(t.id)
		}
	}
}
