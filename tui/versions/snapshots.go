package versions

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"kubarium/tui/client"
	"kubarium/tui/page"
	"kubarium/tui/term"
	"kubarium/tui/timeline"
)

// A snapshot is a state that the server can go back to.
type snapshot struct {
	Name     string
	Revision int64
	At       time.Time
}

// startSnapshot is that which the server makes at its start.
const startSnapshot = "start"

// snapshotsPath is where the server lists snapshots.
const snapshotsPath = "/debug/snapshots"

// readSnapshots asks for the snapshots that the axis shows, and ignores errors.
func (v *Page) readSnapshots() {
	a := v.env.API
	v.env.Do(page.Work{Run: func() func() {
		all, err := readSnapshots(a)
		return func() {
			if err == nil {
				v.snapshots, v.env.Dirty = all, true
			}
		}
	}})
}

func readSnapshots(a *client.Client) ([]snapshot, error) {
	var list struct{ Snapshots []snapshot }
	err := a.Read(snapshotsPath, nil, client.JSON, &list)
	return list.Snapshots, err
}

// askSave asks for a name and saves the state under it.
func (v *Page) askSave() {
	v.env.Over = &term.Prompt{
		Title: "Save a snapshot", Text: append(v.env.NowText(), "Its objects can be gone back to, whatever is compacted.", "Name: lower-case letters, digits and -"),
		Edit: term.NewLineEdit(fmt.Sprintf("rv-%d", v.env.Head())), Done: func(name string) { v.save(name, false) },
	}
}

func (v *Page) save(name string, replace bool) {
	var saved snapshot
	a := v.env.API
	v.env.Do(page.Work{Run: func() func() {
		err := a.Send(http.MethodPost, snapshotsPath, map[string]any{"name": name, "replace": replace}, &saved)
		return func() {
			switch r, refused := err.(*client.Refusal); {
			case refused && r.Code == http.StatusConflict && !replace:
				v.askReplace(name, r.Message)
			case err != nil:
				v.env.Say("save: %s", err)
			default:
				v.env.Say("saved %s: rv %d, ◆ above the axis; S lists snapshots", saved.Name, saved.Revision)
				v.readSnapshots()
			}
		}
	}})
}

// askReplace asks whether to replace a snapshot by a new one of its name.
func (v *Page) askReplace(name, why string) {
	v.env.Over = &term.Menu{Title: "Replace the snapshot?", Text: []string{why}, Items: []term.Item{
		{Key: "r", Label: v.env.F("replace %s: what it has is lost", name), Do: func() { v.save(name, true) }},
	}}
}

// openSnapshots lists the snapshots.
func (v *Page) openSnapshots() {
	var all []snapshot
	v.env.AskServer("snapshots", func(a *client.Client) (err error) {
		all, err = readSnapshots(a)
		return err
	}, func() {
		v.snapshots, v.env.Dirty = all, true
		v.env.Over = newSnapshotList(v, all)
	})
}

// askStart asks whether to go back to the state after the start.
func (v *Page) askStart() { v.askRestore(startSnapshot) }

// askRestore asks before all changes since a snapshot are undone.
func (v *Page) askRestore(name string) {
	v.env.Over = &term.Menu{
		Title: v.env.F("Go back to %s?", name),
		Text:  append(v.env.NowText(), "All objects become what they were then; what was changed since is lost,", "unless a snapshot has it. Watches end with 410 Gone, and clients list again."),
		Items: []term.Item{{Key: "r", Label: v.env.F("restore %s", name), Do: func() { v.restore(name) }},
			{Key: "s", Label: "save a snapshot first", Do: v.askSave}},
	}
}

func (v *Page) restore(name string) {
	var done struct{ Revision, Created, Updated, Deleted int64 }
	v.env.AskServer("restore", func(a *client.Client) error {
		return a.Send(http.MethodPost, "/debug/restore", map[string]string{"snapshot": name}, &done)
	}, func() {
		v.env.Say("back to %s at rv %d: %d created, %d updated, %d deleted", name, done.Revision, done.Created, done.Updated, done.Deleted)
	})
}

// askDelete asks before a snapshot is deleted.
func (v *Page) askDelete(name string) {
	v.env.Over = &term.Menu{Title: "Delete the snapshot?",
		Text: []string{v.env.F("Then it is no longer possible to go back to %s.", name)}, Items: []term.Item{
			{Key: "d", Label: v.env.F("delete %s", name), Do: func() {
				var done struct{}
				v.env.AskServer("delete", func(a *client.Client) error {
					return a.Send(http.MethodDelete, snapshotsPath+"?name="+url.QueryEscape(name), nil, &done)
				}, v.openSnapshots)
			}},
		}}
}

// fork starts a second server from a snapshot, and says where.
func (v *Page) fork(name string) { v.start(map[string]any{"snapshot": name}, name) }

// forkHere starts a second server from the version that is shown.
func (v *Page) forkHere() { v.forkAt(v.env.Time.Head) }

// forkNamed starts one from the version that was typed.
func (v *Page) forkNamed(words string) {
	revision, err := strconv.ParseInt(words, 10, 64)
	if err != nil || revision < 1 {
		v.env.Say(":fork takes a resourceVersion from 1 on: %q is none", words)
		return
	}
	v.forkAt(revision)
}

func (v *Page) forkAt(revision int64) {
	v.start(map[string]any{"revision": revision}, fmt.Sprintf("rv %d", revision))
}

