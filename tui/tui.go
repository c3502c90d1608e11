package tui

import (
	"io"
	"net/http"
	"time"

	"kubarium/analysis/chain"
	"kubarium/flow"
	"kubarium/tui/learn"
	"kubarium/tui/term"
)

// Options says what the UI shows and how.
type Options struct {
	Log *flow.Log
	Why *chain.Follower // what led to its writes, where the program follows that already; nil else
	URL string          // where the API listens: "http://127.0.0.1:8080"
	DB  string          // path of the database file, to be shown
	// Kubeconfig is the file by which kubectl finds the API; "" where the address does.
	Kubeconfig string
	Version    string // Kubarium's own, to be shown

	Source    Source            // whose run it is
	Transport http.RoundTripper // how URL is reached; nil is http.DefaultTransport

	Other   *Other   // a second run, to be compared with the one that is shown; nil for none
	Command *Command // the command that the server was started for; nil for none

	Theme        string // auto, dark, light, mono or contrast; "" is auto
	FPS          int    // the most frames per second for what happens; 0 is 10. Keys are answered at once
	ASCII        bool   // draw with ASCII only; chosen as well where the terminal needs it
	SafeWidth    bool   // draw no glyphs that a terminal may show two cells wide; chosen as well where the locale needs it
	Plain        bool   // append sentences instead of drawing a screen, and take typed commands
	ReduceMotion bool   // no sparkline and no moving marks
	NoIntro      bool   // do not show the first-run card

	// StateDir is the folder where the UI keeps that the card was dismissed, how lessons ended, and copies that were
	// too long for the clipboard; with "" it keeps nothing, and such copies go to the folder for temporary files.
	StateDir string
	Lessons  []learn.Lesson // none hides the page Learn
	// Languages are those of the lessons, the original first; none if it is the only one. Retell changes to one of
	// them, and returns the lessons in it, with their players.
	Languages []string
	Language  string // that of the screen, a tag of BCP 47; "" is English
	Retell    func(language string) ([]learn.Lesson, error)
	Scenario  string // Name of the lesson to open on; "" opens on Traffic

	In  io.Reader // nil is the terminal
	Out io.Writer // nil is the terminal

	Now   func() time.Time // the time in the run that is shown; nil is time.Now
	Clock func() time.Time // the time on the wall; nil is Now, or time.Now for a recording
}

// An Other is a second run.
type Other struct {
	Log  *flow.Log
	Name string // the file of its recording
	URL  string // where its API listened
	DB   string
	Now  func() time.Time // the time in that run
}

// Themes are the values of Options.Theme.
func Themes() []string { return term.Themes() }

// A Quit says how the user left the UI.
type Quit int

const (
	QuitStop  Quit = iota // the server is to stop as well
	QuitServe             // only the UI is closed; the server goes on
	QuitAnew              // the UI is to begin again, on the run that the source has begun (Source.Anew)
)

// charset is what the terminal is sent.
func (o *Options) charset() term.Charset {
	switch {
	case o.ASCII:
		return term.ASCIIOnly
	case o.SafeWidth:
		return term.SafeWidth
	}
	return term.AllGlyphs
}
