package tui

import (
	"cmp"
	"context"
	"time"

	"kubarium/analysis/chain"
	"kubarium/analysis/listing"
	"kubarium/scenarios/words"
	"kubarium/tui/client"
	"kubarium/tui/compare"
	"kubarium/tui/conflicts"
	"kubarium/tui/deletes"
	"kubarium/tui/doctor"
	"kubarium/tui/feed"
	"kubarium/tui/gate"
	"kubarium/tui/gates"
	"kubarium/tui/learn"
	"kubarium/tui/lists"
	"kubarium/tui/objects"
	"kubarium/tui/page"
	"kubarium/tui/streams"
	"kubarium/tui/term"
	"kubarium/tui/timeline"
	"kubarium/tui/traffic"
	"kubarium/tui/versions"
	"kubarium/tui/watches"
	"kubarium/tui/who"
)

// newUI makes the UI of a log that may hold records already.
func newUI(o Options, t *term.Theme) *ui {
	live := &stage{Env: newEnv(o)}
	u := &ui{ctx: context.Background(), stage: live, live: live, o: o, th: t, auto: o.Theme == "" || o.Theme == "auto", light: t.Name == "light", mouse: true, began: o.Now()}
	u.Screen = u
	u.strip.env = u.Env
	u.lesson = learn.New(u.Env, o.Lessons)
	u.beginQuiet()
	u.lesson.SetLanguages(o.Languages, o.Retell)
	u.Words = words.In(o.Language)
	if words.RightToLeft(o.Language) {
		u.lesson.SayLanguage(o.Language)
	}
	u.pages = newPages(u.Env, u.lesson, o.Command)
	if o.Other != nil {
		u.pages[page.Compare] = compare.New(u.Env, otherEnv(o), cmp.Or(o.Source.Name, o.URL), o.Other.Name)
	}
	u.guide.u = u
	u.lesson.SetGuide(&u.guide)
	if o.Scenario != "" && u.lesson.Open(o.Scenario) {
		u.Front = page.Traffic
	} else if o.Command != nil {
		u.Front = page.Client
	} else if !o.NoIntro && !u.introDismissed() {
		u.Over = &intro{u}
	}
	u.resize(80, 24)
	return u
}

// otherEnv is the Env of the run that is compared with the one that is shown.
func otherEnv(o Options) *page.Env {
	o.Log, o.URL, o.DB, o.Now, o.Transport, o.Why = o.Other.Log, o.Other.URL, o.Other.DB, o.Other.Now, nil, nil
	return newEnv(o)
}

// newEnv is what the pages of a UI share.
func newEnv(o Options) *page.Env {
	u := &page.Env{
		Shared: &page.Shared{CopyRoute: "via OSC 52", Layout: page.Layout{Front: page.Traffic},
			Frame: page.Frame{Dirty: true}},
		Server: page.Server{URL: o.URL, DB: o.DB, Reach: o.Transport, ReadOnly: o.Source.readOnly(), Foreign: o.Source.foreign(), NoGate: o.Source.noGate(), Context: o.Source.Context, Kubeconfig: o.Kubeconfig,
			API: &client.Client{URL: o.URL, Transport: o.Transport}},
		Run:       page.Run{Log: o.Log, Now: o.Now, Clock: o.Clock, Ended: o.Source.ended, Bare: o.Source.Bare},
		Selection: page.Selection{Follow: true},
		StateDir:  o.StateDir, InWords: o.Plain, Lessons: len(o.Lessons) > 0,
	}
	if u.Clock == nil {
		u.Clock = term.Pick(o.Source.Kind == Recording, time.Now, o.Now)
	}
	u.Feed = feed.New()
	u.Time = timeline.New(o.Log)
	u.Walks = listing.NewLog()
	u.Gate = gates.New(u.API)
	u.Streams = streams.New(o.Log, o.Now, u.Feed, u.Time, u.Walks)
	if u.Chains = o.Why; u.Chains == nil {
		u.Chains = chain.Follow(o.Log)
	}
	return u
}

// newPages makes the pages, by their numbers.
func newPages(u *page.Env, l *learn.Page, of *Command) map[page.ID]page.Page {
	pages := map[page.ID]page.Page{
		page.Traffic:   traffic.New(u),
		page.Watches:   watches.New(u),
		page.Lists:     lists.New(u),
		page.Versions:  versions.New(u),
		page.Conflicts: conflicts.New(u),
		page.Deletes:   deletes.New(u),
		page.Objects:   objects.New(u),
		page.Gate:      gate.New(u),
		page.Doctor:    doctor.New(u),
		page.Client:    who.New(u, of),
	}
	if len(l.Lessons) > 0 {
		pages[page.Learn] = l
	}
	return pages
}
