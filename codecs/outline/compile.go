package outline

import (
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A sized value is one of Protobuf.
type sized interface{ Size() int }

var (
	sizedType    = reflect.TypeFor[sized]()
	readsItself  = reflect.TypeFor[json.Unmarshaler]()
	typeMetaType = reflect.TypeFor[metav1.TypeMeta]()
	metaType     = reflect.TypeFor[metav1.ObjectMeta]()
	timeType     = reflect.TypeFor[metav1.Time]()
	fieldsType   = reflect.TypeFor[metav1.FieldsV1]()
)

// A compiler makes messages of Go types, one of each.
type compiler struct{ messages map[reflect.Type]*message }

// A content reads a value and returns how many bytes it has, without number and length.
type content func(s *scanner) int

// root is an object, whose metadata are looked at.
func (c *compiler) root(t reflect.Type) (*message, bool) {
	m, ok := c.message(t)
	if !ok {
		return nil, false
	}
	at, has := m.fields["metadata"]
	f, found := t.FieldByName("ObjectMeta")
	if !has || !found || f.Type != metaType {
		return nil, false
	}
	inner, _ := c.message(metaType)
	meta := *inner
	meta.meta = true
	meta.list = append([]field(nil), inner.list...)
	labels := &meta.list[meta.fields["labels"]]
	read := labels.read
	labels.read = func(s *scanner) int { return readLabels(s, read) }
	meta.list[meta.fields["resourceVersion"]].read = (*scanner).fail
	m.list[at].read = func(s *scanner) int {
		s.metadata = delimited(1, meta.read)(s) // it is the first field of both
		return s.metadata
	}
	return m, true
}

// readLabels notes where the labels are.
func readLabels(s *scanner, read func(*scanner) int) int {
	from, escapes := s.at, s.escapes
	n := read(s)
	s.labels = [2]int32{int32(from), int32(s.at)}
	if s.escapes > escapes {
		return s.fail()
	}
	return n
}

// message is a struct.
func (c *compiler) message(t reflect.Type) (*message, bool) {
	if m, begun := c.messages[t]; begun {
		return m, m != nil // one that contains itself is not known: nothing else bounds how deep it is
	}
	c.messages[t] = nil
	if !reflect.PointerTo(t).Implements(sizedType) {
		return nil, false
	}
	m := &message{fields: map[string]int{}, parts: []part{{}}}
	if !c.addFields(m, t, 0) || len(m.list) > mostFields || len(m.parts) > mostParts {
		return nil, false
	}
	c.messages[t] = m
	return m, true
}

// addFields adds the fields of a struct that is a part of a message.
func (c *compiler) addFields(m *message, t reflect.Type, in int) bool {
	for i := range t.NumField() {
		f := t.Field(i)
		name, how, _ := strings.Cut(f.Tag.Get("json"), ",")
		number, tagged := protobufTag(f)
		switch {
		case f.Type == typeMetaType && name == "":
			m.add("kind", in, field{read: notSent})
			m.add("apiVersion", in, field{read: notSent})
		case !tagged || strings.Contains(how, "string"):
			return false
		case name == "" && f.Type.Kind() == reflect.Struct:
			m.parts = append(m.parts, part{within: in, tag: number})
			if !c.addFields(m, f.Type, len(m.parts)-1) {
				return false
			}
		case name == "" || name == "-":
			return false
		default:
			made, ok := c.field(f.Type, number)
			if !ok {
				return false
			}
			m.add(name, in, made)
		}
	}
	return true
}

// notSent reads a text that is not in Protobuf.
func notSent(s *scanner) int { return 0 * s.length() }

func (m *message) add(name string, in int, f field) {
	f.part = in
	m.fields[name] = len(m.list)
	m.list = append(m.list, f)
	m.parts[in].zero += f.zero
}

// protobufTag says how many bytes the number of a field takes. Whether there may be many of it the tag says as well, but the
// generator goes by the type, and some tags are wrong.
func protobufTag(f reflect.StructField) (number int, ok bool) {
	words := strings.Split(f.Tag.Get("protobuf"), ",")
	if len(words) < 3 {
		return 0, false
	}
	n, err := strconv.Atoi(words[1])
	return varint(n << 3), err == nil
}

// field is a field of a type, whose number takes so many bytes.
func (c *compiler) field(t reflect.Type, number int) (f field, ok bool) {
	switch {
	case t.Kind() == reflect.Map:
		return c.mapField(t, number)
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		return c.listField(t, number)
	case t.Kind() == reflect.Pointer:
		f, ok = c.single(t.Elem(), number)
		f.zero, f.reads0 = 0, false // left out where it is nil
		return f, ok
	}
	return c.single(t, number)
}

// single is a field with one value.
func (c *compiler) single(t reflect.Type, number int) (f field, ok bool) {
	switch known := reflect.PointerTo(t); {
	case t == timeType:
		return field{zero: number + varint(0), read: delimited(number, readTime)}, true
	case t == fieldsType:
		return field{zero: number + varint(0), read: delimited(number, readFields)}, true
	case known.Implements(readsItself) && known.Implements(sizedType):
		zero := reflect.New(t).Interface().(sized).Size()
		return field{zero: number + varint(zero) + zero, read: delimited(number, made(t)), reads0: true}, true
	case known.Implements(readsItself) || known.Implements(sizedType) && t.Kind() != reflect.Struct:
		return f, false
	}
	switch t.Kind() {
	case reflect.String:
		return field{zero: number + varint(0), read: delimited(number, (*scanner).length)}, true
	case reflect.Bool:
		return field{zero: number + 1, read: func(s *scanner) int { return number + readBool(s) }}, true
	case reflect.Int32, reflect.Int64:
		size := t.Bits()
		return field{zero: number + 1, read: func(s *scanner) int { return number + readInt(s, size) }}, true
	case reflect.Slice:
		return field{read: delimited(number, readBytes)}, t.Elem().Kind() == reflect.Uint8
	case reflect.Struct:
		m, ok := c.message(t)
		if !ok {
			return f, false
		}
		zero := m.zero()
		return field{zero: number + varint(zero) + zero, read: delimited(number, m.read)}, true
	}
	return f, false
}

// listField is a field of many values.
func (c *compiler) listField(t reflect.Type, number int) (f field, ok bool) {
	if reflect.PointerTo(t).Implements(sizedType) || reflect.PointerTo(t).Implements(readsItself) {
		return f, false
	}
	of, ok := c.single(t.Elem(), number)
	return field{read: func(s *scanner) (n int) {
		if !s.take('[') {
			return s.fail()
		}
		for !s.take(']') && !s.bad {
			n += of.read(s)
			s.next(']')
		}
		return n
	}}, ok
}

// mapField is a field of names and values, each pair of which is a message.
func (c *compiler) mapField(t reflect.Type, number int) (f field, ok bool) {
	if t.Key().Kind() != reflect.String || reflect.PointerTo(t).Implements(sizedType) || reflect.PointerTo(t).Implements(readsItself) {
		return f, false
	}
	of, ok := c.single(t.Elem(), 1)
	return field{read: func(s *scanner) (n int) {
		if !s.take('{') {
			return s.fail()
		}
		last, first := "", true
		for !s.take('}') && !s.bad {
			name := s.name()
			if !first && string(name) <= last {
				return s.fail()
			}
			last, first = text(name), false
			pair := 1 + varint(len(name)) + len(name) + of.read(s)
			n += number + varint(pair) + pair
			s.next('}')
		}
		return n
	}}, ok
}

// delimited is a value with number and length before it.
func delimited(number int, read content) func(*scanner) int {
	return func(s *scanner) int {
		n := read(s)
		return number + varint(n) + n
	}
}

// made reads a value of a type that reads JSON by itself: it is made, and measured.
func made(t reflect.Type) content {
	return func(s *scanner) int {
		from := s.at
		switch c := s.peek(); {
		case c == '"':
			s.quoted()
		case c == '-' || c >= '0' && c <= '9':
			s.number()
		default:
			return s.fail()
		}
		v := reflect.New(t).Interface()
		if s.bad || v.(json.Unmarshaler).UnmarshalJSON(s.text[from:s.at]) != nil {
			return s.fail()
		}
		return v.(sized).Size()
	}
}

// readTime reads a time in whole seconds, as metav1.Time has it.
func readTime(s *scanner) int {
	token, escaped := s.quoted()
	if escaped || s.bad {
		return s.fail()
	}
	t, err := time.Parse(time.RFC3339, text(token[1:len(token)-1]))
	switch {
	case err != nil:
		return s.fail()
	case t.IsZero():
		return 0
	}
	return 1 + varint64(uint64(t.Unix())) + 1 + varint(0)
}

// readFields reads a field set, which is kept as it is written.
func readFields(s *scanner) int {
	const deepest = 1000
	from := s.at
	s.objects(deepest)
	n := s.at - from
	return 1 + varint(n) + n
}

func readBool(s *scanner) int {
	if !s.word("true") && !s.word("false") {
		return s.fail()
	}
	return 1
}

func readInt(s *scanner, size int) int {
	n, err := strconv.ParseInt(text(s.number()), 10, size)
	if err != nil {
		return s.fail()
	}
	return varint64(uint64(n))
}

// readBytes reads what is in base64.
func readBytes(s *scanner) int {
	token, escaped := s.quoted()
	if escaped || s.bad {
		return s.fail()
	}
	into := make([]byte, base64.StdEncoding.DecodedLen(len(token)))
	n, err := base64.StdEncoding.Decode(into, token[1:len(token)-1])
	if err != nil {
		return s.fail()
	}
	return n
}