// start starts a second server from a state that goes by a name.
func (v *Page) start(from map[string]any, name string) {
	v.env.Say("starting a server from %s", name)
	var f struct {
		ID        int
		URL, File string
	}
	v.env.AskServer("fork", func(a *client.Client) error {
		return a.Send(http.MethodPost, "/debug/fork", from, &f)
	}, func() {
		v.env.Over = &term.Menu{Title: v.env.F("Fork %d", f.ID), Text: []string{
			v.env.F("A second server has the state of %s, and ends with this one:", name), v.env.F("  %s", f.URL),
			v.env.F("  database %s", f.File)}, Items: []term.Item{
			{Key: "y", Label: "copy its address", Do: func() { v.env.CopyText("its address", f.URL) }},
			{Key: "e", Label: "end it", Do: func() { v.endFork(f.ID) }},
		}}
		v.env.Dirty = true
	})
}

func (v *Page) endFork(id int) {
	var done struct{}
	v.env.AskServer("fork", func(a *client.Client) error {
		return a.Send(http.MethodDelete, fmt.Sprint("/debug/fork?id=", id), nil, &done)
	},
		func() { v.env.Say("fork %d has ended", id) })
}

// A snapshotList shows the snapshots, oldest first, and does something with one.
type snapshotList struct {
	v      *Page
	all    []snapshot
	cursor term.List[string] // by their names
}

// newSnapshotList has the cursor on the newest one.
func newSnapshotList(v *Page, all []snapshot) *snapshotList {
	l := &snapshotList{v: v, all: all}
	l.cursor.Keep(len(all), func(i int) string { return all[i].Name })
	l.End(true)
	return l
}

func (l *snapshotList) Height() int     { return l.cursor.Height() }
func (l *snapshotList) Move(n int)      { l.cursor.Move(n) }
func (l *snapshotList) End(bottom bool) { l.cursor.End(bottom) }

func (l *snapshotList) Key(h term.Host, k string) {
	switch k {
	case "esc", "q":
		h.CloseOver()
	case "s":
		l.v.askSave()
	default:
		if i := l.cursor.At(); i >= 0 && !term.MoveBy(l, k) {
			l.do(h, k, &l.all[i])
		}
	}
	if over := l.v.env.Over; over != nil && over != term.Overlay(l) {
		l.v.env.Under = l // it comes back when the question is closed
	}
}

// do does what a key means for a snapshot.
func (l *snapshotList) do(h term.Host, k string, chosen *snapshot) {
	switch k {
	case "enter", "r":
		l.v.askRestore(chosen.Name)
	case "f":
		h.CloseOver()
		l.v.fork(chosen.Name)
	case "d":
		if chosen.Name == startSnapshot {
			h.Say("%s is made at each start, and stays", startSnapshot)
			return
		}
		l.v.askDelete(chosen.Name)
	}
}

func (l *snapshotList) Draw(c *term.Canvas, screen term.Rect) {
	w := min(screen.W-4, 76)
	from, to := l.cursor.Range(max(1, min(len(l.all), screen.H-7)))
	lines := []term.Line{term.Text(term.Head, term.Fit(fmt.Sprintf("  %8s  %-19s  %s", "rv", "saved", "name"), w-4))}
	for i := from; i < to; i++ {
		s := l.all[i]
		row := term.Line{term.Marked.Of("◆ "), term.Num.Of(fmt.Sprintf("%8d  ", s.Revision)), term.Dim.Of(s.At.Local().Format(time.DateTime) + "  "), term.Plain.Of(term.Fit(s.Name, w-38))}
		if i == l.cursor.At() {
			row = term.Mark(row, w-4)
		}
		lines = append(lines, row)
	}
	if len(l.all) == 0 {
		lines = append(lines, term.Text(term.Dim, "none yet; s saves one"))
	}
	lines = append(lines, nil, term.Line{term.Key.Of("r "), term.Dim.Of("restore  "), term.Key.Of("f "), term.Dim.Of("fork  "), term.Key.Of("d "), term.Dim.Of("delete  "), term.Key.Of("s "), term.Dim.Of("save  "), term.Key.Of("esc "), term.Dim.Of("close")})
	term.Box(c, screen, "Snapshots", lines, w)
}

// drawSnapshots marks where the snapshots are on the axis, with as much of each name as the next mark leaves room for;
// those left of the axis are not marked.
func (v *Page) drawSnapshots(c *term.Canvas, r term.Rect, names int, a timeline.Axis) {
	room := a.Width
	for _, s := range slices.Backward(v.snapshots) {
		x := a.At(s.Revision)
		if s.Revision < a.From || s.Revision > a.To || x < 0 || x >= room {
			continue
		}
		c.Put(r, names+x, 0, term.Marked, "◆")
		c.Put(r, names+x+1, 0, term.Marked, term.Fit(s.Name, min(12, room-x-2)))
		room = x
	}
}

// Commands are those of snapshots for the palette.
func (v *Page) Commands() []term.Command {
	return []term.Command{
		{Keys: ":snapshot", Help: "save a snapshot: a state that can be restored", Off: v.env.NeedsOwn(), Do: v.askSave},
		{Keys: ":snapshots", Help: "list the snapshots: restore, fork or delete one", Off: v.env.NeedsOwn(), Do: v.openSnapshots},
		{Keys: ":fork", Help: "start a second server from the version that is shown, or :fork 4176", Off: v.env.NeedsOwn(), Do: v.forkHere, Takes: v.forkNamed},
		{Keys: ":reset", Help: "restore all objects to their state after the server's start", Off: v.env.NeedsOwn(), Do: v.askStart},
	}
}
