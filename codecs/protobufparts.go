package codecs

import (
	"bytes"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"k8s.io/apimachinery/pkg/runtime"
)

// envelope begins a body of Kubernetes Protobuf; the object is in the field raw of the message runtime.Unknown after
// it.
var envelope = []byte("k8s\x00")

const rawField = 2

// protobufParts counts the messages of a body and how deep they nest, by the Go type that it will be decoded into: the
// wire does not distinguish a message from a text. A message of two bytes can become a Go value of half a kilobyte, and
// the depth of JSONSchemaProps is bounded by nothing else.
func protobufParts(data []byte, into runtime.Object) (p parts) {
	body, ok := bytes.CutPrefix(data, envelope)
	if !ok || into == nil {
		return p
	}
	for len(body) > 0 {
		number, kind, n := protowire.ConsumeTag(body)
		if n < 0 {
			return p
		}
		value := protowire.ConsumeFieldValue(number, kind, body[n:])
		if value < 0 {
			return p
		}
		if number == rawField && kind == protowire.BytesType {
			raw, _ := protowire.ConsumeBytes(body[n:])
			countMessage(raw, messageOf(reflect.TypeOf(into)), 1, &p)
		}
		body = body[n+value:]
	}
	return p
}

// countMessage counts a message and those in it. Of its other fields only lists and maps can be many: their items are values,
// and their entries members.
func countMessage(data []byte, m *message, depth int, p *parts) {
	p.containers++
	p.depth = max(p.depth, depth)
	members, items, list := 0, 0, protowire.Number(0)
	defer func() { p.members, p.items = max(p.members, members), max(p.items, items) }()
	for len(data) > 0 && p.containers <= MaxContainers && p.values <= MaxValues && p.depth <= MaxDepth {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return
		}
		size := protowire.ConsumeFieldValue(number, kind, data[n:])
		if size < 0 {
			return
		}
		switch f := m.fields()[number]; {
		case f.list:
			p.values++
		case f.entry:
			members++
			fallthrough
		case f.message != nil && kind == protowire.BytesType:
			if !f.entry {
				if number != list {
					p.items, items, list = max(p.items, items), 0, number // the items of a list are together
				}
				items++
			}
			value, _ := protowire.ConsumeBytes(data[n:])
			countMessage(value, f.message, depth+1, p)
		}
		data = data[n+size:]
	}
}

// A message is a Go type as a Protobuf message.
type message struct {
	of     reflect.Type
	fields func() map[protowire.Number]messageField // made when it is first asked for, since types hold themselves
}

// A messageField is what can be many in a message: messages in it, entries of a map, or items of a list that are none.
type messageField struct {
	message *message // nil for a list
	entry   bool
	list    bool
}

var messages sync.Map // reflect.Type → *message

// messageOf returns the message of a struct type, or of what points to one.
func messageOf(t reflect.Type) *message {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if m, ok := messages.Load(t); ok {
		return m.(*message)
	}
	m := &message{of: t}
	m.fields = sync.OnceValue(m.read)
	known, _ := messages.LoadOrStore(t, m)
	return known.(*message)
}

// read reads the struct tags that Kubernetes' types have for Protobuf: `protobuf:"bytes,2,rep,name=containers"`.
func (m *message) read() map[protowire.Number]messageField {
	fields := map[protowire.Number]messageField{}
	if m.of.Kind() != reflect.Struct {
		return fields
	}
	for f := range m.of.Fields() {
		tag := strings.Split(f.Tag.Get("protobuf"), ",")
		if len(tag) < 2 {
			continue
		}
		number, err := strconv.Atoi(tag[1])
		if err != nil {
			continue
		}
		t := f.Type
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		switch {
		case t.Kind() == reflect.Map:
			fields[protowire.Number(number)] = messageField{message: entryOf(t), entry: true}
		case t.Kind() == reflect.Struct:
			fields[protowire.Number(number)] = messageField{message: messageOf(t)}
		case len(tag) > 2 && tag[2] == "rep":
			fields[protowire.Number(number)] = messageField{list: true}
		}
	}
	return fields
}

// entryOf is the message of one entry of a map: its value is field 2.
func entryOf(t reflect.Type) *message {
	entry := &message{of: t}
	entry.fields = sync.OnceValue(func() map[protowire.Number]messageField {
		v := t.Elem()
		for v.Kind() == reflect.Pointer || v.Kind() == reflect.Slice {
			v = v.Elem()
		}
		if v.Kind() != reflect.Struct {
			return nil
		}
		return map[protowire.Number]messageField{2: {message: messageOf(v)}}
	})
	return entry
}
