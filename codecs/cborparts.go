package codecs

import (
	"encoding/binary"

	"k8s.io/apimachinery/pkg/runtime"
)

// The major types of CBOR that hold other items or bytes (RFC 8949, section 3.1).
const (
	cborBytes = 2
	cborText  = 3
	cborArray = 4
	cborMap   = 5
	cborTag   = 6
)

const (
	cborBreak  = 0xff // ends what was begun without a length
	indefinite = 31   // says in a head that there is no length
)

// cborParts counts the parts of a CBOR item in one pass over the heads of its items, whatever holds them. The members of
// a map are those that its head promises; of one without a length, all that follows is bounded as values.
func cborParts(data []byte, _ runtime.Object) (p parts) {
	within := 0 // heads in a row that open something: so deep it is at least
	for i := 0; i < len(data) && p.containers <= MaxContainers && p.values <= MaxValues; {
		if data[i] == cborBreak {
			i++
			continue
		}
		major, argument, size := cborHead(data[i:])
		if within++; argument == 0 && data[i]&0x1f != indefinite || major != cborArray && major != cborMap && major != cborTag {
			within = 0
		}
		p.depth = max(p.depth, within)
		i += size
		switch major {
		case cborBytes, cborText:
			if argument > uint64(len(data)-i) {
				return p // it is cut off
			}
			i += int(argument)
		case cborArray:
			p.containers++
		case cborMap:
			p.containers++
			p.members = max(p.members, int(min(argument, uint64(len(data)))))
		case cborTag:
			continue // it belongs to the next item
		}
		p.values++
	}
	return p
}

// cborHead reads the head of an item: its major type, its argument, which is 0 where there is no length, and how many
// bytes the head has.
func cborHead(data []byte) (major byte, argument uint64, size int) {
	major, short := data[0]>>5, data[0]&0x1f
	const oneByte = 24
	if short < oneByte || short > 27 {
		if short == indefinite {
			return major, 0, 1
		}
		return major, uint64(short), 1
	}
	size = 1 << (short - oneByte)
	if len(data) <= size {
		return major, 0, len(data)
	}
	var wide [8]byte
	copy(wide[8-size:], data[1:1+size])
	return major, binary.BigEndian.Uint64(wide[:]), 1 + size
}
