package chain

import (
	"bytes"
	"encoding/json"
	"strings"
)

// A document is what is needed of an object's JSON text.
type document struct {
	uid, name, generateName string
	owners                  []reference // at most maxReferences, as the next
	names                   []reference
}

// A reference is what an object says of another one. Of kind and resource one is known.
type reference struct {
	kind, group, resource string
	namespace, name, uid  string
	back                  bool // an event about the object that has the reference is a reason to write that one
}

const (
	maxReferences = 16
	maxDepth      = 48
)

// A scanner reads a JSON text in one pass, without decoding what is not needed. Wrong JSON ends it: what was found
// before stays.
type scanner struct {
	text []byte
	at   int
	doc  document
}

// scan reads an object's JSON text.
func scan(text []byte) document {
	s := scanner{text: text}
	s.value("", "", 0, nil)
	return s.doc
}

// fields are the texts of one object that may be a reference.
type fields struct{ kind, apiVersion, group, resource, namespace, name, uid string }

// value reads a value. field is the name of its field, outer of the one around it; f gets the texts of the object that
// it is a field of. It returns false where the text ends or is wrong.
func (s *scanner) value(field, outer string, depth int, f *fields) bool {
	s.blanks()
	if s.at >= len(s.text) || depth > maxDepth {
		return false
	}
	switch s.text[s.at] {
	case '{':
		if field == "managedFields" || outer == "managedFields" { // long, and names nothing
			return s.skip()
		}
		return s.object(field, outer, depth)
	case '[':
		if field == "managedFields" {
			return s.skip()
		}
		return s.list(field, outer, depth)
	case '"':
		raw, ok := s.text0()
		if ok && f != nil {
			s.string(field, outer, raw, depth, f)
		}
		return ok
	}
	for s.at < len(s.text) && !bytes.ContainsRune([]byte(",]} \n\t\r"), rune(s.text[s.at])) {
		s.at++
	}
	return true
}

func (s *scanner) object(field, outer string, depth int) bool {
	var f fields
	s.at++
	for {
		s.blanks()
		switch {
		case s.at >= len(s.text):
			return false
		case s.text[s.at] == '}':
			s.at++
			s.ended(field, depth, &f)
			return true
		case s.text[s.at] == ',':
			s.at++
			continue
		case s.text[s.at] != '"':
			return false
		}
		name, ok := s.text0()
		if !ok {
			return false
		}
		s.blanks()
		if s.at >= len(s.text) || s.text[s.at] != ':' {
			return false
		}
		s.at++
		inner := known(name)
		if !s.value(inner, field, depth+1, &f) {
			return false
		}
	}
}

func (s *scanner) list(field, outer string, depth int) bool {
	s.at++
	for {
		s.blanks()
		switch {
		case s.at >= len(s.text):
			return false
		case s.text[s.at] == ']':
			s.at++
			return true
		case s.text[s.at] == ',':
			s.at++
			continue
		}
		before := s.at
		if !s.value(field, outer, depth+1, nil) || s.at == before {
			return false
		}
	}
}

// text0 reads a string, without its quotes and with its escapes.
func (s *scanner) text0() (raw []byte, ok bool) {
	start := s.at + 1
	for i := start; ; i++ {
		n := bytes.IndexByte(s.text[i:], '"')
		if n < 0 {
			s.at = len(s.text)
			return nil, false
		}
		i += n
		escapes := 0
		for i-1-escapes >= start && s.text[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			s.at = i + 1
			return s.text[start:i], true
		}
	}
}

