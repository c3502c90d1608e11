package apitest_test

import (
	"testing"

	"kubarium/apitest"
)

// BenchmarkStart measures one more server, from its start to its end.
func BenchmarkStart(b *testing.B) {
	apitest.Start(b)
	for b.Loop() {
		ended := &ending{TB: b}
		apitest.Start(ended)
		ended.end()
	}
}

// An ending is a test that ends on request.
type ending struct {
	testing.TB
	end func()
}

func (e *ending) Cleanup(end func()) { e.end = end }
