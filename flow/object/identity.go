package object

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// An Identity is what an object says of itself, in JSON or in Kubernetes Protobuf, read without decoding the rest.
type Identity struct {
	APIVersion, Kind string
	Namespace, Name  string
	UID              string
	Version          int64 // its resourceVersion; 0 if it has none that is a number
	Deleting         bool  // it has a deletionTimestamp
	Initial          bool  // it is the bookmark that ends the initial events of a watch
}

// A ListHead is what a list says of itself.
type ListHead struct {
	APIVersion, Kind string
	Version          int64
	Continue         string
	Remaining        int64 // items after this page; -1 if it does not say
}

// Envelope opens Kubernetes Protobuf (API Concepts, "Kubernetes Protobuf encoding").
const Envelope = "k8s\x00"

// initialEnd is the annotation of a bookmark after the initial events of a watch (API Concepts, "Streaming lists").
const initialEnd = "k8s.io/initial-events-end"

// Identify reads an object; what is neither form has an empty Identity.
func Identify(b []byte) (id Identity) {
	if apiVersion, kind, raw, ok := opened(b); ok {
		id.APIVersion, id.Kind = apiVersion, kind
		id.fromProtobuf(raw)
		return id
	}
	Members(b, func(name, raw []byte) bool {
		switch string(name) {
		case "apiVersion":
			id.APIVersion = plain(raw)
		case "kind":
			id.Kind = plain(raw)
		case "metadata":
			id.fromJSON(raw)
		case "rows":
			Items(raw, func(row []byte) { // of a Table in an event, which has one
				kind, apiVersion := id.Kind, id.APIVersion
				id = Identify(RowObject(row))
				id.Kind, id.APIVersion = kind, apiVersion
			})
		}
		return id.APIVersion == "" || id.Kind == "" || id.Name == ""
	})
	return id
}

// RowObject is the object of a Table, or of one of its rows: its metadata, unless more was asked for; nil for none.
func RowObject(raw []byte) []byte {
	if rows := Member(raw, "rows"); rows != nil {
		raw = nil
		Items(rows, func(row []byte) { raw = row })
	}
	return Member(raw, "object")
}

// IdentifyItem reads an item of a list in Protobuf, which has no envelope.
func IdentifyItem(raw []byte) (id Identity) {
	id.fromProtobuf(raw)
	return id
}

func (id *Identity) fromJSON(metadata []byte) {
	Members(metadata, func(name, raw []byte) bool {
		switch string(name) {
		case "namespace":
			id.Namespace = plain(raw)
		case "name":
			id.Name = plain(raw)
		case "uid":
			id.UID = plain(raw)
		case "resourceVersion":
			id.Version = Number(plain(raw))
		case "deletionTimestamp":
			id.Deleting = true
		case "annotations":
			id.Initial = bytes.Contains(raw, []byte(initialEnd))
		}
		return true
	})
}

// fromProtobuf reads a message whose first field is an ObjectMeta.
func (id *Identity) fromProtobuf(message []byte) {
	eachField(message, func(number protowire.Number, metadata []byte, _ bool) bool {
		if number != 1 {
			return false
		}
		eachField(metadata, func(number protowire.Number, value []byte, whole bool) bool {
			switch number {
			case 1:
				id.Name = string(value)
			case 3:
				id.Namespace = string(value)
			case 5:
				id.UID = string(value)
			case 6:
				id.Version = Number(string(value))
			case 9:
				id.Deleting = true
			case 12:
				id.Initial = id.Initial || bytes.Contains(value, []byte(initialEnd))
			}
			return true
		})
		return false
	})
}

