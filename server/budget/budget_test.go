package budget_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
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

// Small bodies are read at once whatever large ones take; of these there is room for so many, until they give it back; one that
// waits for its turn waits no longer than its client.
func TestShare_Read(t *testing.T) {
	b := budget.New()
	var shares []*budget.Share
	for range 6 { // as many as fit
		s := b.Share()
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if n, err := read(ctx, &s, codecs.MaxBody); n != codecs.MaxBody || err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(n, err)
		}
		shares = append(shares, &s)
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
