package answer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/codecs"
	"kubarium/server/budget"
	"kubarium/server/cache"
	"kubarium/server/kinds"
	"kubarium/server/objects"
	"kubarium/server/registry"
)

// listPiece is how much of a list is put together before it is written, in bytes. Each piece costs two writes to the socket, and wakes
// the client twice.
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

// room is how much a buffer for a piece should have, with the item that is over it: for a short list not more than that takes.
func (f listForm) room(objects []*cache.Object) int {
	n := len(f.head) + len(f.tail)
	for _, o := range objects {
		if n += len(o.Value) + 64; n > f.piece() {
			break
		}
	}
	return n
}

// streamsList tells whether an answer is a list in a form of text, or a long one in another, which is written item by
// item, never held whole.
func (c *Client) streamsList(a *Answer) bool {
	return c.streamsTyped(a) || a.List != nil && len(a.List.Objects) > 0 && c.Media.Codec.IsText() && c.Media.As != "PartialObjectMetadata"
}

// respondList writes a list piece by piece.
func (w *Writer) respondList(out *Response, c *Client, a *Answer) {
	out.Flow.Enter("encode")
	form, err := c.listForm(a)
	form.outOfTurn = a.Kind.Remote
	if err != nil {
		out.Flow.Leave("", err)
		w.Fail(out, c, err)
		return
	}
	h := out.Header()
	h.Set("Cache-Control", "no-cache, private")
	h.Set("Content-Type", c.Media.ContentType(false))
	c.SetWarnings(h)
	out.Reused = true
	b := c.body(out, a.Status)
	err = form.write(c.Context(), w.Budget, b, a.List.Objects)
	out.Flow.Leave(fmt.Sprintf("%d items, %s", len(a.List.Objects), b), err)
	switch {
	case err == nil:
	case out.Code == 0:
		h.Del("Warning")
		if broken := (itemError{}); errors.As(err, &broken) {
			err = broken.error
		}
		w.Fail(out, c, err)
	default:
		panic(http.ErrAbortHandler) // half an answer is out: the client must not take it for a whole one
	}
}

// An itemError is an object that cannot be written, as against a client that does not read.
type itemError struct{ error }

// write writes a list of objects, and closes w. Between two objects it looks whether ctx has ended. The pieces of a long list are made in turn
// with those of others, and those that make much garbage in turn with what else is much work.
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

// lookUp is after how many spliced objects a list looks whether its client still waits for it.
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

// encodeList is a list in one piece, for those who need it whole.
func encodeList(k *kinds.Kind, l *registry.List) ([]byte, error) {
	size := 256
	for _, o := range l.Objects {
		size += len(o.Value) + 32
	}
	head, tail := listEnds(k, l)
	b := append(make([]byte, 0, size), head...)
	var err error
	for i, o := range l.Objects {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendItem(b, k, o); err != nil {
			return nil, err
		}
	}
	return append(b, tail...), nil
}

// listEnds are what stands before the first item of a list and behind the last.
func listEnds(k *kinds.Kind, l *registry.List) (head, tail []byte) {
	gvk := k.ListGroupVersionKind()
	if k.Dynamic { // the members of an unstructured list come in the order of their names
		head = fmt.Appendf(nil, `{"apiVersion":"%s","items":[`, gvk.GroupVersion())
		return head, fmt.Appendf(nil, `],"kind":"%s","metadata":%s}`, gvk.Kind, unstructuredListMeta(l))
	}
	head = fmt.Appendf(nil, `{"kind":"%s","apiVersion":"%s","metadata":`, gvk.Kind, gvk.GroupVersion())
	return append(append(head, mustJSON(listMeta(l))...), `,"items":[`...), []byte("]}")
}

// unstructuredListMeta is the metadata of a list of custom resources, whose continue is told even when it is empty.
func unstructuredListMeta(l *registry.List) []byte {
	m := map[string]any{"continue": l.Continue, "resourceVersion": objects.FormatRevision(l.Revision)}
	if l.Remaining != nil {
		m["remainingItemCount"] = *l.Remaining
	}
	return mustJSON(m)
}

// mustJSON is the JSON of a value of strings and numbers, which cannot fail.
func mustJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// appendItem splices an object into a list. Items of built-in kinds carry neither kind nor apiVersion.
func appendItem(b []byte, k *kinds.Kind, o *cache.Object) ([]byte, error) {
	value, place, err := objects.Served(k, o)
	if err != nil {
		return b, err
	}
	var digits [20]byte
	version := objects.AppendRevision(digits[:0], o.Revision)
	if k.Dynamic {
		return codecs.Stamp(b, value, place, version), nil
	}
	return codecs.StampItem(b, value, place, version), nil
}

func listMeta(l *registry.List) metav1.ListMeta {
	return metav1.ListMeta{ResourceVersion: objects.FormatRevision(l.Revision), Continue: l.Continue, RemainingItemCount: l.Remaining}
}
