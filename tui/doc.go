// Package tui is Kubarium's terminal UI: a live microscope for an API server.
//
//	flow.Log ─ wake ─► program ─► root: fold ─► feed, timeline, streams, listing ─► the pages ─► canvas ─► frame
//	    keys, mouse ─► program ─► root: bindings of the pane with the keys ─► page ─► Env: select, say, an effect
//
// Watching costs the watched nothing: the UI only reads the flow.Log, at its own pace, and no server goroutine ever
// waits for it or for the terminal. What it could not show it counts and says. It knows flows and lessons, never the
// server's or the store's own state, and it changes things only over HTTP, as any client does, with the User-Agent
// flow.ActionAgent.
//
// The UI proper (type ui and its pages) is plain: keys come in as names, time as a function, and a frame goes out as a
// string. program.go, editor.go and package term alone know Bubble Tea. What takes time is an effect (page.Work,
// page.Later, page.Copy, page.Edit): program.go does it and brings the result back as a message. Nothing on the loop
// does I/O, except drawing.
//
// Bubble Tea reads keys and runs the loop, without its renderer, which would wake many times a second. screen.go writes
// the lines of a frame that have changed, and gives the terminal back for an editor. At rest nothing of the UI wakes.
// The terminal is asked for its background after the first frame, and replies.go takes the answer from the keys.
//
// The root lays out (layout.go, a pure function) and knows pages by name only where one shows another (nav.go). A
// page's own keys go before those of the frame.
//
// A moment of the past is a run that ended then (moment.go): flow.Log.Until cuts the log at a revision, and a stage is
// the pages with an Env of that log. The stage of the present goes on. Only the page at the front takes the flows at
// once.
//
// An editor has the terminal as a job of its own (editor_unix.go): ^C there does not reach the server, and an editor
// that stops itself is woken. Bubble Tea's loop waits until it ends.
package tui
