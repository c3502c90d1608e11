package page

import (
	"context"
	"fmt"
	"time"

	"kubarium/analysis/listing"
	"kubarium/flow"
	"kubarium/tui/client"
	"kubarium/tui/streams"
	"kubarium/tui/timeline"
)

// A Moment is the time in which a version was the newest, from its commit to the next. What happened in it is shown as
// well.
type Moment struct {
	Revision int64
	At       time.Time          // when it was committed; zero where that is not known
	Next     time.Time          // when the next one was
	Run      *timeline.Timeline // of the run as it goes on
}

// A Traveller is a page that can show the past. In returns such a page of another moment, before any flow is folded,
// with the reader at the same place: cursor, tab, and words.
type Traveller interface{ In(e *Env) Page }

// Arrived of an Arriver is called when its page is at the front again, or at another moment, with the reader at the
// same place.
type Arriver interface{ Arrived() }

// In is the environment of a moment of the run that e is of, as log has it. Requests to the server end with ctx.
func (e *Env) In(ctx context.Context, m *Moment, log *flow.Log) *Env {
	past := *e
	past.Log, past.Moment, past.Stats, past.Seq = log, m, log.Stats(), 0
	past.Now, past.Ended = func() time.Time { return m.At }, func() bool { return true }
	past.API = &client.Client{URL: e.API.URL, Transport: e.API.Transport, At: m.Revision, Context: ctx}
	past.Feed = e.Feed.Then()
	past.Time = e.Time.Until(log, m.Revision)
	past.Walks = listing.NewLog()
	past.Streams = streams.New(log, past.Now, past.Feed, past.Time, past.Walks)
	past.OnSelect, past.Copied, past.masked, past.maskedOf = nil, nil, nil, nil
	return &past
}

// Then says of which time the pages are, where that is not the present.
func (r *Run) Then() string {
	if r.Moment != nil {
		return fmt.Sprintf("at rv %d", r.Moment.Revision)
	}
	return "when the recording ended"
}

// Head is the newest version of the run, whatever moment is shown.
func (e *Env) Head() int64 {
	if e.Moment != nil {
		return e.Moment.Run.Head
	}
	return e.Time.Head
}

// Acts reports whether objects that are shown can be changed: not in a recording, and not in the past.
func (e *Env) Acts() bool { return e.ReadOnly == "" && e.Moment == nil }

// NowText is a line for a question before a change, while the past is shown: the change is made to the server as it is
// now. It is nil while the present is shown.
func (e *Env) NowText() []string {
	if e.Moment == nil {
		return nil
	}
	return []string{fmt.Sprintf("The server gets it now, at rv %d: the past is only shown.", e.Head())}
}

// Shows reports whether a page is on the screen.
func (e *Env) Shows(id ID) bool { return e.Front == id && !e.Behind }
