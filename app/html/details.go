package html

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"kubarium/flow"
	"kubarium/flow/bodies"
	"kubarium/tui/body"
	"kubarium/tui/decision"
	"kubarium/tui/story"
	"kubarium/tui/term"
)

// wide is the width of lines that the terminal wraps: the page has the room.
const wide = 160

// details adds what the page shows of one request.
func (b *builder) details(f *flow.Flow, led *flow.Chain) {
	d := Details{
		Story: b.teller().Tell(f), Chain: links(f, led),
		Header: b.header(f.RequestHeader), Body: b.body(f.RequestBody, f.RequestHeader),
		Answered: b.header(f.ResponseHeader), Answer: b.body(f.ResponseBody, f.ResponseHeader),
		Stations: b.stations(f), Decided: decided(f), Effects: b.stored.effects[f.Seq], Notes: notes(f),
	}
	b.run.More = append(b.run.More, d)
}

// links are what led to a write: a sentence, then a line for each event and read.
func links(f *flow.Flow, c *flow.Chain) (out []Link) {
	text := story.TellChain(f, c)
	if text == "" {
		return nil
	}
	out = append(out, Link{Text: text})
	for i := range c.Events {
		e := &c.Events[i]
		out = append(out, Link{fmt.Sprintf("%s %s/%s at %d", e.Type, e.Resource, e.Name, e.Revision), e.By})
	}
	for i := range c.Reads {
		r := &c.Reads[i]
		out = append(out, Link{strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Verb, r.Resource, r.Name)), r.Seq})
	}
	return out
}

// header is a header as words, in the order of names.
func (b *builder) header(h http.Header) (out []int) {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			out = append(out, b.Word(name), b.Word(value))
		}
	}
	return out
}

// mostText is how many bytes of a body are shown that is no value, such as the lines of a log.
const mostText = 64 << 10

// body is what was sent, decoded; nil if nothing was.
func (b *builder) body(sent flow.Body, h http.Header) *Body {
	if sent.Total == 0 && len(sent.Kept) == 0 {
		return nil
	}
	plain, packed := bodies.Unpacked(sent.Kept)
	out := &Body{Value: -1, Size: sent.Total, Type: bodies.Encoding(h.Get("Content-Type"), plain)}
	if sent.Cut {
		out.Kept = len(sent.Kept)
	}
	if packed {
		out.Type += ", gzip"
	}
	whole := flow.Body{Kept: plain, Total: int64(len(plain)), Cut: sent.Cut}
	if text := bodies.JSON(whole); text != nil && json.Valid(text) {
		out.Value = b.Add(text)
		return out
	}
	plain = plain[:min(len(plain), mostText)]
	if bodies.LooksText(plain) {
		out.Text = strings.ToValidUTF8(string(plain), "�")
		return out
	}
	out.Text = lines(body.HexLines(plain[:min(len(plain), 1024)], wide))
	return out
}

func lines(all []term.Line) string {
	var out []string
	for _, l := range all {
		out = append(out, strings.TrimRight(l.String(), " "))
	}
	return strings.Join(out, "\n")
}

// stations are six numbers for each station.
func (b *builder) stations(f *flow.Flow) (out []int) {
	for _, s := range f.Stations {
		failed := 0
		if s.Failed {
			failed = 1
		}
		out = append(out, b.Word(s.Name), int(s.Start.Microseconds()), int(s.Length.Microseconds()), b.Word(s.Note), failed, s.Depth)
	}
	return out
}

// decided are the decisions of the guards, in lines.
func decided(f *flow.Flow) (out []string) {
	for _, l := range decision.Lines(f, wide, true) {
		out = append(out, strings.TrimRight(l.String(), " "))
	}
	return out
}

// notes are what else was noted: audit annotations, and the calls of the server to others.
func notes(f *flow.Flow) []string {
	out := slices.Clone(f.Notes)
	for _, key := range slices.Sorted(maps.Keys(f.Annotations)) {
		out = append(out, key+": "+f.Annotations[key])
	}
	for i := range f.Calls {
		c := &f.Calls[i]
		out = append(out, fmt.Sprintf("called the %s %s: %s %s, %d", c.Kind, c.Name, c.Flow.Method, c.Flow.Path, c.Flow.Status))
	}
	if f.Panic != "" {
		out = append(out, f.Panic)
	}
	return out
}
