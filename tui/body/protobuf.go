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

// protobufLines shows a Kubernetes Protobuf body field by field, each beside its bytes: the field's number, its name as
// the Go type of the kind tells it, and its value. nil if the body is none, or not whole.
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

// A wireDump collects lines of an offset, bytes, and what they mean.
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
	l := term.Line{term.Dim.Of(fmt.Sprintf("%04x ", at)), term.Plain.Of(term.Pad(shown, 3*n+1)), term.Dim.Of(strings.Repeat("  ", depth))}
	d.lines = append(d.lines, term.FitLine(append(l, meaning...), d.w))
}

// A protobufDump reads messages of body, in which offsets count.
type protobufDump struct {
	*wireDump
	body []byte
}

// deepestMessage is how deep messages may nest; Kubernetes' own stay far above it.
const deepestMessage = 40

// message adds the fields of the message between two offsets; false if these are no message. t is the Go type that it
// is of, nil if that is not known.
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

// value adds one field: at is where its tag is, from and to what follows the tag.
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
		p.add(at, field, depth, append(head, term.Num.Of(fmt.Sprint(math.Float64frombits(binary.LittleEndian.Uint64(p.body[from:to]))))))
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
		p.add(at, p.body[at:from], depth, append(head, term.Dim.Of(fmt.Sprintf("{ the object, %s", term.BytesText(int64(len(content)))))))
		return p.message(from, to, depth+1, p.object())
	case f.isMessage():
		p.add(at, p.body[at:from], depth, append(head, term.Dim.Of(fmt.Sprintf("{ %s", term.BytesText(int64(len(content)))))))
		return p.message(from, to, depth+1, f.of)
	case f.of != nil && f.of.Kind() == reflect.String || f.of == nil && isPrintable(content):
		p.add(at, field, depth, append(head, term.Str.Of(strconv.Quote(string(content)))))
	case f.of == nil && len(content) > 0 && p.looksLikeMessage(from, to):
		p.add(at, p.body[at:from], depth, append(head, term.Dim.Of("{")))
		return p.message(from, to, depth+1, nil)
	default:
		p.add(at, field, depth, append(head, term.Dim.Of(term.BytesText(int64(len(content)))+" "), term.Str.Of(printable(content[:min(64, len(content))]))))
	}
	return true
}

func (p protobufDump) looksLikeMessage(from, to int) bool {
	return protobufDump{&wireDump{w: p.w}, p.body}.message(from, to, 0, nil)
}

// object is the Go type of the kind that the envelope names; nil if it is not known.
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

// A wireField is what a Go type tells of one of its numbered fields. The zero value tells nothing.
type wireField struct {
	name string
	of   reflect.Type // of one element; nil if it is not known, or is a map's entry of its own
	raw  bool         // the object within the envelope
}

// isMessage reports whether the field holds a message, which for a map is an entry with a key and a value.
func (f wireField) isMessage() bool {
	return f.of != nil && f.of.Kind() == reflect.Struct || f.of != nil && f.of.Kind() == reflect.Map
}

// fieldNumbered finds a field by the number in its tag: `protobuf:"bytes,1,opt,name=metadata"`. A map stands for the
// entries of it: key is 1, value is 2. Times have no tags.
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

// elementOf is the type of one value on the wire: of what a pointer points to, of an element of a list; bytes stay.
func elementOf(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8 {
		t = t.Elem()
	}
	return t
}

// protobufStart opens every Protobuf body of Kubernetes.
var protobufStart = []byte("k8s\x00")
