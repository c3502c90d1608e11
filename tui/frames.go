package tui

import (
	"fmt"
	"strings"

	"kubarium/server/flow"
	"kubarium/server/flow/relist"
)

// frames lists what was written to one watch stream, oldest first.
type frames struct {
	u      *env
	of     *flow.Watch
	list   []flow.Frame
	cursor int
	top    int
	tall   int
	follow bool
}

func (f *frames) name() string { return "frames" }
func (f *frames) height() int  { return max(1, f.tall) }

// fold takes the last frames of a watch, and keeps the cursor on its frame.
func (f *frames) fold(w *flow.Watch) {
	if w != f.of {
		f.of, f.follow, f.cursor, f.top = w, true, 0, 0
	}
	at := f.current().Number
	f.list = nil
	if w != nil {
		f.list = w.Frames()
	}
	f.cursor = max(0, min(f.cursor, len(f.list)-1))
	if f.follow {
		f.cursor = max(0, len(f.list)-1)
		return
	}
	for i := range f.list {
		if f.list[i].Number == at {
			f.cursor = i
		}
	}
}

func (f *frames) current() flow.Frame {
	if f.cursor >= len(f.list) {
		return flow.Frame{}
	}
	return f.list[f.cursor]
}

func (f *frames) move(n int) {
	if f.follow && n > 0 {
		return
	}
	f.follow = false
	f.cursor = max(0, min(f.cursor+n, len(f.list)-1))
}

func (f *frames) end(bottom bool) {
	f.follow = bottom
	f.cursor = 0
	if bottom {
		f.cursor = max(0, len(f.list)-1)
	}
}

// title says whose frames these are.
func (f *frames) title() line {
	if f.of == nil {
		return text(sDim, "frames")
	}
	s := f.of.State()
	l := line{{sPlain, "frames of "}, {sAccent, f.of.Client.Tag + " "}, {sBold, watchName(f.of)}}
	if s.Ended.IsZero() {
		return append(l, span{sOpen, "  ◉ open"})
	}
	if relist.Expired(s) {
		return append(l, span{sErr, "  ✗ 410 Gone: "}, span{sPlain, "what comes next is compacted; the client lists again"})
	}
	return append(l, span{sDim, "  ○ " + s.Cause})
}

// summary is what is known of the stream as a whole.
func (f *frames) summary() line {
	s := f.of.State()
	start := "with what there is"
	if f.of.Start > 0 {
		start = fmt.Sprintf("after rv %d", f.of.Start)
	}
	l := line{{sDim, "began " + start}, {sDim, fmt.Sprintf(" · %s · %s", f.of.Media, bytesText(int64(s.Bytes)))}}
	if relist.Expired(s) {
		return l
	}
	l = append(l, span{sDim, " · resumes at "}, span{sBold, revision(max(s.Last, f.of.Start))})
	if s.LastEvent != s.Last {
		l = append(l, span{sDim, fmt.Sprintf(", without bookmarks at %s", revision(max(s.LastEvent, f.of.Start)))})
	}
	return l
}

func (f *frames) draw(c *canvas, r rect) {
	if r.empty() || f.of == nil {
		return
	}
	c.line(r, 2, 0, fitLine(f.summary(), r.w-3))
	head := 1
	if old, ok := f.u.streams.relists[f.of.ID]; ok {
		c.line(r, 2, 1, fitLine(relistStory(old, f.of), r.w-3))
		head = 2
	}
	c.put(r, 2, head, sHead, frameHead)
	body := r.from(head + 1)
	f.tall = body.h
	if len(f.list) == 0 {
		c.put(body, 2, 0, sDim, "Nothing was written to this stream yet.")
		return
	}
	f.top = max(0, min(f.top, f.cursor), f.cursor-body.h+1)
	for y := 0; y < body.h && f.top+y < len(f.list); y++ {
		row := body.row(y)
		c.line(row, 2, 0, fitLine(frameLine(f.list[f.top+y]), r.w-3))
		if f.top+y == f.cursor {
			c.put(row, 0, 0, sBold, "▸")
			c.restyle(row, f.u.rowStyle(1))
		}
	}
}

const frameHead = "    no  written       type            rv     size     after  object"

// frameLine is one frame in columns; "after" is the time from the commit to the socket.
func frameLine(fr flow.Frame) line {
	after := "–"
	if !fr.Committed.IsZero() {
		after = ago(fr.Written.Sub(fr.Committed))
	}
	st, _ := frameGlyph(fr.Type)
	object := fr.Name
	if fr.Namespace != "" && fr.Namespace != "default" {
		object += " @" + fr.Namespace
	}
	return line{
		{sDim, fmt.Sprintf("%6d  %s  ", fr.Number, fr.Written.Format("15:04:05.000"))},
		{st, pad(fr.Type, 9)},
		{sPlain, fmt.Sprintf("%8s %8s ", revision(fr.Revision), bytesText(int64(fr.Size)))},
		{sNum, pad(strings.Repeat(" ", max(0, 9-len([]rune(after))))+after, 9)},
		{sPlain, "  " + object},
	}
}

// cause is the request that made the change of the selected frame, nil if it is not held.
func (f *frames) cause() *flow.Flow {
	rv := f.current().Revision
	if rv == 0 {
		return nil
	}
	return f.u.maker(rv)
}

func (f *frames) keys() []binding {
	return []binding{{keys: []string{"enter"}, hint: "request", help: "show the request that caused the selected frame", off: f.needsCause, do: func() { f.u.jump(f.cause()) }}}
}

func (f *frames) needsCause() string {
	return unless(f.cause() != nil, "no held request made this frame's change")
}

func (f *frames) legend() []string {
	return []string{"Each line is an event that was written to the selected watch, with its revision and size.",
		"after is the time from the commit of the change to the socket; bookmarks and the first objects have none.",
		"enter goes to the request that made the change."}
}
