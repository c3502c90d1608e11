package body

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/codecs"
	"kubarium/tui/term"
)

// protobufLines shows a Kubernetes Protobuf body field by field next to its bytes: the field's number, its name from
// the Go type of the kind, and its value; nil if the body is not valid Protobuf, or not complete.
func protobufLines(b []byte, w int) []term.Line {
	if !bytes.HasPrefix(b, protobufStart) {
		return nil
	}
	d := &wireDump{w: w}
	d.add(0, b[:4], 0, term.Line{term.Dim.Of("magic: Kubernetes Protobuf")})
	p := protobufDump{d, b}
	if !p.message(4, len(b), 0, reflect.TypeFor[runtime.Unknown]()) {
		return nil
	}
	return d.lines
}

// A wireDump collects lines with an offset, bytes, and their meaning.
type wireDump struct {
	w     int
	lines []term.Line
}

// add adds a line; depth indents the meaning.
func (d *wireDump) add(at int, b []byte, depth int, meaning term.Line) {
	n := 6
	switch {
	case d.w >= 100:
		n = 12
	case d.w >= 64:
		n = 8
	}
	shown := fmt.Sprintf("% x", b[:min(n, len(b))])
	if len(b) > n {
		shown = fmt.Sprintf("% x …", b[:n-1])
	}
	l := term.Line{term.Dim.Of(fmt.Sprintf("%04x ", at)), term.Plain.Of(term.Pad(shown, 3*n+1)),
		term.Dim.Of(strings.Repeat("  ", depth))}
	d.lines = append(d.lines, term.FitLine(append(l, meaning...), d.w))
}

// A protobufDump reads the messages of body; offsets count in it.
type protobufDump struct {
	*wireDump
	body []byte
}

// deepestMessage is how deep messages may nest; Kubernetes' own are far less deep.
const deepestMessage = 40

// message adds the fields of the message between two offsets, and returns false if it is not valid. t is its Go type,
// nil if that is not known.
func (p protobufDump) message(from, to, depth int, t reflect.Type) bool {
	if depth > deepestMessage {
		return false
	}
	for at := from; at < to; {
		number, kind, n := protowire.ConsumeTag(p.body[at:to])
		if n < 0 {
			return false
		}
		size := protowire.ConsumeFieldValue(number, kind, p.body[at+n:to])
		if size < 0 {
			return false
		}
		f := fieldNumbered(t, int(number))
		head := term.Line{term.Num.Of(strconv.Itoa(int(number)) + " "), term.Name.Of(f.name)}
		if f.name != "" {
			head = append(head, term.Plain.Of(" "))
		}
		if !p.value(at, at+n, at+n+size, kind, depth, f, head) {
			return false
		}
		at += n + size
	}
	return true
}

// value adds one field: its tag is at at, the rest between from and to.
func (p protobufDump) value(at, from, to int, kind protowire.Type, depth int, f wireField, head term.Line) bool {
	field := p.body[at:to]
	switch kind {
	case protowire.VarintType:
		v, _ := protowire.ConsumeVarint(p.body[from:to])
		s := strconv.FormatInt(int64(v), 10)
		if f.of != nil && f.of.Kind() == reflect.Bool {
			s = term.Pick(v == 0, "false", "true")
		}
		p.add(at, field, depth, append(head, term.Num.Of(s)))
	case protowire.Fixed64Type:
		number := math.Float64frombits(binary.LittleEndian.Uint64(p.body[from:to]))
		p.add(at, field, depth, append(head, term.Num.Of(fmt.Sprint(number))))
	case protowire.BytesType:
		content, n := protowire.ConsumeBytes(p.body[from:to])
		return p.bytes(at, from+n-len(content), to, depth, f, head)
	default:
		p.add(at, field, depth, append(head, term.Dim.Of(fmt.Sprintf("wire type %d", kind))))
	}
	return true
}

