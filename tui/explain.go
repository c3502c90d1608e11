package tui

import (
	"cmp"
	"fmt"

	"kubarium/tui/term"
)

// explain says in words what the focused pane shows, and what the header and the tabs say now.
func (u *ui) explain() {
	p := u.pane()
	words, header, tabs := p.Legend(), u.headerMeans(), u.tabsMean()
	u.Over = &term.Reader{Title: u.F("What this shows: %s", u.T(p.Name())), Lines: func(w int) []term.Line {
		out := &term.Column{W: w}
		for _, s := range words {
			out.Say(term.Plain, u.T(s))
			out.Blank()
		}
		for _, part := range []struct {
			title string
			signs []meaning
		}{{"In the header now", header}, {"On the tabs now", tabs}} {
			if len(part.signs) > 0 {
				out.Title(u.T(part.title))
			}
			for _, m := range part.signs {
				out.Field(m.sign, signWidth, term.Plain, m.words)
			}
		}
		return out.Lines
	}}
}

// A meaning is a sign of the frame as it is now, and what it means.
type meaning struct{ sign, words string }

// signWidth is how much room the signs have.
const signWidth = 14

// modeWords are what the words for the mode mean.
var modeWords = map[string]string{
	live:      "new requests are shown as they come, and the newest is selected",
	"PINNED":  "the selected request stays selected, whatever comes; f or G follows the newest again",
	"FROZEN":  "the picture does not move; recording goes on, and p shows the present again",
	Following: "the recording still grows, and its end is followed",
}

// headerMeans explains what is in the header now.
func (u *ui) headerMeans() (out []meaning) {
	add := func(yes bool, sign, format string, args ...any) {
		if yes {
			out = append(out, meaning{sign, fmt.Sprintf(format, args...) + "."})
		}
	}
	add(u.past(), "PAST", "all pages are as they were while this resourceVersion was the newest; clients notice nothing")
	add(true, fmt.Sprintf("rv %d", u.live.Time.Head), "the newest resourceVersion that the server has given; each change gets the next one")
	if !u.past() && !u.Past() && !u.quiet {
		add(true, fmt.Sprintf("%s/s", term.Count(u.rate.PerSecond(u.Clock()))), "requests of clients in the last second; each bar is one of the seconds before")
		n := u.Streams.Open()
		add(n > 0, fmt.Sprintf("◉ %d", n), "so many watches are open")
	}
	mode := u.mode()
	add(mode != "", mode, "%s", cmp.Or(modeWords[mode], "the server is not reached as it was; the screen keeps what it has"))
	add(u.o.Source.trouble() != "", "NO WRITES", "the server can store nothing; the line below says why")
	rules, held := len(u.Gate.Rules), len(u.Gate.Held)
	add(rules > 0, fmt.Sprintf("FAULTS %d", rules), "so many rules of the gate touch requests on purpose; 9 shows them")
	add(held > 0, fmt.Sprintf("HELD %d", held), "so many requests wait at the gate for you; 9 shows them")
	add(u.Namespace != "", "ns "+u.Namespace, "the pages of objects show this namespace alone; :ns shows all")
	add(u.Unmasked, "UNMASKED", "Secrets and Authorization headers are shown and copied as they are; :unmask masks them")
	n := u.lagging()
	add(n > 0, fmt.Sprintf("%d lag", n), "so many open watches have not sent a change that is older than 2 s; 2 shows which")
	add(u.lost > 0, "drop "+term.Count(u.lost), "so many requests were no longer kept when the screen came to them")
	add(u.agedOut() > 0 && !u.past(), term.Count(u.agedOut()), "so many requests of clients are no longer kept; the memory for them (ring) is %d %% "+
		"full: %s", u.ringFull(), u.kept())
	add(len(u.Marks) > 0, fmt.Sprintf("◆ %d", len(u.Marks)), "so many requests are marked, and stay in memory")
	add(u.quiet, "Q", "shows more: the axis of versions, rates, the line of the filter, further keys")
	return out
}

// tabsMean explains what is written after the names of the tabs now.
func (u *ui) tabsMean() (out []meaning) {
	row := u.tabs()
	for i := range row.tabs {
		if t := &row.tabs[i].label; t.Means != "" {
			out = append(out, meaning{t.Name, t.Means})
		}
	}
	return out
}
