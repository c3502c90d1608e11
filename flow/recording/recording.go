package recording

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"

	"kubarium/flow"
)

// Schema is the JSON Schema (draft 2020-12) of a line.
//
//go:embed schema.json
var Schema []byte

// MediaType is the media type of JSON Lines.
const MediaType = "application/jsonl"

// A Line is one record: a flow, or the number of missing flows.
type Line struct {
	*flow.Flow
	// Exact holds the original bytes of the flow's texts that are not UTF-8, by their JSON pointers (RFC 6901). JSON
	// cannot hold them, so the texts have U+FFFD for each wrong byte.
	Exact map[string][]byte `json:"exact,omitempty"`
	// Missed is, in place of a flow, the number of flows that were gone before they could be written; up to number
	// Upto.
	Missed uint64 `json:"missed,omitempty"`
	Upto   uint64 `json:"upto,omitempty"`
}

// A Writer writes lines.
type Writer struct{ to io.Writer }

// NewWriter returns a Writer.
func NewWriter(to io.Writer) *Writer { return &Writer{to} }

// Flow writes a flow.
func (w *Writer) Flow(f *flow.Flow) error {
	l := Line{Flow: f}
	text, err := encode(l)
	if err != nil {
		return err
	}
	if bytes.Contains(text, []byte(`\ufffd`)) { // encoding/json writes this for a byte that is not UTF-8
		if l.Exact = inexact(f); len(l.Exact) > 0 {
			if text, err = encode(l); err != nil {
				return err
			}
		}
	}
	_, err = w.to.Write(text)
	return err
}

// Missed writes that n flows up to number upto are missing.
func (w *Writer) Missed(n, upto uint64) error {
	text, err := encode(Line{Missed: n, Upto: upto})
	if err == nil {
		_, err = w.to.Write(text)
	}
	return err
}

func encode(l Line) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(l)
	return b.Bytes(), err
}

// Read reads one line.
func Read(text []byte) (l Line, err error) {
	if err := json.Unmarshal(text, &l); err != nil {
		return Line{}, fmt.Errorf("not a line of a recording: %w", err)
	}
	if l.Missed > 0 {
		l.Flow = nil
		return l, nil
	}
	if l.Flow == nil || l.Seq == 0 {
		return Line{}, fmt.Errorf("not a line of a recording: neither a flow nor a number of missed ones")
	}
	err = restore(l.Flow, l.Exact)
	l.Exact = nil
	return l, err
}
