package budget_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"kubarium/codecs"
	"kubarium/server/budget"
)

// read reads a body of n bytes for a share.
func read(ctx context.Context, s *budget.Share, n int) (int, error) {
	r := httptest.NewRequest("POST", "/", bytes.NewReader(make([]byte, n))).WithContext(ctx)
	body, err := s.Read(r, http.NewResponseController(httptest.NewRecorder()))
	return len(body), err
}

// mustHold takes room for a body of the greatest size, and no turn: the client goes when its body has been read.
func mustHold(t *testing.T, b *budget.Budget) *budget.Share {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	body := io.MultiReader(bytes.NewReader(make([]byte, codecs.MaxBody)), atEnd(cancel))
	s := b.Share()
	sent, err := s.Read(httptest.NewRequest("POST", "/", body).WithContext(ctx), http.NewResponseController(httptest.NewRecorder()))
	if len(sent) != codecs.MaxBody || !errors.Is(err, context.Canceled) {
		t.Fatal(len(sent), err)
	}
	return &s
}

// atEnd is called when what comes before it has been read.
type atEnd func()

func (f atEnd) Read([]byte) (int, error) {
	f()
	return 0, io.EOF
}

// Small bodies are read at once whatever large ones take; of these there is room for so many, until they give it back; one that
// waits for its turn waits no longer than its client.
func TestShare_Read(t *testing.T) {
	b := budget.New()
	var shares []*budget.Share
	for range 6 { // as many as fit
		shares = append(shares, mustHold(t, b))
	}
	late, small := b.Share(), b.Share()
	if _, err := read(t.Context(), &late, 100_000); !apierrors.IsTooManyRequests(err) {
		t.Errorf("without room: %v", err)
	}
	if n, err := read(t.Context(), &small, 1000); n != 1000 || err != nil {
		t.Errorf("a small one: %d, %v", n, err)
	}
	for _, s := range shares {
		s.GiveBack()
	}
	if n, err := read(t.Context(), &late, 100_000); n != 100_000 || err != nil {
		t.Errorf("with room: %d, %v", n, err)
	}
	late.GiveBack()
	done := false
	if err := b.InTurn(t.Context(), func() error { done = true; return nil }); err != nil || !done {
		t.Errorf("everything was given back, and a turn fails: %v", err)
	}
}

// While a share is aside others have its room. It is taken again when there is room, until the context ends.
func TestShare_Aside(t *testing.T) {
	b := budget.New()
	one := b.Share()
	takeAll := func(n int) (shares []*budget.Share) {
		t.Helper()
		for range n {
			shares = append(shares, mustHold(t, b))
		}
		return shares
	}
	if _, err := read(t.Context(), &one, codecs.MaxBody); err != nil {
		t.Fatal(err)
	}
	if err := one.Aside(t.Context(), func() error {
		for _, s := range takeAll(6) {
			s.GiveBack()
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	rest := takeAll(5)
	late := b.Share()
	if _, err := read(t.Context(), &late, 100_000); !apierrors.IsTooManyRequests(err) {
		t.Errorf("its room was not taken again: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := one.Aside(ctx, func() error {
		takeAll(1)
		return nil
	}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, without room for %d", err, 1+len(rest))
	}
}

// Half of the processors make pieces at a time; another waits, no longer than its client.
func TestBudget_Piece(t *testing.T) {
	b := budget.New()
	half := (runtime.GOMAXPROCS(0) + 1) / 2
	begun, end, done := make(chan bool), make(chan bool), make(chan error)
	for range half {
		go func() {
			done <- b.Piece(t.Context(), func() error {
				begun <- true
				<-end
				return nil
			})
		}()
		<-begun
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := b.Piece(ctx, func() error { t.Error("one too many"); return nil }); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	close(end)
	for range half {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
