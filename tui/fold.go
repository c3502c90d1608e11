package tui

import (
	"kubarium/flow"
	"kubarium/tui/gate"
	"kubarium/tui/page"
	"kubarium/tui/term"
	"kubarium/tui/who"
)

// fold takes everything that the log has got since the last time. It is the only way in which records reach the
// screen, and it never waits.
func (u *ui) fold() {
	n := u.live
	n.Stats = n.Log.Stats()
	n.Time.Look()
	u.rate.read(n)
	u.Dirty = true
	if u.frozen {
		return
	}
	u.gateTold()
	flows, missed := n.Log.Since(n.Seq, 0)
	if n.Seq > 0 {
		u.lost += missed.Others
	} else { // gone before this UI began, which has lost nothing by it
		u.gone = n.Stats.Evicted - n.Stats.EvictedOwn
	}
	n.Time.Fold()
	u.Gate.Committed(n.Time.Fresh)
	n.fold(flows)
	u.lagged = n.Streams.Lagging()
	u.lookBack()
	u.guide.Follow()
}

// A requestRate is how often requests are answered, of those that may be shown.
type requestRate struct {
	term.Rate
	seq uint64 // up to which they are counted
	own bool   // Kubarium's own are counted as well
}

// read counts what came, also while the pictures are frozen. It counts again when other requests are shown.
func (r *requestRate) read(s *stage) {
	if r.own != s.Feed.Own {
		*r = requestRate{own: s.Feed.Own}
	}
	flows, _ := s.Log.Since(r.seq, 0)
	for _, f := range flows {
		r.seq = f.Seq
		if f.Phase != flow.WatchClosed && (r.own || !f.Client.Own()) {
			r.Count(s.Clock(), f.Start.Add(f.Duration))
		}
	}
}

// freeze stops the pictures, or lets them jump to now; capture goes on.
func (u *ui) freeze() {
	if !u.frozen {
		u.frozen = true
		u.Say("frozen at #%d; recording goes on, p shows the present again", u.live.Seq)
		return
	}
	u.frozen = false
	lost, before := u.lost, u.live.Seq
	u.fold()
	switch lost = u.lost - lost; {
	case lost > 0:
		u.Say("live again: %s requests while frozen, of which %s are no longer kept", term.Count(u.live.Seq-before), term.Count(lost))
	default:
		u.Say("live again: %s requests while frozen", term.Count(u.live.Seq-before))
	}
}

// lookBack says once when the version on the screen can no longer be read; what has been read of it stays.
func (u *ui) lookBack() {
	if !u.past() || u.Moment.Revision >= u.live.Time.Compacted || u.faded == u.Moment {
		return
	}
	u.faded = u.Moment
	u.Say("rv %d has been compacted since: what is shown of it stays, and its objects can no longer be read; %s",
		u.Moment.Revision, u.wayBack())
}

// gateTold takes over the state of the gate.
func (u *ui) gateTold() {
	if u.frozen || !u.Gate.Look() {
		return
	}
	u.gate().Told()
	u.Relayout()
}

func (u *ui) who() *who.Page { return u.pages[page.Client].(*who.Page) }

func (u *ui) gate() *gate.Page { return u.pages[page.Gate].(*gate.Page) }
