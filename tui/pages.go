package tui

import (
	"kubarium/server/flow"
	"kubarium/tui/term"
)

// A page is one of the numbered screens: a list, and panes with what there is to say about the chosen row. What the frame, the
// mouse and the keys need of it they ask of the page; a further one is a further line in newPages.
type page interface {
	tab() tabLabel
	fold(flows []*flow.Flow) // takes what came; what pages share has taken it before
	refilter()               // lists anew what the filter lets through
	panes() []pane           // that can have the keys, from the left to the right, or from the top down
	form() form
	title(i int) (title, note term.Line)     // of the i-th pane, with a note for its right end
	draw(c *term.Canvas, i int, r term.Rect) // draws the i-th pane, which is on the screen
	click(i, x, y int)                       // a press in the i-th pane, counted from its corner; it has the keys already
	restless() bool                          // whether what is drawn changes as time goes by
}

// A pane is a part of a page that takes the keys of movement.
type pane interface {
	name() string     // as help and explain call it
	keys() []binding  // what keys do in it alone
	legend() []string // how to read it, a sentence an element
	Move(lines int)
	End(bottom bool)
	Height() int // rows that are visible
}

// A tabLabel is how a page is named among the others.
type tabLabel struct {
	name, short string // "5 Conflicts", "5Confl"
	badge       string // what is new in it: "!1"; "" for nothing
	help        string // what it shows, for help and the palette
}

// A form says how the panes of a page stand.
type form struct {
	stacked bool   // one above the other; otherwise beside each other, as many as there is room for
	two     int    // the share of the left one of two, in percent
	three   [2]int // those of the first and the second of three; zero where there are never three
}

// What a page may do beside what every page does.
type (
	// An opener is told that its page came to the front.
	opener interface{ opened() }
	// A focuser is told which of its panes has the keys.
	focuser interface{ entered(i int) }
	// A returner goes back by itself, one step; it says false if it has nothing to go back from.
	returner interface{ back() bool }
	// A typist has a line that is being typed, which takes all keys meanwhile.
	typist interface {
		typing() bool
		typed(k string)
		pasted(s string)
	}
	// A narrower has a filter of its own, and draws the line of it.
	narrower interface {
		drawNarrow(c *term.Canvas, r term.Rect)
	}
	// A pointer is a page whose row stands for a request, which the keys that work on a request then take.
	pointer interface{ chosen() *flow.Flow }
	// A teller answers what is typed in plain mode, and reports whether it knows the word.
	teller interface {
		tell(word, rest string, print func(format string, args ...any)) bool
		wordsHelp() string // what the words mean
	}
	// A commander has commands that have no key.
	commander interface{ commands() []term.Command }
	// A counter says how many rows there are, and how many of them the filter lets through.
	counter interface{ count() rowCount }
)

// A rowCount is how much of something is shown.
type rowCount struct {
	what       string // one of them: "request"
	shown, all int    // what the filter lets through, of how many
	newer      int    // rows that came since the selection was pinned
	own        int    // rows that are Kubarium's own and hidden
}

// A binding is a key and what it does. Keys are tied to nothing else: the line of hints, help and the palette are made from bindings.
type binding struct {
	keys []string
	hint string        // two words for the line of hints; "" keeps it out of there
	help string        // a sentence for help and palette
	off  func() string // why the key can do nothing now; nil or "" says that it can
	do   func()
}

// why is the reason that b can do nothing now, "" if it can.
func (b *binding) why() string {
	if b.off == nil {
		return ""
	}
	return b.off()
}

// A speaker is a page that plain mode can tell: its rows as numbered sentences, and what there is to say about one.
type speaker interface {
	sentences() []string
	about(number uint64) []sheetLine // nil if there is no such row
}

// plainWidth is how wide the lines about a row are made.
const plainWidth = 117
