package object

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"

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
		id.member(name, raw)
		if string(name) == "rows" {
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

// IdentifyItem reads an item of a list: in Protobuf, where it has no envelope, or in JSON, where a server writes the kind
// before the metadata, or not at all.
func IdentifyItem(raw []byte) (id Identity) {
	if len(raw) == 0 || raw[0] != '{' {
		id.fromProtobuf(raw)
		return id
	}
	Members(raw, func(name, raw []byte) bool {
		id.member(name, raw)
		return string(name) != "metadata"
	})
	return id
}

// member reads a field of an object in JSON.
func (id *Identity) member(name, raw []byte) {
	switch string(name) {
	case "apiVersion":
		id.APIVersion = plain(raw)
	case "kind":
		id.Kind = plain(raw)
	case "metadata":
		id.fromJSON(raw)
	}
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
	eachField(message, func(number protowire.Number, metadata []byte) bool {
		if number != 1 {
			return false
		}
		eachField(metadata, func(number protowire.Number, value []byte) bool {
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

// opened takes the envelope off a body in Protobuf, also of one that is cut: raw is as much of the message as there is.
func opened(b []byte) (apiVersion, kind string, raw []byte, ok bool) {
	rest, ok := bytes.CutPrefix(b, []byte(Envelope))
	if !ok {
		return "", "", nil, false
	}
	eachField(rest, func(number protowire.Number, value []byte) bool {
		switch number {
		case 1:
			apiVersion, kind = typeOf(value)
		case 2:
			raw = value
		}
		return raw == nil
	})
	return apiVersion, kind, raw, true
}

// typeOf reads a runtime.TypeMeta.
func typeOf(message []byte) (apiVersion, kind string) {
	eachField(message, func(number protowire.Number, value []byte) bool {
		switch number {
		case 1:
			apiVersion = string(value)
		case 2:
			kind = string(value)
		}
		return true
	})
	return apiVersion, kind
}

// eachField calls each with the fields of a message that hold bytes, until it returns false. Of a message that is cut
// the last one is what is left of it.
func eachField(message []byte, each func(number protowire.Number, value []byte) bool) {
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
			value = value[:min(size, uint64(len(value)))]
			if !each(number, value) {
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
	if n := len(raw) - 1; n > 0 && raw[0] == '"' && !bytes.ContainsFunc(raw, special) {
		return string(raw[1:n])
	}
	_ = json.Unmarshal(raw, &text) // what is none is ""
	return text
}

// special reports whether a character of a JSON string may be another one in its text.
func special(c rune) bool { return c == '\\' || c < ' ' || c >= utf8.RuneSelf }

// Number is a resourceVersion as a number, 0 if it is none.
func Number(version string) int64 {
	n, err := strconv.ParseInt(version, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
