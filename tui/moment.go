package tui

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"kubarium/flow"
	"kubarium/tui/client"
	"kubarium/tui/page"
	"kubarium/tui/term"
)

// at is the revision that is on the screen.
func (u *ui) at() int64 {
	if u.past() {
		return u.Moment.Revision
	}
	return u.live.Time.Head
}

// goTo shows all pages as they were while a revision was the newest. A version that cannot be read, and one that is not
// there, is said to be so, and nothing changes.
func (u *ui) goTo(revision int64) {
	head, compacted := u.live.Time.Head, u.live.Time.Compacted
	switch {
	case revision < 1:
		u.Say("versions are numbers from 1 on, not %d", revision)
	case revision > head:
		u.Say("rv %d is not there yet: the newest version is rv %d", revision, head)
	case revision < compacted:
		u.Say("rv %d is compacted: the oldest version that can be read is rv %d", revision, compacted)
	case revision == head:
		u.toNow()
	default:
		u.seek(revision)
	}
}

// seek goes to a revision that can be read, as soon as it is known when it was.
func (u *ui) seek(revision int64) {
	run := u.live.Time
	at, next := run.Around(revision)
	if at != nil && next != nil {
		u.show(&page.Moment{Revision: at.Revision, At: at.At, Next: next.At, Run: run})
		return
	}
	var around []flow.Commit
	u.AskServer("look for rv "+strconv.FormatInt(revision, 10), func(*client.Client) (err error) {
		around, err = client.ReadAround(u.live.API, revision)
		return err
	}, func() {
		if len(around) < 2 {
			u.Say("it is no longer known when rv %d was committed", revision)
			return
		}
		u.show(&page.Moment{Revision: around[0].Revision, At: around[0].At, Next: around[1].At, Run: run})
	})
}

// show puts a moment on the screen, with each page where the reader is on it.
func (u *ui) show(m *page.Moment) {
	from := u.stage
	ctx, cancel := context.WithCancel(context.Background())
	log := u.live.Log.Until(m.Revision, m.Next)
	env := u.live.Env.In(ctx, m, log)
	env.Feed.Match, env.Feed.Own = from.Feed.Match, from.Feed.Own
	env.Follow, env.Sel = from.Follow, nil
	if f := from.Sel; f != nil && !env.Follow {
		env.Sel = log.Get(f.Seq)
	}
	if u.Version >= m.Revision {
		u.Version = 0
	}
	if !u.past() {
		u.left = leaving{u.Front, u.Subject}
	}
	past := &stage{Env: env, pages: map[page.ID]page.Page{}, leave: cancel}
	for id, p := range from.pages {
		past.pages[id] = p
		if t, ok := p.(page.Traveller); ok {
			past.pages[id] = t.In(env)
		}
	}
	u.enter(past)
	past.begin()
	u.Marks = flowsIn(log, u.Marks)
	u.arrived()
	u.Do(page.Later{After: page.SettleTime, Do: func() {
		if u.stage == past {
			past.payAll()
			u.Dirty = true
		}
	}})
}

// enter puts a stage on the screen in the place of another one, which has no say there any more.
func (u *ui) enter(s *stage) {
	was := u.stage
	was.Behind = true
	if was.leave != nil {
		was.leave()
	}
	s.Behind = false
	u.stage = s
}

// arrived lets the page at the front read what it shows.
func (u *ui) arrived() {
	if p, ok := u.page().(page.Arriver); ok {
		p.Arrived()
	}
	u.Relayout()
}

// toNow shows the run as it goes on.
func (u *ui) toNow() {
	if !u.past() {
		u.Say("rv %d is the newest version: this is %s", u.live.Time.Head, u.nowWord())
		return
	}
	was := u.stage
	u.enter(u.live)
	u.Marks = flowsIn(u.Log, u.Marks)
	for _, f := range u.Marks {
		u.Log.Pin(f.Seq)
	}
	if f := was.Sel; f != nil && !u.Follow {
		if now := u.Log.Get(f.Seq); now != nil {
			u.SelectFlow(now)
		}
	}
	u.Version = 0
	if !u.frozen {
		u.fold()
	}
	if was.Feed.Match != u.Feed.Match || was.Feed.Own != u.Feed.Own {
		u.Feed.Own = was.Feed.Own
		u.traffic().Search(was.Feed.Match)
	}
	if u.left != (leaving{u.Front, u.Subject}) {
		if p, ok := u.page().(page.Opener); ok {
			p.Opened()
		}
	}
	u.arrived()
}