// bytes adds a field with a length: a message, a text, or bytes.
func (p protobufDump) bytes(at, from, to, depth int, f wireField, head term.Line) bool {
	content := p.body[from:to]
	field := p.body[at:to]
	switch {
	case f.raw:
		meaning := term.Dim.Of(fmt.Sprintf("{ the object, %s", term.BytesText(int64(len(content)))))
		p.add(at, p.body[at:from], depth, append(head, meaning))
		return p.message(from, to, depth+1, p.object())
	case f.isMessage():
		p.add(at, p.body[at:from], depth, append(head,
			term.Dim.Of(fmt.Sprintf("{ %s", term.BytesText(int64(len(content)))))))
		return p.message(from, to, depth+1, f.of)
	case f.of != nil && f.of.Kind() == reflect.String || f.of == nil && isPrintable(content):
		p.add(at, field, depth, append(head, term.Str.Of(strconv.Quote(string(content)))))
	case f.of == nil && len(content) > 0 && p.looksLikeMessage(from, to):
		p.add(at, p.body[at:from], depth, append(head, term.Dim.Of("{")))
		return p.message(from, to, depth+1, nil)
	default:
		size, text := term.BytesText(int64(len(content))), printable(content[:min(64, len(content))])
		p.add(at, field, depth, append(head, term.Dim.Of(size+" "), term.Str.Of(text)))
	}
	return true
}

func (p protobufDump) looksLikeMessage(from, to int) bool {
	return protobufDump{&wireDump{w: p.w}, p.body}.message(from, to, 0, nil)
}

// object returns the Go type of the kind in the envelope; nil if it is not known.
func (p protobufDump) object() reflect.Type {
	var u runtime.Unknown
	if u.Unmarshal(p.body[4:]) != nil {
		return nil
	}
	obj, err := codecs.Scheme().New(schema.FromAPIVersionAndKind(u.APIVersion, u.Kind))
	if err != nil {
		return nil
	}
	return reflect.TypeOf(obj).Elem()
}

func isPrintable(b []byte) bool {
	return utf8.Valid(b) && bytes.IndexFunc(b, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' }) < 0
}

// A wireField is what a Go type says about one of its numbered fields. The zero value means unknown.
type wireField struct {
	name string
	of   reflect.Type // of one element; nil if it is not known
	raw  bool         // the object in the envelope
}

// isMessage reports whether the field holds a message; for a map, an entry with key and value.
func (f wireField) isMessage() bool {
	return f.of != nil && f.of.Kind() == reflect.Struct || f.of != nil && f.of.Kind() == reflect.Map
}

// fieldNumbered finds a field by the number in its tag: `protobuf:"bytes,1,opt,name=metadata"`. The entries of a map
// have 1 for the key and 2 for the value. Times have no tags.
func fieldNumbered(t reflect.Type, number int) wireField {
	switch {
	case t == nil:
		return wireField{}
	case t.Kind() == reflect.Map && number == 1:
		return wireField{name: "key", of: t.Key()}
	case t.Kind() == reflect.Map && number == 2:
		return wireField{name: "value", of: elementOf(t.Elem())}
	case t == reflect.TypeFor[metav1.Time](), t == reflect.TypeFor[metav1.MicroTime]():
		return wireField{name: [...]string{"", "seconds", "nanos"}[min(number, 2)], of: reflect.TypeFor[int64]()}
	case t.Kind() != reflect.Struct:
		return wireField{}
	}
	for i := range t.NumField() {
		parts := strings.Split(t.Field(i).Tag.Get("protobuf"), ",")
		if len(parts) < 2 || parts[1] != strconv.Itoa(number) {
			continue
		}
		f := wireField{of: elementOf(t.Field(i).Type)}
		for _, p := range parts[2:] {
			if name, ok := strings.CutPrefix(p, "name="); ok {
				f.name = name
			}
		}
		f.raw = t == reflect.TypeFor[runtime.Unknown]() && number == 2
		return f
	}
	return wireField{}
}

// elementOf returns the type of one value on the wire: without pointers and lists, except bytes.
func elementOf(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8 {
		t = t.Elem()
	}
	return t
}

// protobufStart is the beginning of every Protobuf body of Kubernetes.
var protobufStart = []byte("k8s\x00")
