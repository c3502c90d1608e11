package recording

import (
	"errors"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// A coder goes through the fields of a message in the order of their numbers. The same code writes, reads and describes
// them (messages.go), so that these three always agree. The encoding is Protocol Buffers; a field with its zero value
// is omitted, and a reader skips fields that it does not know.
type coder struct {
	mode     mode
	buf      []byte           // writing: the bytes so far; reading: the rest of the message
	field    protowire.Number // reading: the field whose tag has been read, 0 for none
	typ      protowire.Type   // of that field
	words    *words
	versions *versions
	about    *description // describing
	made     int          // memory of the values of the record in bytes; see charge
	err      error        // reading: the first syntax error, or a *LimitError
}

// A mode is what a coder does.
type mode byte

const (
	writing mode = iota
	reading
	describing
)

var errWire = errors.New("not a record")

// next reports whether the next field has this number, and skips those before it. It first handles the common case of a
// tag of one byte.
func (c *coder) next(n protowire.Number, typ protowire.Type) bool {
	if c.field == 0 && n < 16 {
		if len(c.buf) == 0 {
			return false
		}
		switch b := c.buf[0]; {
		case b == byte(n)<<3|byte(typ):
			c.buf = c.buf[1:]
			return true
		case b >= byte(n+1)<<3: // of a later one
			return false
		}
	}
	return c.find(n, typ)
}

func (c *coder) find(n protowire.Number, typ protowire.Type) bool {
	for {
		if c.field == 0 && !c.tag() {
			return false
		}
		switch {
		case c.field > n:
			return false
		case c.field == n && c.typ == typ:
			c.field = 0
			return true
		}
		size := protowire.ConsumeFieldValue(c.field, c.typ, c.buf)
		if size < 0 {
			c.fail()
			return false
		}
		c.buf, c.field = c.buf[size:], 0
	}
}

func (c *coder) tag() bool {
	if len(c.buf) == 0 {
		return false
	}
	n, typ, size := protowire.ConsumeTag(c.buf)
	if size < 0 {
		c.fail()
		return false
	}
	c.buf, c.field, c.typ = c.buf[size:], n, typ
	return true
}

func (c *coder) fail() {
	if c.err == nil {
		c.err = errWire
	}
	c.buf, c.field = nil, 0
}

// varint is an unsigned number.
func (c *coder) varint(n protowire.Number, v *uint64) {
	switch {
	case c.mode == writing && *v != 0:
		c.buf = protowire.AppendVarint(protowire.AppendTag(c.buf, n, protowire.VarintType), *v)
	case c.mode == reading && c.next(n, protowire.VarintType):
		if len(c.buf) > 0 && c.buf[0] < 1<<7 { // most are
			*v, c.buf = uint64(c.buf[0]), c.buf[1:]
			return
		}
		x, size := protowire.ConsumeVarint(c.buf)
		if size < 0 {
			c.fail()
			return
		}
		c.buf, *v = c.buf[size:], x
	}
}

func (c *coder) uint(n protowire.Number, name string, v *uint64) {
	c.describe(n, "uint64", name)
	c.varint(n, v)
}

// signed is any number in zigzag encoding, in which small numbers are short.
func signed[T ~int | ~int8 | ~int64](c *coder, n protowire.Number, name string, v *T) {
	c.describe(n, "sint64", name)
	x := protowire.EncodeZigZag(int64(*v))
	if c.varint(n, &x); c.mode == reading { // v must not be written otherwise: others read it
		*v = T(protowire.DecodeZigZag(x))
	}
}

func (c *coder) bool(n protowire.Number, name string, v *bool) {
	c.describe(n, "bool", name)
	x := protowire.EncodeBool(*v)
	if c.varint(n, &x); c.mode == reading {
		*v = protowire.DecodeBool(x)
	}
}

// letter is a constant of one byte.
func letter[T ~byte](c *coder, n protowire.Number, name string, v *T) {
	c.describe(n, "uint32", name)
	x := uint64(*v)
	if c.varint(n, &x); c.mode == reading {
		*v = T(x)
	}
}

// time is a point in time, as nanoseconds since 1970.
func (c *coder) time(n protowire.Number, name string, v *time.Time) {
	c.describe(n, "sfixed64", name)
	switch {
	case c.mode == writing && !v.IsZero():
		c.buf = protowire.AppendFixed64(protowire.AppendTag(c.buf, n, protowire.Fixed64Type), uint64(v.UnixNano()))
	case c.mode == reading && c.next(n, protowire.Fixed64Type):
		x, size := protowire.ConsumeFixed64(c.buf)
		if size < 0 {
			c.fail()
			return
		}
		c.buf, *v = c.buf[size:], time.Unix(0, int64(x&math.MaxUint64))
	}
}

// bytesOf reads without a copy: v is part of the record.
func bytesOf[T ~[]byte](c *coder, n protowire.Number, name string, v *T) {
	c.describe(n, "bytes", name)
	switch {
	case c.mode == writing && len(*v) > 0:
		c.buf = protowire.AppendBytes(protowire.AppendTag(c.buf, n, protowire.BytesType), *v)
	case c.mode == reading && c.next(n, protowire.BytesType):
		*v = T(c.inner())
	}
}

// inner returns the contents of a field of bytes.
func (c *coder) inner() []byte {
	b, size := protowire.ConsumeBytes(c.buf)
	if size < 0 {
		c.fail()
		return nil
	}
	c.buf = c.buf[size:]
	return b[:len(b):len(b)]
}

// text is a text that rarely repeats. It need not be UTF-8.
func text[T ~string](c *coder, n protowire.Number, name string, v *T) {
	c.describe(n, "bytes", name)
	switch {
	case c.mode == writing && *v != "":
		c.chargeBytes(len(*v))
		c.buf = protowire.AppendString(protowire.AppendTag(c.buf, n, protowire.BytesType), string(*v))
	case c.mode == reading && c.next(n, protowire.BytesType):
		b := c.inner()
		c.chargeBytes(len(b))
		*v = T(c.words.text(b))
	}
}

// word is a text that often repeats: it is in the table of words.
func word[T ~string](c *coder, n protowire.Number, name string, v *T) {
	c.describe(n, "uint64 /* word */", name)
	x := uint64(0)
	if c.mode == writing && *v != "" {
		x = c.words.number(string(*v))
	}
	c.varint(n, &x)
	if c.mode == reading && x != 0 {
		*v = T(c.wordOf(x))
	}
}

func (c *coder) wordOf(number uint64) string {
	w, ok := c.words.word(number)
	if !ok {
		c.fail()
	}
	return w
}

// repeated is a list of words or of texts.
func repeated(
	c *coder, n protowire.Number, name string, v *[]string,
	one func(c *coder, n protowire.Number, name string, v *string),
) {
	switch c.mode {
	case describing:
		c.about.repeated = true
		one(c, n, name, new(string))
	case writing:
		charge[string](c, len(*v))
		for i := range *v {
			one(c, n, name, &(*v)[i])
		}
	case reading:
		count := c.count(n)
		if charge[string](c, count); count == 0 || c.err != nil {
			return
		}
		*v = c.words.list(count)
		for i := range *v {
			one(c, n, name, &(*v)[i])
		}
	}
}

// peek reports whether the next field has this number, without reading it.
func (c *coder) peek(n protowire.Number) bool {
	for c.field != 0 || c.tag() {
		if c.field >= n {
			return c.field == n
		}
		c.next(n, -1) // skips
	}
	return false
}

// message is a message inside another. An empty one is omitted.
func message[T any](c *coder, n protowire.Number, name string, v *T, fields func(*coder, *T)) {
	switch {
	case c.mode == describing:
		describeMessage(c, n, name, fields)
	case c.mode == writing:
		writeMessage(c, n, v, fields, false)
	case c.next(n, protowire.BytesType):
		readMessage(c, v, fields)
	}
}

// optional is a message that may be missing, which differs from an empty one.
func optional[T any](c *coder, n protowire.Number, name string, v **T, fields func(*coder, *T)) {
	switch {
	case c.mode == describing:
		describeMessage(c, n, name, fields)
	case c.mode == writing && *v != nil:
		charge[T](c, 1)
		writeMessage(c, n, *v, fields, true)
	case c.mode == reading && c.next(n, protowire.BytesType):
		charge[T](c, 1)
		*v = new(T)
		readMessage(c, *v, fields)
	}
}

// list is a list of messages.
func list[T any](c *coder, n protowire.Number, name string, v *[]T, fields func(*coder, *T)) {
	switch c.mode {
	case describing:
		c.about.repeated = true
		describeMessage(c, n, name, fields)
	case writing:
		charge[T](c, len(*v))
		for i := range *v {
			writeMessage(c, n, &(*v)[i], fields, true)
		}
	case reading:
		count := c.count(n)
		if charge[T](c, count); count == 0 || c.err != nil {
			return
		}
		*v = make([]T, 0, count)
		for c.next(n, protowire.BytesType) {
			*v = append(*v, *new(T))
			readMessage(c, &(*v)[len(*v)-1], fields)
		}
	}
}

// mapped is a map as messages, one for each key, in no order.
func mapped[L ~struct {
	key   string
	value V
}, M ~map[string]V, V any](c *coder, n protowire.Number, name string, all *M, fields func(*coder, *L)) {
	if c.mode == writing {
		charge[L](c, ofMap*len(*all))
		for k, v := range *all {
			l := L{k, v}
			writeMessage(c, n, &l, fields, true)
		}
		return
	}
	var lines []L
	list(c, n, name, &lines, fields)
	if charge[L](c, (ofMap-1)*len(lines)); len(lines) > 0 {
		*all = make(M, len(lines))
	}
	for _, l := range lines {
		one := struct {
			key   string
			value V
		}(l)
		(*all)[one.key] = one.value
	}
}

// count is how many of the next fields have this number.
func (c *coder) count(n protowire.Number) (count int) {
	if !c.peek(n) {
		return 0
	}
	b, typ := c.buf, c.typ
	for {
		size := protowire.ConsumeFieldValue(n, typ, b)
		if size < 0 {
			return count
		}
		count++
		b = b[size:]
		next, t, size := protowire.ConsumeTag(b)
		if size < 0 || next != n {
			return count
		}
		b, typ = b[size:], t
	}
}

func writeMessage[T any](c *coder, n protowire.Number, v *T, fields func(*coder, *T), empty bool) {
	before := len(c.buf)
	c.buf = append(protowire.AppendTag(c.buf, n, protowire.BytesType), 0) // most are shorter than 128 bytes
	start := len(c.buf)
	fields(c, v)
	size := len(c.buf) - start
	switch more := protowire.SizeVarint(uint64(size)) - 1; {
	case size == 0 && !empty:
		c.buf = c.buf[:before]
	case more == 0:
		c.buf[start-1] = byte(size)
	default:
		c.buf = append(c.buf, make([]byte, more)...)
		copy(c.buf[start+more:], c.buf[start:start+size])
		protowire.AppendVarint(c.buf[:start-1], uint64(size))
	}
}

func readMessage[T any](c *coder, v *T, fields func(*coder, *T)) {
	b := c.inner()
	rest := c.buf
	c.buf = b
	fields(c, v)
	if c.err == nil {
		c.buf, c.field = rest, 0
	}
}
