package require_test

import (
	"testing"

	"kubarium/tests/require"
)

func TestHas(t *testing.T) {
	for list, want := range map[string]bool{"": false, "browser": true, "pytest, browser": true, "browsers": false, "pytest": false} {
		if got := require.Has(list, "browser"); got != want {
			t.Errorf("%q: %v", list, got)
		}
	}
}

// A recorder is a test whose end is looked at.
type recorder struct {
	testing.TB
	skipped, failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Skip(...any)           { r.skipped = true }
func (r *recorder) Fatalf(string, ...any) { r.failed = true; panic(r) }

func TestMissing(t *testing.T) {
	t.Setenv(require.Environment, "pytest")
	free := &recorder{}
	require.Missing(free, "browser", "no browser")
	if !free.skipped || free.failed {
		t.Errorf("not required: %+v", free)
	}
	t.Setenv(require.Environment, "pytest,browser")
	bound := &recorder{}
	func() {
		defer func() { recover() }()
		require.Missing(bound, "browser", "no browser")
	}()
	if !bound.failed || bound.skipped {
		t.Errorf("required: %+v", bound)
	}
}
