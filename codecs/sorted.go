package codecs

import (
	"bytes"
	"encoding/json"
)

var sortedHead = []byte(`{"apiVersion":"`)

// findSorted finds the place of the resourceVersion in an object whose members come in the order of their names, as
// those of an unstructured object do: metadata after apiVersion and kind, and in it the version before selfLink and
// uid.
func findSorted(value []byte) Place {
	if !bytes.HasPrefix(value, sortedHead) {
		return Place{}
	}
	meta := -1
	end := eachMember(value, 0, func(name []byte, at int) bool {
		if string(name) == "metadata" {
			meta = at
		}
		return string(name) < "metadata"
	})
	if meta < 0 || end < 0 {
		return Place{}
	}
	open := meta + len(metadataKey) - 2
	if open >= len(value) || value[open] != '{' || hasVersion(value[meta-1:]) {
		return Place{}
	}
	at := eachMember(value, open, func(name []byte, _ int) bool { return string(name) < "resourceVersion" })
	if at < 0 {
		return Place{}
	}
	return Place{Metadata: int32(meta), Version: int32(at)}
}

// Member returns the JSON of one member of an object as it is in the text; nil if there is none. It reads no further
// than it must, so it is the way to look into large objects.
func Member(object []byte, name string) json.RawMessage {
	var found json.RawMessage
	end := eachMember(object, 0, func(n []byte, at int) bool {
		if string(n) != name {
			return true
		}
		start := at + len(n) + len(`"":`)
		if end := skipValue(object, start); end > 0 {
			found = object[start:end]
		}
		return false
	})
	if found != nil || end >= 0 {
		return found
	}
	var members map[string]json.RawMessage // not compact
	if json.Unmarshal(object, &members) != nil {
		return nil
	}
	return members[name]
}

// eachMember calls visit with the name of each member of the compact JSON object that opens at value[open], and with
// the place of its name's quote, until visit returns false. It returns where it stopped: that member, or, after the
// last one, the place before the object's end and before the comma, if any, that a further member needs; -1 for no
// object.
func eachMember(value []byte, open int, visit func(name []byte, at int) bool) int {
	at := open + 1
	for at < len(value) && value[at] == '"' {
		end := skipString(value, at)
		if end < 0 || end >= len(value) || value[end] != ':' {
			return -1
		}
		if !visit(value[at+1:end-1], at) {
			return at
		}
		next := skipValue(value, end+1)
		if next < 0 || next >= len(value) {
			return -1
		}
		if value[next] == '}' {
			return next
		}
		at = next + 1
	}
	if at < len(value) && value[at] == '}' && at == open+1 {
		return at
	}
	return -1
}

// skipString returns the place after the string whose opening quote is at value[at]; -1 if it does not end.
func skipString(value []byte, at int) int {
	for i := at + 1; i < len(value); i++ {
		switch value[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// skipValue returns the place after the compact JSON value that begins at value[at]; -1 if it does not end.
func skipValue(value []byte, at int) int {
	depth := 0
	for i := at; i < len(value); i++ {
		switch value[i] {
		case '"':
			if i = skipString(value, i) - 1; i < 0 {
				return -1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}
