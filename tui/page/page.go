package page

import (
	"kubarium/flow"
	"kubarium/tui/term"
)

// A Page is one of the numbered screens: a list, and panes with details of the selected row. The frame, the mouse and
// the keys know pages by this interface alone; another page is another line in newPages.
type Page interface {
	Tab() Tab
	Fold(flows []*flow.Flow) // takes what came; what pages share has taken it before
	Refilter()               // lists again what the filter lets through
	Panes() []Pane           // that can have the keys, from the left to the right, or from the top down
	Form() Form
	Title(i int) (title, note term.Line)     // of the i-th pane, with a note for its right end
	Draw(c *term.Canvas, i int, r term.Rect) // draws the i-th pane, which is on the screen
	Click(i, x, y int)                       // a press in the i-th pane, counted from its corner; it has the keys already
	Restless() bool                          // whether what is drawn changes as time goes by
}

// A Pane is a part of a page that takes the keys of movement.
type Pane interface {
	Name() string     // as help and explain call it
	Keys() []Binding  // what keys do in it alone
	Legend() []string // how to read it, a sentence an element
	Move(lines int)
	End(bottom bool)
	Height() int // rows that are visible
}

// A Tab is how a page is named among the others.
type Tab struct {
	Name, Short string // "5 Conflicts", "5Confl"
	Badge       string // what is new in it: "!1"; "" for nothing
	Rate        string // how much happens in it: "12/s"; "" for nothing
	Means       string // what badge and rate mean now, each with its sign; "" where there is neither
	Help        string // what it shows, for help and the palette
}

// A Form says how the panes of a page are laid out.
type Form struct {
	Stacked bool   // one above the other; otherwise side by side, as many as there is room for
	Beside  int    // of stacked panes: the width of the screen from which on they are side by side; 0 for never
	Foot    bool   // the third pane lies below the others, across the whole width
	Two     int    // the share of the left one of two, in percent
	Three   [2]int // those of the first and the second of three; zero where there are never three
}

// Optional interfaces of a page.
type (
	// Opened of an Opener is called when its page comes to the front.
	Opener interface{ Opened() }
	// Entered of a Focuser is called when its i-th pane gets the keys.
	Focuser interface{ Entered(i int) }
	// A Returner goes back one step by itself; it returns false if it has no step to go back.
	Returner interface{ Back() bool }
	// A Typist has a line that takes all keys while it is being typed.
	Typist interface {
		Typing() bool
		Typed(k string)
		Pasted(s string)
	}
	// A Narrower has a filter of its own, and draws the line of it.
	Narrower interface {
		Narrowed() bool // by words
		DrawNarrow(c *term.Canvas, r term.Rect)
	}
	// A Pointer is a page whose rows have requests, for the keys that work on a request.
	Pointer interface{ Chosen() *flow.Flow }
	// A Teller answers what is typed in plain mode, and reports whether it knows the word.
	Teller interface {
		Tell(word, rest string, print func(format string, args ...any)) bool
		WordsHelp() string // what the words mean
	}
	// A Whose is a page, or a pane, whose rows have clients other than those of their requests: the tag of the row's
	// client, or why there is none.
	Whose interface{ Whose() (tag, why string) }
	// A Commander has commands that have no key.
	Commander interface{ Commands() []term.Command }
	// An Interpreter has commands of words that it knows the meaning of, such as the name of a resource.
	Interpreter interface {
		Interpret(line string) []term.Command
	}
	// A Counter says how many rows there are, and how many of them the filter lets through.
	Counter interface{ Count() Count }
)

// A Count is how much of something is shown.
type Count struct {
	What       string // one of them: "request"
	Shown, All int    // rows that the filter lets through, and all
	Newer      int    // rows that came since the selection was pinned
	Own        int    // rows that are Kubarium's own and hidden
	Last       bool   // older ones are not in All: it is the number of the last that are kept
}

// A Binding is a key and what it does. Keys are bound nowhere else: the line of hints, help and the palette are made
// from bindings.
type Binding struct {
	Keys []string
	Hint string        // two words for the line of hints; "" keeps it out of there
	Help string        // a sentence for help and palette
	Off  func() string // why the key can do nothing now; nil or "" says that it can
	Do   func()
}

// Why is the reason that b can do nothing now, "" if it can.
func (b *Binding) Why() string {
	if b.Off == nil {
		return ""
	}
	return b.Off()
}

// A Speaker is a page that plain mode can print: its rows as numbered sentences, and the details of one.
type Speaker interface {
	Word() string // which asks for it: "lists"; "" for a page that only a Teller prints
	Sentences() []string
	Nothing() string                 // printed where there is no row
	About(number uint64) []SheetLine // nil if there is no such row
}

// PlainWidth is how wide the lines about a row are made.
const PlainWidth = 117
