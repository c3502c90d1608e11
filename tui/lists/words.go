package lists

import (
	"net/url"

	"kubarium/analysis/listing"
	"kubarium/cells"
	"kubarium/tui/label"
	"kubarium/tui/term"
)

// StandingWords are a few words for the state of a walk.
func StandingWords(s listing.Standing) (term.Style, string) {
	switch s {
	case listing.Complete:
		return term.Plain, "complete"
	case listing.Inconsistent:
		return term.Warn, "inconsistent"
	case listing.Unfinished:
		return term.Open, "open"
	case listing.Outdated:
		return term.Warn, "token outdated"
	case listing.Expired:
		return term.Err, "410 expired"
	}
	return term.Err, "refused"
}

// whatListed is what is listed, and how, without what belongs to a single chunk.
func whatListed(w *listing.Walk) string {
	f := *w.First().Flow
	q, err := url.ParseQuery(f.Query)
	if err == nil {
		q.Del("continue")
		f.Query, _ = url.QueryUnescape(q.Encode())
	}
	return label.Target(&f) + label.Extra(&f)
}

// Remaining is how many items are left, as the newest page says: a number, "–" where the list is complete, "?" where a
// selector hides it.
func Remaining(w *listing.Walk) string {
	last := w.Last()
	switch {
	case last.Expired:
		return "?"
	case last.Next == "":
		return "–"
	case last.Remaining < 0:
		return "? (selector)"
	}
	return term.Count(last.Remaining)
}

// tokenLabel shortens a token to a few cells: the name after which it goes on, or its end if it cannot be read.
func tokenLabel(s string) string {
	if t, ok := listing.ReadToken(s); ok && t.Start != "" {
		return term.Fit(t.Start, 14)
	}
	return cells.FitLeft(s, 5)
}

// sourceOf names where the objects of a walk came from.
func sourceOf(w *listing.Walk, s *label.Store) string {
	cache, store := false, false
	for i := range w.Chunks {
		cache = cache || w.Chunks[i].Source == "cache"
		store = store || w.Chunks[i].Source == "history"
	}
	switch {
	case cache && store:
		return "both"
	case store:
		return s.Tab
	}
	return "cache"
}