// skip passes over an object or a list.
func (s *scanner) skip() bool {
	for depth := 0; s.at < len(s.text); {
		switch s.text[s.at] {
		case '"':
			if _, ok := s.text0(); !ok {
				return false
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		s.at++
		if depth == 0 {
			return true
		}
	}
	return false
}

func (s *scanner) blanks() {
	for s.at < len(s.text) && s.text[s.at] <= ' ' {
		s.at++
	}
}

// namesOther are fields whose text names another object, by the resource of that.
var namesOther = map[string]reference{
	"nodeName":                   {resource: "nodes"},
	"claimName":                  {resource: "persistentvolumeclaims", back: true},
	"volumeName":                 {resource: "persistentvolumes", back: true},
	"persistentVolumeName":       {resource: "persistentvolumes", back: true},
	"serviceAccountName":         {resource: "serviceaccounts"},
	"secretName":                 {resource: "secrets"},
	"serviceName":                {resource: "services", back: true},
	"storageClassName":           {resource: "storageclasses", group: "storage.k8s.io"},
	"volumeAttributesClassName":  {resource: "volumeattributesclasses", group: "storage.k8s.io"},
	"priorityClassName":          {resource: "priorityclasses", group: "scheduling.k8s.io"},
	"runtimeClassName":           {resource: "runtimeclasses", group: "node.k8s.io"},
	"kubernetes.io/service-name": {resource: "services"},
}

// others are the fields that hold a reference to another object, apart from those that end with "Ref".
var others = map[string]bool{
	"involvedObject": true, "regarding": true, "related": true, "target": true,
}

// known returns the name of a field if something depends on it, "" else, without allocation.
func known(name []byte) string {
	switch string(name) {
	case "metadata":
		return "metadata"
	case "managedFields":
		return "managedFields"
	case "ownerReferences":
		return "ownerReferences"
	case "kind":
		return "kind"
	case "apiVersion":
		return "apiVersion"
	case "apiGroup", "group":
		return "apiGroup"
	case "resource":
		return "resource"
	case "namespace":
		return "namespace"
	case "name":
		return "name"
	case "generateName":
		return "generateName"
	case "uid":
		return "uid"
	case "configMap":
		return "configMap"
	}
	switch { // most are none of these
	case bytes.HasSuffix(name, []byte("ame")):
		if _, ok := namesOther[string(name)]; ok {
			return string(name)
		}
	case bytes.HasSuffix(name, []byte("Ref")), others[string(name)]:
		return string(name)
	}
	return ""
}

// string takes the text of a field.
func (s *scanner) string(field, outer string, raw []byte, depth int, f *fields) {
	if field == "" || len(raw) == 0 || len(raw) > 512 {
		return
	}
	if to, ok := namesOther[field]; ok {
		if to.name = plain(raw); len(s.doc.names) < maxReferences {
			s.doc.names = append(s.doc.names, to)
		}
		return
	}
	switch field {
	case "kind":
		f.kind = plain(raw)
	case "apiVersion":
		f.apiVersion = plain(raw)
	case "apiGroup":
		f.group = plain(raw)
	case "resource":
		f.resource = plain(raw)
	case "namespace":
		f.namespace = plain(raw)
	case "name":
		f.name = plain(raw)
	case "uid":
		f.uid = plain(raw)
	case "generateName":
		if outer == "metadata" && depth == 2 {
			s.doc.generateName = plain(raw)
		}
	}
}

// ended takes an object that was the value of a field.
func (s *scanner) ended(field string, depth int, f *fields) {
	switch {
	case field == "metadata" && depth == 1:
		s.doc.uid, s.doc.name = f.uid, f.name
		return
	case f.name == "" && f.uid == "":
		return
	}
	r := reference{
		kind: f.kind, group: f.group, resource: f.resource, namespace: f.namespace, name: f.name, uid: f.uid,
	}
	if group, _, ok := strings.Cut(f.apiVersion, "/"); ok {
		r.group = group
	}
	switch {
	case field == "ownerReferences":
		if depth == 3 && len(s.doc.owners) < maxReferences {
			s.doc.owners = append(s.doc.owners, r)
		}
	case len(s.doc.names) >= maxReferences || f.name == "":
	case field == "configMap":
		s.doc.names = append(s.doc.names, reference{resource: "configmaps", name: f.name})
	case f.kind+f.resource != "" && (others[field] || strings.HasSuffix(field, "Ref")):
		r.back = true
		s.doc.names = append(s.doc.names, r)
	}
}

// plain is the text of a JSON string.
func plain(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	quoted := append(append([]byte{'"'}, raw...), '"')
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return ""
	}
	return text
}
