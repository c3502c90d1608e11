package budget

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
)

// A Budget is what the requests of a server share: large bodies a fixed number of bytes, and a fixed part of the
// machine. A single request is bounded elsewhere: its time by its context, which ends when its client goes; its work
// by what a body may have (codecs.Bound, patch.Apply).
type Budget struct {
	held *semaphore.Weighted // bytes of large bodies that are being read or worked on
	work *semaphore.Weighted // bytes of large bodies that are being worked on
	most int64               // of work
	away *semaphore.Weighted // bytes of large bodies of requests that wait for others
	long *semaphore.Weighted // processors that make pieces of long answers
}

const (
	// smallBody is up to how many bytes a body is served at once and at no one's expense.
	smallBody = 32 << 10
	// maxHeld is the most bytes of larger bodies in memory. A request with more waits forRoom for room, and then gets
	// a 429 that asks it to come again.
	maxHeld = 6 * codecs.MaxBody
	forRoom = 2 * time.Second
	// maxAway is the most bytes of larger bodies that give back their room while their requests wait for others. A
	// webhook that hangs lets go in 30 seconds at most.
	maxAway = 64 << 20
	// slowBody is how long a client may take to send a body.
	slowBody = 30 * time.Second
	// atATime is how many larger bodies are worked on at a time for each of the greatest size.
	atATime = 4
)

// New lets half of the processors, one at least, work on bodies of the greatest size at a time.
func New() *Budget {
	half := int64(runtime.GOMAXPROCS(0)+1) / 2
	most := half * codecs.MaxBody
	return &Budget{
		held: semaphore.NewWeighted(maxHeld), work: semaphore.NewWeighted(most), most: most,
		away: semaphore.NewWeighted(maxAway), long: semaphore.NewWeighted(half),
	}
}

// A Share is what one request has taken of a budget.
type Share struct {
	budget *Budget
	room   int64 // of held
	turn   int64 // of work; 0 while it has none
}

// Share is that of a request which has not taken anything yet.
func (b *Budget) Share() Share { return Share{budget: b} }

// Read reads a body to its end. A larger one waits for its turn, until the request's context ends. conn is the
// request's connection. With an error comes what was read.
func (s *Share) Read(r *http.Request, conn *http.ResponseController) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	_ = conn.SetReadDeadline(time.Now().Add(slowBody))
	body, err := s.read(r)
	_ = conn.SetReadDeadline(time.Time{})
	if err != nil || len(body) <= smallBody {
		return body, err
	}
	return body, s.takeTurn(r.Context(), int64(len(body)))
}

// read reads the body, and takes room for it as soon as it is a larger one: not before, since a client can promise
// any length and send nothing.
func (s *Share) read(r *http.Request) ([]byte, error) {
	if n := r.ContentLength; n > 0 && n <= smallBody {
		body := make([]byte, n)
		read, err := io.ReadFull(r.Body, body)
		return body[:read], err
	}
	head, err := io.ReadAll(io.LimitReader(r.Body, smallBody+1))
	if err != nil || len(head) <= smallBody {
		return head, err
	}
	room := int64(codecs.MaxBody)
	if r.ContentLength > 0 {
		room = min(room, r.ContentLength)
	}
	if err := s.hold(r.Context(), room); err != nil {
		return head, err
	}
	return codecs.Read(io.MultiReader(bytes.NewReader(head), r.Body), room)
}

// hold takes room for so many bytes, until the request is over.
func (s *Share) hold(ctx context.Context, room int64) error {
	wait, cancel := context.WithTimeout(ctx, forRoom)
	defer cancel()
	switch err := s.budget.held.Acquire(wait, room); {
	case err == nil:
		s.room = room
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return apierrors.NewTooManyRequests("The server is currently handling too many large requests, please try again later.", 1)
}

// takeTurn waits until a body of so many bytes may be worked on, which it may then until the request is over.
func (s *Share) takeTurn(ctx context.Context, size int64) error {
	turn := min(max(size, codecs.MaxBody/atATime), s.budget.most)
	return s.take(ctx, 0, turn)
}

// GiveBack gives back what was taken: when the request has been worked on, before its answer is written.
func (s *Share) GiveBack() {
	s.EndTurn()
	if s.room == 0 {
		return
	}
	s.budget.held.Release(s.room)
	s.room = 0
}

// EndTurn gives back the turn alone: of a body that stays in memory, and is not worked on any more.
func (s *Share) EndTurn() {
	if s.turn == 0 {
		return
	}
	s.budget.work.Release(s.turn)
	s.turn = 0
}

type contextKey struct{}

// With returns a context that carries the share of the request that is worked on, for Away.
func (s *Share) With(ctx context.Context) context.Context {
	if s.turn == 0 {
		return ctx
	}
	return context.WithValue(ctx, contextKey{}, s)
}

// Away waits for others, such as a webhook, by calling wait, while other requests have the share that ctx carries;
// then it takes the share again. Where too much waits already, the request gives back its turn alone: its body keeps
// its room.
func Away(ctx context.Context, wait func() error) error {
	s, _ := ctx.Value(contextKey{}).(*Share)
	if s == nil {
		return wait()
	}
	if room := s.room; s.budget.away.TryAcquire(room) {
		defer s.budget.away.Release(room)
		return s.Aside(ctx, wait)
	}
	turn := s.turn
	s.EndTurn()
	if err := wait(); err != nil {
		return err
	}
	return s.take(ctx, 0, turn)
}

// Aside waits by calling wait, while other requests have the share. If wait succeeds, the request takes the share
// again, in the order in which requests ask for it, until ctx ends. The caller bounds how much waits.
func (s *Share) Aside(ctx context.Context, wait func() error) error {
	room, turn := s.room, s.turn
	s.GiveBack()
	if err := wait(); err != nil {
		return err
	}
	return s.take(ctx, room, turn)
}

// take takes room and then a turn, or neither where it is 0. All requests take them in this order, so that none waits
// for another in a circle.
func (s *Share) take(ctx context.Context, room, turn int64) error {
	if room > 0 {
		if err := s.budget.held.Acquire(ctx, room); err != nil {
			return err
		}
		s.room = room
	}
	if turn > 0 {
		if err := s.budget.work.Acquire(ctx, turn); err != nil {
			return err
		}
		s.turn = turn
	}
	return nil
}

// InTurn does a piece of work that makes much garbage, one at a time, and not after ctx has ended.
func (b *Budget) InTurn(ctx context.Context, piece func() error) error {
	if err := b.work.Acquire(ctx, b.most); err != nil {
		return err
	}
	defer b.work.Release(b.most)
	return piece()
}

// Piece makes a piece of a long answer, and not after ctx has ended. Half of the processors do so at a time: however
// many clients ask for much at once, a request that asks for little does not wait for all of them. A nil Budget
// bounds nothing.
func (b *Budget) Piece(ctx context.Context, piece func() error) error {
	if b == nil {
		return piece()
	}
	if err := b.long.Acquire(ctx, 1); err != nil {
		return err
	}
	defer b.long.Release(1)
	return piece()
}
