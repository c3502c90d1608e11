package object

import "bytes"

// Member is the raw value of a field of a JSON object, nil if it has none or is no object. It reads no more than it
// must: each write is looked at, and most are of no interest.
func Member(obj []byte, name string) (found []byte) {
	Members(obj, func(is, raw []byte) bool {
		if string(is) != name {
			return true
		}
		found = raw
		return false
	})
	return found
}

// Members calls each with the fields of a JSON object as they are written, until it returns false. A value that is not
// an object has none.
func Members(obj []byte, each func(name, raw []byte) bool) {
	i := space(obj, 0)
	if i >= len(obj) || obj[i] != '{' {
		return
	}
	for i++; ; i++ {
		i = space(obj, i)
		if i >= len(obj) || obj[i] != '"' {
			return
		}
		end := value(obj, i)
		if end < 0 {
			return
		}
		name := obj[i+1 : end-1]
		if i = space(obj, end); i >= len(obj) || obj[i] != ':' {
			return
		}
		i = space(obj, i+1)
		if end = value(obj, i); end < 0 || !each(name, obj[i:end]) {
			return
		}
		if i = space(obj, end); i >= len(obj) || obj[i] != ',' {
			return
		}
	}
}

// Items calls each with the items of a JSON list as they are written. A value that is not a list has none.
func Items(list []byte, each func(raw []byte)) {
	i := space(list, 0)
	if i >= len(list) || list[i] != '[' {
		return
	}
	for i++; ; i++ {
		i = space(list, i)
		end := value(list, i)
		if end < 0 {
			return
		}
		each(list[i:end])
		if i = space(list, end); i >= len(list) || list[i] != ',' {
			return
		}
	}
}

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// value is where the value that begins at i ends; negative if it does not.
func value(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return text(b, i)
	case '{', '[':
		return nested(b, i)
	}
	n := bytes.IndexAny(b[i:], ",}] \n\t\r")
	if n < 0 {
		return len(b)
	}
	if n == 0 {
		return -1
	}
	return i + n
}

// text is where a string ends.
func text(b []byte, i int) int {
	for at := i + 1; at < len(b); at++ { // most are short: a search for the quote takes longer
		switch b[at] {
		case '"':
			return at + 1
		case '\\':
			at++
		}
	}
	return -1
}

// nested is where an object or a list ends.
func nested(b []byte, i int) int {
	depth := 0
	for ; i < len(b); i++ {
		switch b[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			end := text(b, i)
			if end < 0 {
				return -1
			}
			i = end - 1
		}
	}
	return -1
}
