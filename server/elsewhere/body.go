package elsewhere

import (
	"bytes"
	"io"
	"sync"

	"kubarium/flow"
)

// A Body is the body of a request, whose beginning is kept for the flow while it is read.
type Body struct {
	From io.ReadCloser

	mu    sync.Mutex // guards the rest: it may be read for a moment longer than the answer takes
	head  []byte
	total int64
}

// Read fulfils io.Reader.
func (b *Body) Read(p []byte) (int, error) {
	n, err := b.From.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	if room := flow.MaxBody - len(b.head); room > 0 {
		b.head = append(b.head, p[:min(n, room)]...)
	}
	b.total += int64(n)
	return n, err
}

// Close fulfils io.Closer.
func (b *Body) Close() error { return b.From.Close() }

// Kept is what the flow keeps.
func (b *Body) Kept() flow.Body {
	b.mu.Lock()
	defer b.mu.Unlock()
	return flow.Body{Kept: bytes.Clone(b.head), Total: b.total, Cut: int64(len(b.head)) < b.total}
}
