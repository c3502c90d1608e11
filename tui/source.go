package tui

import (
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// A Source is the run that is shown.
type Source struct {
	Kind    SourceKind
	Name    string        // shown in place of the address: the file of a recording; "" is the address
	File    string        // of a recording: its path; "" where the run is asked of the server
	Bare    bool          // of a recording: the objects of the store are not in it
	Context string        // glass, here or attached: the context of the server
	Through bool          // attached: to a glass elsewhere
	Writes  bool          // glass: the reader may write through it
	Before  uint64        // attached: the newest request of before; plain mode does not print those
	Note    func() string // a word on how it is now, "CUT" or "FOLLOWING"; nil or "" for nothing. It may be asked at any time

	// Trouble is why the server can store nothing, in one line, for as long as that is so; nil or "" for nothing.
	Trouble func() string

	// Changed receives when there is News, or when Trouble or Anew has changed; nil where that never happens.
	Changed <-chan struct{}
	News    func() []string // what has happened to the source since it was asked last, to be said
	Anew    func() bool     // whether the server runs again, and what it does now is another run: QuitAnew asks for that
}

// ended reports whether the run is over, so that nothing more comes.
func (s *Source) ended() bool { return s.Kind == Recording && (s.Note == nil || s.Note() != Following) }

// Following is the note of a recording that goes on.
const Following = "FOLLOWING"

// A SourceKind says whose run it is.
type SourceKind int

const (
	Own       SourceKind = iota // of the server in this process: it ends with the UI
	Attached                    // of a server elsewhere, which goes on
	Recording                   // of a server that was recorded: nothing can be asked of it, or changed
	Glass                       // of another server, seen through the glass in this process
)

// title is what the header begins with.
func (s *Source) title() (string, term.Style) {
	switch s.Kind {
	case Attached:
		return " ATTACHED ", term.Mode
	case Recording:
		return " RECORDING ", term.Mode
	case Glass:
		return " GLASS ", term.Mode
	}
	return "KUBARIUM", term.Bold
}

// words say whose run is shown.
func (s *Source) words() string {
	switch s.Kind {
	case Attached:
		return "the run of a server elsewhere"
	case Glass:
		return "what goes through the glass to " + s.Context
	case Recording:
		return "the recording " + s.Name + term.Pick(s.Bare, ", requests alone", "")
	}
	return "the run of the server in this process"
}

// live is the word for how the screen follows the run while it is not frozen.
func (s *Source) live() string {
	if s.Note != nil {
		if note := s.Note(); note != "" {
			return note
		}
	}
	return term.Pick(s.Kind == Recording, "", live)
}

const live = "LIVE"

// trouble is why the server can store nothing, "" if it can.
func (s *Source) trouble() string {
	if s.Trouble == nil {
		return ""
	}
	return s.Trouble()
}

// readOnly says why nothing can be changed, "" if it can.
func (s *Source) readOnly() string {
	switch {
	case s.Kind == Recording:
		return "this is a recording: it cannot be changed"
	case s.Through:
		return "a glass that is attached to only shows"
	case s.Kind == Glass && !s.Writes:
		return "the glass only shows; start it with --allow-writes to write through it"
	}
	return ""
}

// foreign says why the server cannot be asked for what is Kubarium's own, "" if it can.
func (s *Source) foreign() string {
	return page.Unless(s.Kind != Glass && !s.Through, "that is inside the server")
}

// noGate says why there is no gate to ask for, "" if there may be one.
func (s *Source) noGate() string {
	switch {
	case s.Kind == Recording:
		return s.readOnly()
	case s.Kind == Glass && !s.Writes:
		return "the glass only shows; start it with --allow-writes for a gate"
	}
	return ""
}
