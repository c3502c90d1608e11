// Package story describes a flow in words: what happened and why, in a few sentences made only from the recorded facts;
// commands that would send the same request; and the meaning of panes and query parameters.
//
// It knows only flows. Facts that a flow does not record are left out, never guessed.
package story

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"kubarium/flow"
)

// A Teller describes flows with facts from other flows. Its zero value is usable.
type Teller struct {
	// Wrote returns the tag of the client that wrote a revision, "" if unknown; nil if no client is known.
	Wrote func(revision int64) string
	// Read returns which request was answered with a version of an object, before another one and if possible by its
	// client, and that client's tag; 0 if it is unknown, nil if no request is known.
	Read func(revision int64, before *flow.Flow) (seq uint64, tag string)
	// Committed returns when a revision was committed, zero if unknown; nil if no time is known.
	Committed func(revision int64) time.Time
}

// Tell describes what happened and why in one to four sentences.
func Tell(f *flow.Flow) []string { return Teller{}.Tell(f) }

// Tell describes what happened and why in one to four sentences, followed by what fault rules did.
func (t Teller) Tell(f *flow.Flow) []string {
	s := &teller{Teller: t, Flow: f, object: objectName(&f.Target)}
	s.tell()
	s.sentences = s.sentences[:min(len(s.sentences), 4)]
	s.faults()
	return s.sentences
}

// A teller collects the sentences of one story.
type teller struct {
	Teller
	*flow.Flow
	object    string // "deployment web in namespace shop"
	sentences []string
}

func (s *teller) say(format string, args ...any) {
	s.sentences = append(s.sentences, fmt.Sprintf(format, args...))
}

// copyOf is the copy of an object that the client sent back, with who read it where that was another one.
func (s *teller) copyOf(revision int64) string {
	seq, tag := uint64(0), ""
	if s.Read != nil {
		seq, tag = s.Read(revision, s.Flow)
	}
	switch {
	case seq == 0:
		return fmt.Sprintf("its copy of rv %d", revision)
	case tag == s.Client.Tag:
		return fmt.Sprintf("the copy it read at rv %d", revision)
	}
	return fmt.Sprintf("a copy of rv %d, which %s read (#%d)", revision, tag, seq)
}

func (s *teller) tell() {
	switch {
	case s.Panic != "":
		s.panicked()
	case s.refusing() != nil:
		s.byRule(s.refusing())
	case s.Status == 0:
		s.say("%s asked to %s, but went away before there was an answer.", s.who(), s.wish())
	case s.Watch != nil:
		s.watched()
	case s.Status >= 400:
		s.refused()
	case s.Target.Resource == "":
		s.say("%s sent %s %s, which is not a resource, and got %s.", s.who(), s.Method, s.Path, status(s.Status))
	default:
		s.succeeded()
	}
}

func (s *teller) who() string {
	if s.Client.Tag == "" {
		return "A client"
	}
	return s.Client.Tag
}

// wish is the client's intention, as an infinitive without "to".
func (s *teller) wish() string {
	t := &s.Target
	if t.Resource == "" {
		return s.Method + " " + s.Path
	}
	switch t.Verb {
	case "get":
		return "read " + s.object
	case "update":
		return "replace " + s.object
	case "list":
		return "list " + collection(t)
	case "watch":
		return "watch " + collection(t)
	case "deletecollection":
		return "delete all " + collection(t)
	}
	return t.Verb + " " + s.object
}

func (s *teller) dryRun() bool { return s.parameter("dryRun") == "All" }

func (s *teller) panicked() {
	first, _, _ := strings.Cut(s.Panic, "\n")
	s.say("%s asked to %s, and the server's own code failed: %s.", s.who(), s.wish(), strings.TrimSuffix(first, "."))
	s.say("That is a bug of Kubarium: this request got %s, and the server went on.", status(s.Status))
}

func (s *teller) watched() {
	if s.Unavailable != nil {
		s.cutOff()
		return
	}
	if s.Phase == flow.WatchOpened {
		s.say("%s opened a watch on %s.", s.who(), collection(&s.Target))
		if s.Watch.Start > 0 {
			s.say("It begins after rv %d: every later change reaches it once, in order.", s.Watch.Start)
		} else {
			s.say("It named no version to begin after, so the objects that there are come first, each as an ADDED " +
				"event.")
		}
		return
	}
	w := s.Watch.State()
	cause := ""
	if w.Cause != "" {
		cause = ": " + w.Cause
	}
	s.say("The watch of %s on %s ended after %s%s.", s.who(), collection(&s.Target), rounded(s.Duration), cause)
	if w.Sent == 0 {
		s.say("Nothing that it looked for changed in that time.")
	} else {
		s.say("It was sent %s, the last at rv %d.", plural(int(w.Sent), "event"), w.LastEvent)
	}
	if w.Bookmarks > 0 && w.Last > w.LastEvent {
		s.say("%s reported its position: it would resume at rv %d.",
			capital(plural(int(w.Bookmarks), "bookmark")), w.Last)
	}
}

// cutOff describes a watch that cannot go on: the answer has already begun with 200 OK, so the error comes in the
// stream.
func (s *teller) cutOff() {
	u := s.Unavailable
	if u.Newest > 0 {
		s.say("%s wanted to watch %s, from a state not older than rv %d.", s.who(), collection(&s.Target), u.Asked)
		s.say("The newest is rv %d, so the stream has an ERROR event with code 504 and ends.", u.Newest)
		return
	}
	if u.Asked > s.Watch.Start {
		s.say("%s watched %s and had got as far as rv %d.", s.who(), collection(&s.Target), u.Asked)
	} else {
		s.say("%s wanted to watch %s from rv %d on.", s.who(), collection(&s.Target), u.Asked)
	}
	s.say("The answer is 200 OK, and the stream ends with an ERROR event with code 410.")
	s.gap()
}

// rounded shows a duration with a readable number of digits.
func rounded(d time.Duration) string {
	switch {
	case d >= time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(time.Microsecond).String()
}

func plural(n int, word string) string {
	if n == 1 {
		return "one " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// status returns a code with its text: "409 Conflict".
func status(code int) string {
	if text := http.StatusText(code); text != "" {
		return fmt.Sprintf("%d %s", code, text)
	}
	return fmt.Sprint(code)
}
