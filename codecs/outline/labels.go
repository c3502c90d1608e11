package outline

import "bytes"

// labelsKey comes before the labels of an object. In a string its quotes have escapes.
var labelsKey = []byte(`"labels":`)

// Find finds where an object's labels are in its text, as Outline.Labels. It is zero if the first labels in the text
// are others, or have escapes.
func Find(object []byte, labels map[string]string) (at [2]int32) {
	before := bytes.Index(object, labelsKey)
	if before < 0 || len(labels) == 0 {
		return at
	}
	s := scanner{text: object, at: before + len(labelsKey)}
	at[0] = int32(s.at)
	if !s.take('{') {
		return [2]int32{}
	}
	n := 0
	for ; !s.take('}') && !s.bad; n++ {
		name := s.name()
		value, escaped := s.quoted()
		if want, has := labels[string(name)]; s.bad || escaped || !has || want != string(value[1:len(value)-1]) {
			return [2]int32{}
		}
		s.next('}')
	}
	if s.bad || n != len(labels) {
		return [2]int32{}
	}
	at[1] = int32(s.at)
	return at
}

// Lookup finds a label in a text that begins with labels that Find or Read has found, whatever comes after them.
func Lookup(labels []byte, name string) (value string, has bool) {
	for len(labels) > len("{}") && labels[1] == '"' {
		key := labels[2:] // without the separator and the quote
		end := bytes.IndexByte(key, '"')
		val := key[end+len(`":"`):]
		stop := bytes.IndexByte(val, '"')
		if string(key[:end]) == name {
			return text(val[:stop]), true
		}
		if labels = val[stop+1:]; labels[0] == '}' {
			break
		}
	}
	return "", false
}
