package tui

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// A snapshot is a state that the server can go back to.
type snapshot struct {
	Name     string
	Revision int64
	At       time.Time
}

// startSnapshot is that which the server makes at its start.
const startSnapshot = "start"

// snapshotsPath is where the server tells of snapshots.
const snapshotsPath = "/debug/snapshots"

// askServer does something over HTTP off the loop, and then says what came of it; done is for an answer that is no refusal.
func (u *env) askServer(doing string, ask func(a *api) error, done func()) {
	a := u.api
	u.do(workEffect{func() func() {
		err := ask(a)
		return func() {
			if err != nil {
				u.say("%s: %s", doing, err)
				return
			}
			done()
		}
	}})
}

// readSnapshots asks for the snapshots that the axis shows, and says nothing where it gets no answer.
func (v *versions) readSnapshots() {
	a := v.u.api
	v.u.do(workEffect{func() func() {
		all, err := readSnapshots(a)
		return func() {
			if err == nil {
				v.snapshots, v.u.dirty = all, true
			}
		}
	}})
}

func readSnapshots(a *api) ([]snapshot, error) {
	var list struct{ Snapshots []snapshot }
	err := a.read(snapshotsPath, nil, asPlainJSON, &list)
	return list.Snapshots, err
}

// askSave asks for a name and keeps the state as it is under it.
func (v *versions) askSave() {
	v.u.over = &prompt{
		title: "Save a snapshot", text: []string{"Its objects can be gone back to, whatever is compacted.", "Name: lower-case letters, digits and -"},
		edit: newLineEdit(fmt.Sprintf("rv-%d", v.u.time.head)), done: func(name string) { v.save(name, false) },
	}
}

func (v *versions) save(name string, replace bool) {
	var saved snapshot
	a := v.u.api
	v.u.do(workEffect{func() func() {
		err := a.send(http.MethodPost, snapshotsPath, map[string]any{"name": name, "replace": replace}, &saved)
		return func() {
			switch r, refused := err.(*refusal); {
			case refused && r.Code == http.StatusConflict && !replace:
				v.askReplace(name, r.Message)
			case err != nil:
				v.u.say("save: %s", err)
			default:
				v.u.say("saved %s: rv %d, ◆ above the axis; S lists snapshots", saved.Name, saved.Revision)
				v.readSnapshots()
			}
		}
	}})
}

// askReplace asks whether a snapshot may go for another of its name.
func (v *versions) askReplace(name, why string) {
	v.u.over = &menu{title: "Replace the snapshot?", text: []string{why}, items: []item{
		{key: "r", label: "replace " + name + ": what it has is lost", do: func() { v.save(name, true) }},
	}}
}

// openSnapshots lists the snapshots.
func (v *versions) openSnapshots() {
	var all []snapshot
	v.u.askServer("snapshots", func(a *api) (err error) {
		all, err = readSnapshots(a)
		return err
	}, func() {
		v.snapshots, v.u.dirty = all, true
		v.u.over = &snapshotList{v: v, all: all, cursor: len(all) - 1}
	})
}

// askStart asks whether to go back to what stood after the start.
func (v *versions) askStart() { v.askRestore(startSnapshot) }

// askRestore asks before everything since a snapshot is thrown away.
func (v *versions) askRestore(name string) {
	v.u.over = &menu{
		title: "Go back to " + name + "?",
		text:  []string{"All objects become what they were then; what was changed since is lost,", "unless a snapshot has it. Watches end with 410 Gone, and clients list again."},
		items: []item{{key: "r", label: "restore " + name, do: func() { v.restore(name) }},
			{key: "s", label: "save a snapshot first", do: v.askSave}},
	}
}

func (v *versions) restore(name string) {
	var done struct{ Revision, Created, Updated, Deleted int64 }
	v.u.askServer("restore", func(a *api) error {
		return a.send(http.MethodPost, "/debug/restore", map[string]string{"snapshot": name}, &done)
	}, func() {
		v.u.say("back to %s at rv %d: %d created, %d updated, %d deleted", name, done.Revision, done.Created, done.Updated, done.Deleted)
	})
}

// askDelete asks before a snapshot is forgotten.
func (v *versions) askDelete(name string) {
	v.u.over = &menu{title: "Delete the snapshot?", text: []string{"Nobody can go back to " + name + " then."}, items: []item{
		{key: "d", label: "delete " + name, do: func() {
			var done struct{}
			v.u.askServer("delete", func(a *api) error {
				return a.send(http.MethodDelete, snapshotsPath+"?name="+url.QueryEscape(name), nil, &done)
			}, v.openSnapshots)
		}},
	}}
}

