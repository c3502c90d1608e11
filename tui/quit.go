package tui

import (
	"time"

	"kubarium/tui/page"
	"kubarium/tui/term"
)

// askQuit asks before the server stops, and the command that it was started for. Where leaving stops nothing, or the
// command has ended already, it leaves.
func (u *ui) askQuit() {
	command := u.o.Command
	if u.o.Source.Kind != Own || command != nil && !command.Running() {
		u.Do(quitEffect{QuitStop})
		return
	}
	text := []string{u.F("The API server at %s stops as well.", u.URL)}
	quit, detach := "quit: stop the server and leave", "detach: close the UI, keep serving"
	if command != nil {
		text = []string{u.F("The command is interrupted, and the API server at %s stops.", u.URL)}
		quit, detach = "quit: end the command and the server", "detach: close the UI, keep both running"
	}
	u.Over = &term.Menu{
		Title: "Quit Kubarium?",
		Text:  text,
		Items: []term.Item{
			{Key: "q", Label: quit, Do: func() { u.Do(quitEffect{QuitStop}) }},
			{Key: "d", Label: detach, Do: func() { u.Do(quitEffect{QuitServe}) }},
		},
	}
}

// heedCommand says what happens to the command from now on.
func (u *ui) heedCommand() {
	if u.o.Command == nil {
		return
	}
	news := commandNews{of: u.o.Command}
	var listen func()
	listen = func() {
		u.Do(page.Listen{C: news.of.Changed, Do: func() {
			u.Dirty = true
			news.say(u.Say)
			listen()
		}})
	}
	listen()
}

// needsOwn says why the server cannot be kept serving without the UI.
func (u *ui) needsOwn() string {
	return page.Unless(u.o.Source.Kind == Own, "the server is not in this process")
}

// heed says what happens to the source from now on.
func (u *ui) heed() {
	if c := u.o.Source.Changed; c != nil {
		u.Do(page.Listen{C: c, Do: func() {
			u.sourceChanged()
			u.heed()
		}})
	}
}

func (u *ui) sourceChanged() {
	u.Dirty = true
	for _, text := range u.o.Source.News() {
		u.Say("%s", text)
	}
	if u.needsNewRun() == "" && u.Over == nil {
		u.askAnew()
	}
}

// needsNewRun says why there is no other run to show, "" if there is one.
func (u *ui) needsNewRun() string {
	anew := u.o.Source.Anew
	return page.Unless(anew != nil && anew(), "the server has not started again")
}

// askAnew offers the run that the server has begun. It replaces what is on the screen.
func (u *ui) askAnew() {
	u.Over = &term.Menu{
		Title: "The server has started again",
		Text:  []string{"The screen shows its earlier run.", "esc keeps that; :anew shows the new run later."},
		Items: []term.Item{{Key: "n", Label: "show the new run", Do: func() { u.Do(quitEffect{QuitAnew}) }}},
	}
}

// interrupt quits when it comes twice within two seconds.
func (u *ui) interrupt() {
	now := u.Clock()
	if now.Before(u.armed) {
		u.Do(quitEffect{QuitStop})
		return
	}
	u.armed = now.Add(2 * time.Second)
	ends := "quits and stops the API server; q asks"
	switch {
	case u.o.Source.Kind != Own, u.o.Command != nil && !u.o.Command.Running():
		ends = "leaves, as q does"
	case u.o.Command != nil:
		ends = "quits and ends the command and the API server; q asks"
	}
	u.Say("^c once more %s", ends)
}
