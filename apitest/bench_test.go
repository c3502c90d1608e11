package apitest_test

import (
	"testing"

	"kubarium/apitest"
)

// BenchmarkStart measures what each further server takes, its end aside.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		b.Run("", func(b *testing.B) {})
		apitest.Start(b)
	}
}