// flowsIn are records as a log has them, or as they are where it has them no more.
func flowsIn(log *flow.Log, all []*flow.Flow) []*flow.Flow {
	out := slices.Clone(all)
	for i, f := range out {
		if held := log.Get(f.Seq); held != nil {
			out[i] = held
		}
	}
	return out
}

// step goes to the version before the one on the screen, or to the next one: on Versions, to one of the chosen object.
func (u *ui) step(by int) {
	at, wanted := u.at(), func(*flow.Commit) bool { return true }
	if u.Front == page.Versions {
		at, wanted = u.versions().Steps(at)
	}
	commits := u.live.Time.Commits
	if by > 0 {
		u.stepOn(commits, at, wanted)
		return
	}
	for _, c := range slices.Backward(commits) {
		if c.Revision < at && wanted(&c) {
			u.goTo(c.Revision)
			return
		}
	}
	u.Say("there is no older version among the %s on the axis; :at goes to an older one", term.Plural(len(commits), "version"))
}

// stepOn goes to the first wanted version after one; after the last of them comes the present.
func (u *ui) stepOn(commits []flow.Commit, at int64, wanted func(*flow.Commit) bool) {
	for i := range commits {
		if c := &commits[i]; c.Revision > at && wanted(c) {
			u.goTo(c.Revision)
			return
		}
	}
	u.toNow()
}

// askAt asks for the version to go to.
func (u *ui) askAt() {
	at := u.at()
	if u.Version > 0 {
		at = u.Version
	}
	u.Over = &term.Prompt{Title: "Show the run at a version",
		Text: []string{"All pages go to the moment in which this resourceVersion was the newest.",
			"now is the present. Clients are not affected."},
		Edit: term.NewLineEdit(strconv.FormatInt(at, 10)), Done: u.goToNamed}
}

// goToNamed goes to a version as it was typed.
func (u *ui) goToNamed(words string) {
	words = strings.TrimSpace(words)
	if words == "now" || words == "head" {
		u.toNow()
		return
	}
	revision, err := strconv.ParseInt(words, 10, 64)
	if err != nil {
		u.Say(":at takes a resourceVersion, or now: %q is no number", words)
		return
	}
	u.goTo(revision)
}

// backKeys lead out of the past; there they go before those of the pane.
func (u *ui) backKeys() []page.Binding {
	if !u.past() {
		return nil
	}
	keys := u.stepKeys()
	keys[0].Hint, keys[1].Hint = "older", "newer"
	return append(keys, page.Binding{Keys: []string{"G"}, Hint: term.Pick(u.live.Past(), "the end", "now"), Help: term.Pick(u.live.Past(), "back to the end", "back to now"), Do: u.toNow})
}

// stepKeys move all pages in time.
func (u *ui) stepKeys() []page.Binding {
	return []page.Binding{
		{Keys: []string{"{"}, Help: "the version before: all pages as they were then; on Versions, of the chosen object", Do: func() { u.step(-1) }},
		{Keys: []string{"}"}, Help: "the next version, up to the present", Off: u.needsPast, Do: func() { u.step(1) }},
	}
}

func (u *ui) needsPast() string {
	return page.Unless(u.past(), "this is the newest version already")
}

// lessonKeys are those that play the loaded lesson: that is done now.
func (u *ui) lessonKeys() []page.Binding {
	keys := u.lesson.PlayKeys()
	if !u.past() {
		return keys
	}
	for i := range keys {
		do := keys[i].Do
		keys[i].Do = func() {
			u.toNow()
			do()
		}
	}
	return keys
}
