package label

import (
	"fmt"
	"strings"

	"kubarium/cells"
	"kubarium/flow"
	"kubarium/tui/term"
)

// ShortPath cuts a path from its left, where it matters least.
func ShortPath(path string, w int) string {
	path = strings.TrimPrefix(path, ".")
	if w < 4 {
		return term.Fit(path, w)
	}
	return cells.FitLeft(path, w)
}

// Frame returns one frame in columns; "after" is the time from the commit to the socket.
func Frame(fr flow.Frame) term.Line {
	after := "–"
	if !fr.Committed.IsZero() {
		after = term.Ago(fr.Written.Sub(fr.Committed))
	}
	st, _ := FrameGlyph(fr.Type)
	object := fr.Name
	if fr.Namespace != "" && fr.Namespace != "default" {
		object += " @" + fr.Namespace
	}
	return term.Line{
		term.Dim.Of(fmt.Sprintf("%6d  %s  ", fr.Number, fr.Written.Format("15:04:05.000"))),
		st.Of(term.Pad(fr.Type, 9)),
		term.Version.Of(fmt.Sprintf("%8s", Revision(fr.Revision))), term.Plain.Of(fmt.Sprintf(" %8s ", term.BytesText(int64(fr.Size)))),
		term.Num.Of(term.Pad(strings.Repeat(" ", max(0, 9-cells.Width(after)))+after, 9)),
		term.Plain.Of("  " + object),
	}
}

// FrameGlyph returns the letter of a frame on its lane.
func FrameGlyph(kind string) (term.Style, string) {
	switch kind {
	case "ADDED":
		return term.Add, "A"
	case "MODIFIED":
		return term.Bold, "M"
	case "DELETED":
		return term.Del, "D"
	case "BOOKMARK":
		return term.Dim, "◇"
	}
	return term.Err, "E"
}

// FrameHead is the heading of the columns of Frame.
const FrameHead = "    no  written       type            rv     size     after  object"

// HasWords reports whether each of the words is in one of the texts, ignoring case.
func HasWords(words string, texts ...string) bool {
	all := strings.ToLower(strings.Join(texts, " "))
	for _, w := range strings.Fields(strings.ToLower(words)) {
		if !strings.Contains(all, w) {
			return false
		}
	}
	return true
}
