package server

import (
	"encoding/json"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/codecs"
	"kubarium/server/cache"
	"kubarium/server/kinds"
	"kubarium/server/registry"
)

// listPiece is how much of a list is put together before it is written, in bytes.
const listPiece = 64 << 10

// pieces are buffers for the pieces of lists, each used again once it has been written.
var pieces = sync.Pool{New: func() any { b := make([]byte, 0, 2*listPiece); return &b }}

// streamsList tells whether an answer is a list in plain JSON, which is written as it is spliced, never held whole.
func (q *Request) streamsList(a *answer) bool {
	return a.list != nil && q.Media.Codec == codecs.JSON && q.Media.As == "" && !q.Media.Pretty &&
		!acceptsGzip(q.Header.Get("Accept-Encoding"))
}

// respondList writes a list piece by piece.
func (s *Server) respondList(out *response, q *Request, a *answer) {
	h := out.Header()
	h.Set("Cache-Control", "no-cache, private")
	h.Set("Content-Type", q.Media.ContentType(false))
	setWarnings(h, q.warnings)
	q.Flow.Enter("encode")
	out.reused = true
	out.WriteHeader(a.status)
	buf := pieces.Get().(*[]byte)
	defer func() { pieces.Put(buf) }()
	b := appendListHead((*buf)[:0], a.kind, a.list)
	var err error
	for i, o := range a.list.Objects {
		b = appendItem(b, i, o)
		if len(b) >= listPiece && err == nil {
			_, err = out.Write(b)
			b = b[:0]
		}
	}
	if err == nil {
		_, err = out.Write(append(b, "]}\n"...))
	}
	*buf = b
	q.Flow.Leavef(err, "%d items, %d B", len(a.list.Objects), out.size)
}

// encodeList is a list in one piece, for those who need it whole.
func encodeList(k *kinds.Kind, l *registry.List) []byte {
	size := 256
	for _, o := range l.Objects {
		size += len(o.Value) + 32
	}
	b := appendListHead(make([]byte, 0, size), k, l)
	for i, o := range l.Objects {
		b = appendItem(b, i, o)
	}
	return append(b, "]}"...)
}

// appendListHead begins a list up to its first item.
func appendListHead(b []byte, k *kinds.Kind, l *registry.List) []byte {
	b = fmt.Appendf(b, `{"kind":"%sList","apiVersion":"%s","metadata":`, k.Kind, k.GroupVersion())
	meta, err := json.Marshal(listMeta(l))
	if err != nil {
		panic(err) // a struct of strings and a number
	}
	return append(append(b, meta...), `,"items":[`...)
}

// appendItem splices a stored object into a list.
func appendItem(b []byte, i int, o *cache.Object) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return codecs.StampItem(b, o.Value, registry.Place(o), registry.FormatRevision(o.Revision))
}

func listMeta(l *registry.List) metav1.ListMeta {
	return metav1.ListMeta{ResourceVersion: registry.FormatRevision(l.Revision), Continue: l.Continue, RemainingItemCount: l.Remaining}
}