// fork starts a second server from a snapshot, and says where.
func (v *versions) fork(name string) {
	v.u.say("starting a server from %s", name)
	var f struct {
		ID        int
		URL, File string
	}
	v.u.askServer("fork", func(a *api) error {
		return a.send(http.MethodPost, "/debug/fork", map[string]string{"snapshot": name}, &f)
	}, func() {
		v.u.over = &menu{title: fmt.Sprintf("Fork %d", f.ID), text: []string{"A second server has the state of " + name + ", and ends with this one:", "  " + f.URL, "  database " + f.File}, items: []item{
			{key: "y", label: "copy its address", do: func() { v.u.do(copyEffect{f.URL}) }},
			{key: "e", label: "end it", do: func() { v.endFork(f.ID) }},
		}}
		v.u.dirty = true
	})
}

func (v *versions) endFork(id int) {
	var done struct{}
	v.u.askServer("fork", func(a *api) error { return a.send(http.MethodDelete, fmt.Sprint("/debug/fork?id=", id), nil, &done) },
		func() { v.u.say("fork %d has ended", id) })
}

// A snapshotList shows the snapshots, oldest first, and does something with one.
type snapshotList struct {
	v      *versions
	all    []snapshot
	cursor int
}

func (l *snapshotList) key(h host, k string) {
	var chosen *snapshot
	if l.cursor >= 0 && l.cursor < len(l.all) {
		chosen = &l.all[l.cursor]
	}
	switch k {
	case "j", "down":
		l.cursor = min(l.cursor+1, len(l.all)-1)
	case "k", "up":
		l.cursor = max(l.cursor-1, 0)
	case "g", "home":
		l.cursor = 0
	case "G", "end":
		l.cursor = len(l.all) - 1
	case "esc", "q":
		h.closeOver()
	case "s":
		l.v.askSave()
	}
	if chosen == nil {
		return
	}
	switch k {
	case "enter", "r":
		l.v.askRestore(chosen.Name)
	case "f":
		h.closeOver()
		l.v.fork(chosen.Name)
	case "d":
		if chosen.Name == startSnapshot {
			h.say("%s is made at each start, and stays", startSnapshot)
			return
		}
		l.v.askDelete(chosen.Name)
	}
}

func (l *snapshotList) draw(c *canvas, screen rect) {
	w := min(screen.w-4, 76)
	tall := max(1, min(len(l.all), screen.h-7))
	top := max(0, l.cursor-tall+1)
	lines := []line{text(sHead, fit(fmt.Sprintf("  %8s  %-19s  %s", "rv", "saved", "name"), w-4))}
	for i := top; i < min(len(l.all), top+tall); i++ {
		s := l.all[i]
		row := line{{sMark, "◆ "}, {sNum, fmt.Sprintf("%8d  ", s.Revision)}, {sDim, s.At.Local().Format(time.DateTime) + "  "}, {sPlain, fit(s.Name, w-38)}}
		if i == l.cursor {
			row = mark(row, w-4)
		}
		lines = append(lines, row)
	}
	if len(l.all) == 0 {
		lines = append(lines, text(sDim, "none yet; s saves one"))
	}
	lines = append(lines, nil, line{{sKey, "r "}, {sDim, "restore  "}, {sKey, "f "}, {sDim, "fork  "}, {sKey, "d "}, {sDim, "delete  "}, {sKey, "s "}, {sDim, "save  "}, {sKey, "esc "}, {sDim, "close"}})
	box(c, screen, "Snapshots", lines, w)
}

// drawSnapshots marks where the snapshots are on the axis, with as much of each name as the next mark leaves room for; those left of
// the axis are not marked.
func (v *versions) drawSnapshots(c *canvas, r rect, names int, a axis) {
	room := a.width
	for _, s := range slices.Backward(v.snapshots) {
		x := a.at(s.Revision)
		if s.Revision < a.from || s.Revision > a.to || x < 0 || x >= room {
			continue
		}
		c.put(r, names+x, 0, sMark, "◆")
		c.put(r, names+x+1, 0, sMark, fit(s.Name, min(12, room-x-2)))
		room = x
	}
}

// commands are those of snapshots for the palette.
func (v *versions) commands() []command {
	return []command{
		{keys: ":snapshot", help: "save a snapshot: a state that can be gone back to", do: v.askSave},
		{keys: ":snapshots", help: "list the snapshots, to go back to one, fork or delete it", do: v.openSnapshots},
		{keys: ":reset", help: "make all objects what they were after the start of the server", do: v.askStart},
	}
}
