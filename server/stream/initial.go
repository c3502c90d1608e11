package stream

import (
	"context"
	"sync"

	"kubarium/flow"
	"kubarium/server/registry"
)

const (
	// initialPiece is how much of the initial events is put together before it is written, in bytes. A stream whose
	// client does not read holds that much.
	initialPiece = 16 << 10
	// largeObject is the least size of a stored object whose frame goes by itself, and is shared.
	largeObject = 16 << 10
)

// A piece is a number of small initial events of a stream.
type piece struct {
	text  []byte              // the frames
	heads []flow.Frame        // of each, with its size
	next  registry.WatchEvent // which ended the piece, and goes by itself: of a large object, or the bookmark; zero for none
	err   error               // why no frame follows
}

// pieces are pieces to be used again.
var pieces = sync.Pool{New: func() any { return new(piece) }}

// sendInitial writes the events that the watch begins with. It makes a piece when the socket has taken the one
// before, in turn with other streams, and writes it out of turn: a client that does not read holds up no other.
func (st *stream) sendInitial(ctx context.Context) error {
	if !st.watch.Initial() || !st.gate.Idle() {
		return nil
	}
	p := pieces.Get().(*piece)
	defer pieces.Put(p)
	for *p = (piece{text: p.text, heads: p.heads}); ; {
		var err error
		e := p.next
		switch {
		case e.Type == registry.Bookmark:
			p.next, err = registry.WatchEvent{}, st.sendOne(e)
		case e.Type != "":
			p.next, err = registry.WatchEvent{}, st.sendLarge(ctx, e)
		case st.watch.Initial() && st.gate.Idle():
			err = st.sendSmall(ctx, p)
		default:
			return st.out.flush()
		}
		if err != nil {
			return err
		}
		st.reached()
	}
}

// inTurn makes a part of the initial events, in turn where there are many. Where a webhook converts the objects it
// takes no turn, since a webhook may hang.
func (st *stream) inTurn(ctx context.Context, part func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if st.frames.kind.Remote || st.watch.Left() <= registry.FewObjects {
		return part()
	}
	return st.s.Answers.Budget.Piece(ctx, part)
}

func (st *stream) sendSmall(ctx context.Context, p *piece) error {
	var packed []byte
	err := st.inTurn(ctx, func() (err error) {
		st.fill(p)
		packed, err = st.out.sink.pack(p.text)
		return err
	})
	if err == nil && len(p.heads) > 0 {
		err = st.out.writePacked(packed, p.heads)
	}
	if err != nil {
		return err
	}
	return p.err
}

// fill makes the next piece. An event that cannot be encoded ends it.
func (st *stream) fill(p *piece) {
	p.text, p.heads = p.text[:0], p.heads[:0]
	for len(p.text) < initialPiece && p.err == nil {
		e, ok := st.watch.NextInitial()
		if !ok {
			return
		}
		if e.Type == registry.Bookmark || len(e.Object.Value) >= largeObject {
			p.next = e
			return
		}
		from, head := len(p.text), headOf(e)
		if p.text, p.err = st.frames.appendFrame(p.text, e); p.err != nil {
			p.text, p.err = p.text[:from], unencodable{p.err}
			return
		}
		head.Size = len(p.text) - from
		p.heads = append(p.heads, head)
	}
}

// sendLarge writes the event of a large object. All streams that write it at a time share its frame, so that what
// they hold together is bounded by what is stored.
func (st *stream) sendLarge(ctx context.Context, e registry.WatchEvent) error {
	var f *largeFrame
	err := st.inTurn(ctx, func() (err error) {
		f, err = st.s.large.use(st.largeKey(e), func() ([]byte, int, error) {
			frame, err := st.frames.encode(e)
			if err != nil {
				return nil, 0, unencodable{err}
			}
			packed, err := st.out.sink.pack(frame)
			return packed, len(frame), err
		})
		return err
	})
	if err != nil {
		return err
	}
	defer st.s.large.end(f)
	head := headOf(e)
	head.Size = f.size
	return st.out.writePacked(f.packed, []flow.Frame{head})
}

// largeKey says which streams share the frame of a large object: all but those of Tables, the first of which has the
// columns.
func (st *stream) largeKey(e registry.WatchEvent) largeKey {
	k := largeKey{object: e.Object, form: st.frames.forms.added}
	k.packed = st.out.compresses()
	if st.client.Media.As == "Table" {
		k.alone = &st.frames
	}
	return k
}
