package body

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"kubarium/tui/term"
)

// cborLines shows a CBOR body item by item next to its bytes, in the diagnostic notation of RFC 8949; nil if the body
// is not valid CBOR, or not complete.
func cborLines(b []byte, w int) []term.Line {
	d := &cborDump{wireDump{w: w}, b}
	for at := 0; at < len(b); { // a watch's frames are a sequence of items
		next, ok := d.item(at, 0, "")
		if !ok {
			return nil
		}
		at = next
	}
	return d.lines
}

// A cborDump reads the items of body; offsets count in it.
type cborDump struct {
	wireDump
	body []byte
}

// The major types of RFC 8949, section 3.1.
const (
	cborUnsigned = iota
	cborNegative
	cborBytes
	cborText
	cborArray
	cborMap
	cborTag
	cborSimple
)

// Limits of items.
const (
	cborIndefinite = -1
	deepestItem    = 64
)

// item adds the item at an offset and everything in it, and returns the offset after it. suffix is ":" after a key.
func (d *cborDump) item(at, depth int, suffix string) (next int, ok bool) {
	major, value, from, ok := d.head(at)
	if !ok || depth > deepestItem {
		return 0, false
	}
	say := func(to int, st term.Style, s string) (int, bool) {
		d.add(at, d.body[at:to], depth, term.Line{term.Pick(suffix == "", st, term.Name).Of(s), term.Dim.Of(suffix)})
		return to, true
	}
	switch major {
	case cborUnsigned:
		return say(from, term.Num, strconv.FormatUint(uint64(value), 10))
	case cborNegative:
		return say(from, term.Num, strconv.FormatInt(-1-value, 10))
	case cborBytes, cborText:
		return d.text(from, major, value, say)
	case cborTag:
		_, _ = say(from, term.Dim, fmt.Sprintf("%d(%s", value, term.Pick(value == 55799, " this is CBOR", "")))
		return d.item(from, depth+1, "")
	case cborSimple:
		return say(from, term.Num, d.simple(at, from))
	}
	many := term.Pick(major == cborMap, "{", "[")
	if value != cborIndefinite {
		many += " " + term.Plural(int(value), term.Pick(major == cborMap, "pair", "element"))
	} else {
		many += "_ until ff"
	}
	_, _ = say(from, term.Dim, many)
	return d.items(from, depth+1, major, value)
}

// items adds the items of an array or a map.
func (d *cborDump) items(at, depth, major int, n int64) (next int, ok bool) {
	if major == cborMap && n != cborIndefinite {
		n *= 2
	}
	for i := int64(0); n == cborIndefinite || i < n; i++ {
		if at < len(d.body) && d.body[at] == 0xff && n == cborIndefinite {
			d.add(at, d.body[at:at+1], depth-1, term.Line{term.Dim.Of("end")})
			return at + 1, true
		}
		isKey := major == cborMap && i%2 == 0
		deeper := depth
		if major == cborMap && i%2 == 1 {
			deeper++
		}
		if at, ok = d.item(at, deeper, term.Pick(isKey, ":", "")); !ok {
			return 0, false
		}
	}
	return at, true
}

// text adds a text or bytes. Kubernetes writes strings as bytes, which are shown as text if they are printable.
func (d *cborDump) text(from, major int, n int64, say func(to int, st term.Style, s string) (int, bool)) (next int,
	ok bool) {
	if n == cborIndefinite || n > int64(len(d.body)-from) {
		return 0, false
	}
	to := from + int(n)
	b := d.body[from:to]
	switch {
	case major == cborText:
		return say(to, term.Str, strconv.Quote(string(b)))
	case isPrintable(b):
		return say(to, term.Str, "'"+string(b)+"'")
	}
	return say(to, term.Str, fmt.Sprintf("h'%x'", b))
}

// head reads the first bytes of an item: its major type and its value, cborIndefinite if it has none.
func (d *cborDump) head(at int) (major int, value int64, from int, ok bool) {
	if at >= len(d.body) {
		return 0, 0, 0, false
	}
	major, info := int(d.body[at]>>5), d.body[at]&0x1f
	from = at + 1
	switch {
	case info < 24:
		return major, int64(info), from, true
	case info == 31:
		return major, cborIndefinite, from, major >= cborBytes && major <= cborMap
	case info > 27:
		return 0, 0, 0, false
	}
	n := 1 << (info - 24)
	if from+n > len(d.body) {
		return 0, 0, 0, false
	}
	var full [8]byte
	copy(full[8-n:], d.body[from:from+n])
	v := binary.BigEndian.Uint64(full[:])
	return major, int64(v), from + n, v <= math.MaxInt64 || major == cborSimple
}

// simple names a value of major type 7: false, true, null, or a float of two, four or eight bytes.
func (d *cborDump) simple(at, from int) string {
	b := d.body[at+1 : from]
	switch d.body[at] {
	case 0xf4:
		return "false"
	case 0xf5:
		return "true"
	case 0xf6:
		return "null"
	case 0xfa:
		return fmt.Sprint(math.Float32frombits(binary.BigEndian.Uint32(b)))
	case 0xfb:
		return fmt.Sprint(math.Float64frombits(binary.BigEndian.Uint64(b)))
	}
	return fmt.Sprintf("simple(%x)", d.body[at:from])
}
