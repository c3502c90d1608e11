package server

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"runtime"
	"time"

	"golang.org/x/sync/semaphore"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"kubarium/codecs"
	"kubarium/server/flow"
)

// A request has a budget. Its time is that of its context, which ends when the client goes, and which loops over objects
// look at. Its memory and its work are bounded by what a body may have (codecs.Bound, patch.Apply). What all requests may
// take together is bounded here: large bodies share a fixed number of bytes, and a fixed part of the machine, so that who
// asks for little is answered at once whatever the others send.
type budget struct {
	held *semaphore.Weighted // bytes of large bodies that are being read or worked on
	work *semaphore.Weighted // bytes of large bodies that are being worked on
	most int64               // of work
}

const (
	// smallBody is up to how many bytes a body is served at once and at no one's expense.
	smallBody = 32 << 10
	// maxHeld is the most bytes of larger bodies in memory. Who comes with more waits for room as long as forRoom, and is then
	// asked to come again (429).
	maxHeld = 6 * codecs.MaxBody
	forRoom = 2 * time.Second
	// slowBody is how long a client may take to send a body.
	slowBody = 30 * time.Second
	// atATime is how many larger bodies are worked on at a time for each of the greatest size.
	atATime = 4
)

// newBudget lets half of the processors, one at least, work on bodies of the greatest size at a time.
func newBudget() *budget {
	most := int64((runtime.GOMAXPROCS(0)+1)/2) * codecs.MaxBody
	return &budget{held: semaphore.NewWeighted(maxHeld), work: semaphore.NewWeighted(most), most: most}
}

// readBody reads the body to its end and keeps it for the flow. A larger one waits for its turn, until the request's
// context ends.
func (q *Request) readBody() ([]byte, error) {
	if q.Body == nil || q.Body == http.NoBody {
		return nil, nil
	}
	_ = q.conn.SetReadDeadline(time.Now().Add(slowBody))
	body, err := q.readHeld()
	_ = q.conn.SetReadDeadline(time.Time{})
	q.Flow.Flow.RequestBody = flow.Keep(body)
	if err != nil || len(body) <= smallBody {
		return body, err
	}
	return body, q.takeTurn(int64(len(body)))
}

// readHeld reads the body, and takes room for it as soon as it is a larger one: not before, since a client can promise
// any length and send nothing.
func (q *Request) readHeld() ([]byte, error) {
	head, err := io.ReadAll(io.LimitReader(q.Body, smallBody+1))
	if err != nil || len(head) <= smallBody {
		return head, err
	}
	room := int64(codecs.MaxBody)
	if q.ContentLength > 0 {
		room = min(room, q.ContentLength)
	}
	if err := q.hold(room); err != nil {
		return head, err
	}
	return codecs.Read(io.MultiReader(bytes.NewReader(head), q.Body), room)
}

// hold takes room for so many bytes, until the request is over.
func (q *Request) hold(room int64) error {
	ctx, cancel := context.WithTimeout(q.Context(), forRoom)
	defer cancel()
	switch err := q.budget.held.Acquire(ctx, room); {
	case q.Context().Err() != nil:
		return q.Context().Err()
	case err != nil:
		return apierrors.NewTooManyRequests("The server is currently handling too many large requests, please try again later.", 1)
	}
	q.atEnd(func() { q.budget.held.Release(room) })
	return nil
}

// takeTurn waits until a body of so many bytes may be worked on, which it may then until the request is over. What a
// large one left behind is collected before the next one's turn.
func (q *Request) takeTurn(size int64) error {
	large := size > 2*smallBody
	size = min(max(size, codecs.MaxBody/atATime), q.budget.most)
	if err := q.budget.work.Acquire(q.Context(), size); err != nil {
		return err
	}
	q.atEnd(func() {
		if large {
			collectGarbage()
		}
		q.budget.work.Release(size)
	})
	return nil
}

// atEnd calls fn when the request's handler has ended, before its answer is written.
func (q *Request) atEnd(fn func()) { q.ends = append(q.ends, fn) }

// settle gives back what the request has taken of the budget.
func (q *Request) settle() {
	for _, fn := range q.ends {
		fn()
	}
	q.ends = nil
}

// inTurn does a piece of work that makes much garbage while nobody else does any, and not after ctx has ended.
func (b *budget) inTurn(ctx context.Context, piece func() error) error {
	if err := b.work.Acquire(ctx, b.most); err != nil {
		return err
	}
	defer b.work.Release(b.most)
	return piece()
}
