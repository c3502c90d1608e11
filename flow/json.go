package flow

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// Bytes are mostly text. In JSON they are a string, or {"base64": "..."} if they are not UTF-8, so that nothing is lost
// and most of it is readable.
type Bytes []byte

type base64Bytes struct {
	Base64 []byte `json:"base64"`
}

// MarshalJSON implements json.Marshaler.
func (b Bytes) MarshalJSON() ([]byte, error) {
	switch {
	case b == nil:
		return []byte("null"), nil
	case !utf8.Valid(b):
		return json.Marshal(base64Bytes{b})
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // for readers
	err := e.Encode(string(b))
	return out.Bytes(), err
}

// UnmarshalJSON implements json.Unmarshaler.
func (b *Bytes) UnmarshalJSON(text []byte) error {
	var s *string
	if json.Unmarshal(text, &s) == nil {
		*b = nil
		if s != nil {
			*b = Bytes(*s)
		}
		return nil
	}
	var coded base64Bytes
	if err := json.Unmarshal(text, &coded); err != nil {
		return errors.New("neither a string nor base64")
	}
	*b = append(Bytes{}, coded.Base64...)
	return nil
}

// phases are the names of Phases in JSON.
var phases = []string{Whole: "request", WatchOpened: "watchOpened", WatchClosed: "watchClosed"}

// MarshalText implements encoding.TextMarshaler.
func (p Phase) MarshalText() ([]byte, error) { return []byte(phases[p]), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Phase) UnmarshalText(text []byte) error {
	i := slices.Index(phases, string(text))
	if i < 0 {
		return fmt.Errorf("unknown phase %q", text)
	}
	*p = Phase(i)
	return nil
}

// changeTypes are the names of ChangeTypes in JSON.
var changeTypes = map[ChangeType]string{Created: "created", Updated: "updated", Deleted: "deleted"}

// MarshalText implements encoding.TextMarshaler.
func (t ChangeType) MarshalText() ([]byte, error) { return []byte(changeTypes[t]), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (t *ChangeType) UnmarshalText(text []byte) error {
	for of, name := range changeTypes {
		if name == string(text) {
			*t = of
			return nil
		}
	}
	return fmt.Errorf("unknown type of change %q", text)
}

// A watchJSON is a Watch in JSON.
type watchJSON struct {
	WatchInfo
	State  WatchState `json:"state"`
	Frames []Frame    `json:"frames,omitempty"` // the last ones, oldest first
}

// MarshalJSON implements json.Marshaler with the watch's info, its present state and its last frames.
func (w *Watch) MarshalJSON() ([]byte, error) {
	return json.Marshal(watchJSON{w.WatchInfo, w.State(), w.Frames()})
}

// UnmarshalJSON implements json.Unmarshaler. The record belongs to no Log.
func (w *Watch) UnmarshalJSON(text []byte) error {
	var j watchJSON
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	w.WatchInfo, w.heads = j.WatchInfo, &heads{}
	return w.set(j.State, j.Frames)
}
