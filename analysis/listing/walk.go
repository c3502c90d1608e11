package listing

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"kubarium/flow"
	"kubarium/flow/bodies"
)

// A Walk is one list, read in one piece or chunk by chunk with continue tokens.
type Walk struct {
	ID     uint64  // the number of its first request
	Chunks []Chunk // its requests, at least one; of very many the first and the newest

	items, pages int  // of all requests
	broken       bool // a token met a 410, and a chunk came after it
}

// A Chunk is one request of a walk.
type Chunk struct {
	Flow *flow.Flow // without its bodies
	flow.Page
	Bytes int64  // of the answer
	Form  string // of the answer: "json", "json Table", "protobuf gzip"
}

// keepChunks is how many chunks of one walk are kept; of a longer one the first and the newest.
const keepChunks = 1000

func newChunk(f *flow.Flow) Chunk {
	light := *f
	light.RequestBody, light.ResponseBody = flow.Body{}, flow.Body{}
	return Chunk{Flow: &light, Page: *f.Page, Bytes: f.ResponseBody.Total, Form: formOf(f)}
}

// formOf is the form of an answer in a few words.
func formOf(f *flow.Flow) string {
	content := f.ResponseHeader.Get("Content-Type")
	s := bodies.Encoding(content, f.ResponseBody.Kept)
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
func (w *Walk) add(c Chunk) {
	w.broken = w.broken || len(w.Chunks) > 0 && w.Last().Expired
	w.items += c.Items
	if c.Flow.Status < 400 {
		w.pages++
	}
	w.Chunks = append(w.Chunks, c)
	if n := len(w.Chunks); n > keepChunks {
		w.Chunks = append(w.Chunks[:1], w.Chunks[n-keepChunks/2:]...)
	}
}

// First is the request that began the walk.
func (w *Walk) First() *Chunk { return &w.Chunks[0] }

// Last is its newest request.
func (w *Walk) Last() *Chunk { return &w.Chunks[len(w.Chunks)-1] }

// Items counts what its pages held.
func (w *Walk) Items() int { return w.items }

// Pages counts the requests that brought objects: a refused one is no page.
func (w *Walk) Pages() int { return w.pages }

// Chunked reports whether it was read, or is to be read, in more than one piece.
func (w *Walk) Chunked() bool {
	return len(w.Chunks) > 1 || w.Last().Next != "" || w.Last().Token != ""
}

// A Standing is how far a walk has come.
type Standing int

const (
	Complete     Standing = iota // every page was read, all of one snapshot
	Inconsistent                 // every page was read, but not all of one snapshot
	Unfinished                   // a token waits
	Outdated                     // a token waits whose snapshot is compacted
	Expired                      // a token met a 410, and the other one was not used
	Refused                      // it was refused for another reason
)

// Standing says how far the walk has come when revisions below compacted are gone; 0 for none.
func (w *Walk) Standing(compacted int64) Standing {
	last := w.Last()
	switch {
	case last.Expired:
		return Expired
	case last.Flow.Status >= 400:
		return Refused
	case last.Next == "" && w.broken:
		return Inconsistent
	case last.Next == "":
		return Complete
	case last.Snapshot < compacted:
		return Outdated
	}
	return Unfinished
}

// A Token is what a continue token says inside. For clients it is opaque.
type Token struct {
	Revision int64  `json:"rv"`    // of the snapshot; -1 for a token that goes on at the newest state
	Start    string `json:"start"` // the key after which the next page begins
}

// ReadToken reads a continue token; ok is false for one that is of another form.
func ReadToken(s string) (t Token, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || json.Unmarshal(b, &t) != nil {
		return t, false
	}
	t.Start = strings.TrimSuffix(t.Start, "\x00")
	return t, true
}
