// Package page is the contract between the screen and its numbered pages: what a page is (Page, Pane), what it knows of
// the screen and may ask of it (Env), and the one selection that all of them share. No page imports another.
//
// A page names its panes, says what state they are in, draws them, and binds their keys. Env is all that a page is
// given: the log, the clock, the selection, the feed of requests, what was committed, the watches, what was listed, and
// what only the root does (Screen). Env.Now is the time in the run, which does not move at the end of a recording: ages
// count from it. Env.Clock is the time on the wall, for what is shown for a while and for rates. Env.Namespace narrows
// the pages of objects (InScope), not those of requests, which have a filter.
package page
