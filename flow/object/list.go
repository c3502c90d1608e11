package object

import (
	"io"
	"strconv"
)

// A ListHead is what a list says of itself.
type ListHead struct {
	APIVersion, Kind string
	Version          int64
	Continue         string
	Remaining        int64 // items after this page; -1 if it does not say
	Whole            bool  // it was read to its end
}

// ReadList reads a list in JSON or Protobuf while it comes, and calls item with each whole item, and with what the list
// has said of itself so far: of custom resources in JSON the kind and the metadata come last. Items of a Table are its rows. In Protobuf an item has no
// envelope. An item is valid until item returns. Reading ends where the text ends or is wrong, and at an item of
// more than 8 MiB. It is not ok if this is no list.
func ReadList(from io.Reader, item func(head *ListHead, raw []byte)) (head ListHead, ok bool) {
	l := list{in: input{from: from}, head: ListHead{Remaining: -1}, item: item}
	if l.in.peek() == '{' {
		l.json()
	} else if start := l.in.bytes(len(Envelope)); string(start) == Envelope {
		l.protobuf()
	}
	return l.head, l.is
}

// A list is one that is being read.
type list struct {
	in   input
	head ListHead
	item func(head *ListHead, raw []byte)
	is   bool // a list
}

// json reads an object with a list in it.
func (l *list) json() {
	l.in.take('{')
	for {
		quoted := l.in.value()
		if len(quoted) < 2 || quoted[0] != '"' {
			return
		}
		name := string(quoted[1 : len(quoted)-1])
		if !l.in.take(':') || !l.member(name) {
			return
		}
		if !l.in.take(',') {
			l.head.Whole = l.in.take('}')
			return
		}
	}
}

// member reads a field's value, and reports whether it is whole.
func (l *list) member(name string) bool {
	if name == "items" || name == "rows" {
		l.is = true
		if name == "rows" && l.head.Kind == "" { // which it has not said yet
			l.head.Kind = "Table"
		}
		if l.in.take('[') {
			return l.items()
		}
	}
	raw := l.in.value()
	switch name {
	case "apiVersion":
		l.head.APIVersion = plain(raw)
	case "kind":
		l.head.Kind = plain(raw)
	case "metadata":
		l.head.fromJSON(raw)
	}
	return raw != nil
}

// items reads the items up to the end of their list, and reports whether it came.
func (l *list) items() bool {
	if l.in.take(']') {
		return true
	}
	for {
		raw := l.in.value()
		if raw == nil {
			return false
		}
		l.item(&l.head, raw)
		if !l.in.take(',') {
			return l.in.take(']')
		}
	}
}

func (h *ListHead) fromJSON(metadata []byte) {
	Members(metadata, func(name, raw []byte) bool {
		switch string(name) {
		case "resourceVersion":
			h.Version = Number(plain(raw))
		case "continue":
			h.Continue = plain(raw)
		case "remainingItemCount":
			if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
				h.Remaining = n
			}
		}
		return true
	})
}
