package tui

import (
	"net/url"

	"kubarium/server/flow/listing"
)

func standingWords(s listing.Standing) (style, string) {
	switch s {
	case listing.Complete:
		return sPlain, "complete"
	case listing.Inconsistent:
		return sWarn, "inconsistent"
	case listing.Unfinished:
		return sOpen, "open"
	case listing.Outdated:
		return sWarn, "token outdated"
	case listing.Expired:
		return sErr, "410 expired"
	}
	return sErr, "refused"
}

// whatListed is what is listed, and how, without what belongs to a single chunk.
func whatListed(w *listing.Walk) string {
	f := *w.First().Flow
	q, err := url.ParseQuery(f.Query)
	if err == nil {
		q.Del("continue")
		f.Query, _ = url.QueryUnescape(q.Encode())
	}
	return targetText(&f) + targetExtra(&f)
}

// remaining is how many items are left, as the newest page told: a number, "–" where the list is complete, "?" where a
// selector hides it.
func remaining(w *listing.Walk) string {
	last := w.Last()
	switch {
	case last.Expired:
		return "?"
	case last.Next == "":
		return "–"
	case last.Remaining < 0:
		return "? (selector)"
	}
	return count(last.Remaining)
}

// tokenLabel stands for a token in few cells: the name behind which it goes on, or its end if it does not read.
func tokenLabel(s string) string {
	if t, ok := listing.ReadToken(s); ok && t.Start != "" {
		return fit(t.Start, 14)
	}
	return "…" + s[max(0, len(s)-4):]
}
