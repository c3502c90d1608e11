package object

import (
	"encoding/binary"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// protobuf reads the message in the envelope, a runtime.Unknown: the type comes before what it is the type of.
func (l *list) protobuf() {
	for {
		number, size, _ := l.in.field()
		switch number {
		case 1:
			l.head.APIVersion, l.head.Kind = typeOf(l.in.bytes(size))
		case 2:
			if l.is = strings.HasSuffix(l.head.Kind, "List"); l.is {
				l.head.Whole = l.message(size)
			}
			return
		default:
			return
		}
	}
}

// message reads a message of a ListMeta and items, and reports whether all of its size has come.
func (l *list) message(size int) bool {
	for size > 0 {
		number, length, head := l.in.field()
		value := l.in.bytes(length)
		if number == 0 || value == nil {
			return false
		}
		switch number {
		case 1:
			l.head.fromProtobuf(value)
		case 2:
			l.item(&l.head, value)
		}
		size -= head + length
	}
	return size == 0
}

// field reads how a field of bytes begins, in head bytes; its number is 0 if none comes. Lists have no other fields.
func (in *input) field() (number protowire.Number, size, head int) {
	for {
		rest := in.rest()
		number, kind, n := protowire.ConsumeTag(rest)
		if n > 0 && kind == protowire.BytesType {
			if size, m := protowire.ConsumeVarint(rest[n:]); m > 0 && size <= mostList {
				in.at += n + m
				return number, int(size), n + m
			}
		}
		if len(rest) >= 2*binary.MaxVarintLen64 || !in.more() {
			return 0, 0, 0
		}
	}
}

// mostList bounds what a list can say of its size, in bytes, so that it is a number on any machine.
const mostList = 1<<31 - 1

func (h *ListHead) fromProtobuf(metadata []byte) {
	for len(metadata) > 0 {
		number, kind, n := protowire.ConsumeTag(metadata)
		if n < 0 {
			return
		}
		metadata = metadata[n:]
		size := protowire.ConsumeFieldValue(number, kind, metadata)
		if size < 0 {
			return
		}
		switch {
		case number == 2 && kind == protowire.BytesType:
			text, _ := protowire.ConsumeBytes(metadata)
			h.Version = Number(string(text))
		case number == 3 && kind == protowire.BytesType:
			text, _ := protowire.ConsumeBytes(metadata)
			h.Continue = string(text)
		case number == 4 && kind == protowire.VarintType:
			v, _ := protowire.ConsumeVarint(metadata)
			h.Remaining = int64(v)
		}
		metadata = metadata[size:]
	}
}
