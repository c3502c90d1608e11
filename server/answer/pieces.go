package answer

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/server/budget"
	"kubarium/server/cache"
	"kubarium/server/objects"
	"kubarium/server/registry"
)

// A listForm says how a list of at least one object is written piece by piece: head, the items with separators, tail.
// Together they are the bytes of the list made whole.
type listForm struct {
	head, tail []byte
	apart      string
	// item appends the object to dst.
	item func(dst []byte, o *cache.Object) ([]byte, error)
	// makesGarbage says that item leaves several times the object's size of garbage behind, as all do except those
	// that splice.
	makesGarbage bool
	// outOfTurn says that item may ask a webhook, which may hang.
	outOfTurn bool
}

// listPiece is how much of a list is put together before it is written, in bytes. Each piece costs two writes to the
// socket, and wakes the client twice.
const listPiece = 256 << 10

// garbagePiece is the same of a form that makes garbage, whose pieces are made in turn with other work.
const garbagePiece = 64 << 10

// pieces are buffers for the pieces of lists, each used again once it has been written.
var pieces = sync.Pool{New: func() any { return new([]byte) }}

// piece is how much of the list is put together before it is written, in bytes.
func (f listForm) piece() int {
	if f.makesGarbage {
		return garbagePiece
	}
	return listPiece
}

// room is how much a buffer for a piece should have, with the item that is over it: for a short list not more than
// that takes.
func (f listForm) room(objects []*cache.Object) int {
	n := len(f.head) + len(f.tail)
	for _, o := range objects {
		if n += len(o.Value) + 64; n > f.piece() {
			break
		}
	}
	return n
}

// An itemError is an object that cannot be written, as against a client that does not read.
type itemError struct{ error }

// write writes a list of objects, and closes w. Between two objects it checks whether ctx has ended. The pieces of a
// long list are made in turn with those of others, and those that make much garbage in turn with what else is much
// work.
func (f listForm) write(ctx context.Context, turns *budget.Budget, w io.WriteCloser, objects []*cache.Object) error {
	buf := pieces.Get().(*[]byte)
	defer func() { pieces.Put(buf) }()
	b := append(slices.Grow((*buf)[:0], f.room(objects)), f.head...)
	read := 0 // bytes of stored values
	for at := 0; at < len(objects); {
		piece := func() (err error) {
			b, at, err = f.fill(ctx, b, objects, at)
			return err
		}
		from := at
		var err error
		switch {
		case f.outOfTurn || f.makesGarbage && read <= longList || len(objects) <= registry.FewObjects && !f.makesGarbage:
			err = piece()
		case f.makesGarbage:
			err = turns.InTurn(ctx, piece)
		default:
			err = turns.Piece(ctx, piece)
		}
		if err != nil {
			return err
		}
		for _, o := range objects[from:at] {
			read += len(o.Value)
		}
		if len(b) < f.piece() {
			continue
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		b = b[:0]
	}
	*buf = append(b, f.tail...)
	if _, err := w.Write(*buf); err != nil {
		return err
	}
	return w.Close()
}

// lookUp is after how many spliced objects a list checks whether its client still waits.
const lookUp = 64

// fill appends the objects from one on until the piece is long enough, and returns the next one.
func (f listForm) fill(ctx context.Context, b []byte, objects []*cache.Object, at int) (_ []byte, next int, err error) {
	for ; at < len(objects) && len(b) < f.piece(); at++ {
		if f.makesGarbage || at%lookUp == 0 {
			if err := ctx.Err(); err != nil {
				return b, at, err
			}
		}
		if at > 0 {
			b = append(b, f.apart...)
		}
		if b, err = f.item(b, objects[at]); err != nil {
			return b, at, itemError{err}
		}
	}
	return b, at, nil
}

// longList is from how many bytes of stored values on a list of typed objects is written item by item: below it is
// quicker made whole, and takes a few times that much memory.
const longList = 1 << 20

// mustJSON is the JSON of a value of strings and numbers, which cannot fail.
func mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

func listMeta(l *registry.List) metav1.ListMeta {
	return metav1.ListMeta{ResourceVersion: objects.FormatRevision(l.Revision), Continue: l.Continue, RemainingItemCount: l.Remaining}
}
