package tui

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"

	"kubarium/server/flow"
)

// A walk is one list, read in one piece or chunk by chunk with continue tokens.
type walk struct {
	id     uint64 // the number of its first request
	chunks []chunk
}

// A chunk is one request of a walk.
type chunk struct {
	flow *flow.Flow // without its bodies
	flow.Page
	bytes int64  // of the answer
	form  string // "json", "json Table", "protobuf gzip"
}

// keepChunks is how many chunks of one walk are kept; of a longer one the first and the newest.
const keepChunks = 1000

func newChunk(f *flow.Flow) chunk {
	light := *f
	light.RequestBody, light.ResponseBody = flow.Body{}, flow.Body{}
	return chunk{flow: &light, Page: *f.Page, bytes: f.ResponseBody.Total, form: formOf(f)}
}

// formOf is the form of an answer in a few words.
func formOf(f *flow.Flow) string {
	content := f.ResponseHeader.Get("Content-Type")
	s := wireName(content, f.ResponseBody.Kept)
	for _, as := range []string{"Table", "PartialObjectMetadataList"} {
		if strings.Contains(content, "as="+as) {
			s += " " + strings.TrimPrefix(as, "PartialObject")
		}
	}
	if e := f.ResponseHeader.Get("Content-Encoding"); e != "" {
		s += " " + e
	}
	return s
}

// add takes the next chunk.
func (w *walk) add(c chunk) {
	w.chunks = append(w.chunks, c)
	if n := len(w.chunks); n > keepChunks {
		w.chunks = append(w.chunks[:1], w.chunks[n-keepChunks/2:]...)
	}
}

func (w *walk) first() *chunk { return &w.chunks[0] }
func (w *walk) last() *chunk  { return &w.chunks[len(w.chunks)-1] }

// items counts what its pages held.
func (w *walk) items() int {
	n := 0
	for i := range w.chunks {
		n += w.chunks[i].Items
	}
	return n
}

// pages counts the chunks that brought objects: a refused one is no page.
func (w *walk) pages() int {
	n := 0
	for i := range w.chunks {
		if w.chunks[i].flow.Status < 400 {
			n++
		}
	}
	return n
}

// chunked reports whether it was read, or is to be read, in more than one piece.
func (w *walk) chunked() bool {
	return len(w.chunks) > 1 || w.last().Next != "" || w.last().Token != ""
}

// A standing is how far a walk has come.
type standing int

const (
	complete     standing = iota // every page was read, all of one snapshot
	inconsistent                 // every page was read, but not all of one snapshot
	unfinished                   // a token waits
	outdated                     // a token waits whose snapshot is compacted
	expired                      // a token met a 410, and the other one was not used
	refusedList                  // it was refused for another reason
)

// standing tells how far the walk has come when revisions below compacted are gone.
func (w *walk) standing(compacted int64) standing {
	last := w.last()
	broken := false
	for i := range w.chunks[:len(w.chunks)-1] {
		broken = broken || w.chunks[i].Expired
	}
	switch {
	case last.Expired:
		return expired
	case last.flow.Status >= 400:
		return refusedList
	case last.Next == "" && broken:
		return inconsistent
	case last.Next == "":
		return complete
	case last.Snapshot < compacted:
		return outdated
	}
	return unfinished
}

func (s standing) words() (style, string) {
	switch s {
	case complete:
		return sPlain, "complete"
	case inconsistent:
		return sWarn, "inconsistent"
	case unfinished:
		return sOpen, "open"
	case outdated:
		return sWarn, "token outdated"
	case expired:
		return sErr, "410 expired"
	}
	return sErr, "refused"
}

// remaining is how many items are left, as the newest page told: a number, "–" where the list is complete, "?" where a
// selector hides it.
func (w *walk) remaining() string {
	last := w.last()
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

// what is listed, and how, without what belongs to a single chunk.
func (w *walk) what() string {
	f := *w.first().flow
	q, err := url.ParseQuery(f.Query)
	if err == nil {
		q.Del("continue")
		f.Query, _ = url.QueryUnescape(q.Encode())
	}
	return targetText(&f) + targetExtra(&f)
}

// A token is what a continue token says inside. For clients it is opaque.
type token struct {
	Revision int64  `json:"rv"`
	Start    string `json:"start"`
}

func readToken(s string) (t token, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || json.Unmarshal(b, &t) != nil {
		return t, false
	}
	t.Start = strings.TrimSuffix(t.Start, "\x00")
	return t, true
}

// label stands for a token in few cells: the name behind which it goes on, or its end if it does not read.
func label(s string) string {
	if t, ok := readToken(s); ok && t.Start != "" {
		return fit(t.Start, 14)
	}
	return "…" + s[max(0, len(s)-4):]
}