// ReadList reads a list in JSON or Protobuf, also one whose end is missing, and calls item with each whole item. Items
// of a Table are its rows. In Protobuf an item has no envelope. It is not ok if this is no list.
func ReadList(b []byte, item func(raw []byte)) (head ListHead, ok bool) {
	head.Remaining = -1
	if apiVersion, kind, raw, is := opened(b); is {
		head.APIVersion, head.Kind = apiVersion, kind
		if ok = strings.HasSuffix(kind, "List"); ok {
			head.fromProtobuf(raw, item)
		}
		return head, ok
	}
	items := func(name, raw []byte) bool {
		if ok = string(name) == "items" || string(name) == "rows"; ok {
			Items(raw, item)
		}
		return true
	}
	rest := b
	Members(b, func(name, raw []byte) bool {
		at := cap(b) - cap(raw) + len(raw) // where the value ends in b
		rest = b[min(at, len(b)):]
		switch string(name) {
		case "apiVersion":
			head.APIVersion = plain(raw)
		case "kind":
			head.Kind = plain(raw)
		case "metadata":
			head.fromJSON(raw)
		}
		return items(name, raw)
	})
	if !ok { // its items end too soon
		for _, name := range []string{`"items":`, `"rows":`} {
			if at := bytes.Index(rest, []byte(name)); at >= 0 && at < mostBetween {
				items([]byte(strings.Trim(name, `":`)), rest[at+len(name):])
				break
			}
		}
	}
	return head, ok
}

// mostBetween is how far the items of a list that is cut are from its metadata.
const mostBetween = 16

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

// fromProtobuf reads a message of a ListMeta and items.
func (h *ListHead) fromProtobuf(message []byte, item func([]byte)) {
	eachField(message, func(number protowire.Number, value []byte, whole bool) bool {
		switch number {
		case 1:
			h.metaFromProtobuf(value)
		case 2:
			if whole {
				item(value)
			}
		}
		return true
	})
}

func (h *ListHead) metaFromProtobuf(metadata []byte) {
	for len(metadata) > 0 {
		number, kind, n := protowire.ConsumeTag(metadata)
		if n < 0 {
			return
		}
		metadata = metadata[n:]
		size := protowire.ConsumeFieldValue(number, kind, metadata)
		if size < 0 {
			return
		}
		switch {
		case number == 2 && kind == protowire.BytesType:
			text, _ := protowire.ConsumeBytes(metadata)
			h.Version = Number(string(text))
		case number == 3 && kind == protowire.BytesType:
			text, _ := protowire.ConsumeBytes(metadata)
			h.Continue = string(text)
		case number == 4 && kind == protowire.VarintType:
			v, _ := protowire.ConsumeVarint(metadata)
			h.Remaining = int64(v)
		}
		metadata = metadata[size:]
	}
}

// opened takes the envelope off a body in Protobuf, also of one that is cut: raw is as much of the message as there is.
func opened(b []byte) (apiVersion, kind string, raw []byte, ok bool) {
	rest, ok := bytes.CutPrefix(b, []byte(Envelope))
	if !ok {
		return "", "", nil, false
	}
	eachField(rest, func(number protowire.Number, value []byte, whole bool) bool {
		switch number {
		case 1:
			eachField(value, func(number protowire.Number, value []byte, whole bool) bool {
				switch number {
				case 1:
					apiVersion = string(value)
				case 2:
					kind = string(value)
				}
				return true
			})
		case 2:
			raw = value
		}
		return raw == nil
	})
	return apiVersion, kind, raw, true
}

// eachField calls each with the fields of a message that hold bytes, until it returns false. Of a message that is cut
// the last one is what is left of it, and not whole.
func eachField(message []byte, each func(number protowire.Number, value []byte, whole bool) bool) {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return
		}
		message = message[n:]
		if kind == protowire.BytesType {
			size, n := protowire.ConsumeVarint(message)
			if n < 0 {
				return
			}
			value := message[n:]
			whole := uint64(len(value)) >= size
			if whole {
				value = value[:size]
			}
			if !each(number, value, whole) {
				return
			}
			message = message[n+len(value):]
			continue
		}
		size := protowire.ConsumeFieldValue(number, kind, message)
		if size < 0 {
			return
		}
		message = message[size:]
	}
}

// plain is a JSON string as text.
func plain(raw []byte) (text string) {
	_ = json.Unmarshal(raw, &text) // what is none is ""
	return text
}

// Number is a resourceVersion as a number, 0 if it is none.
func Number(version string) int64 {
	n, err := strconv.ParseInt(version, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
