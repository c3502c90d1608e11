package object_test

import (
	"testing"

	"kubarium/flow/object"
)

// Only an object's metadata decide whether it is terminating, in any formatting.
func TestTerminating(t *testing.T) {
	for value, want := range map[string]bool{
		`{"metadata":{"name":"a","deletionTimestamp":"2026-11-24T00:00:00Z"}}`:        true,
		"{\n \"metadata\" : {\n\"deletionTimestamp\" :\t\"2026-11-24T00:00:00Z\"}\n}": true,
		`{"metadata":{"name":"a"}}`:                                                           false,
		`{"metadata":{"deletionTimestamp":null}}`:                                             false,
		`{"metadata":{"annotations":{"deletionTimestamp":"x"}}}`:                              false,
		`{"data":{"deletionTimestamp":"x"}}`:                                                  false,
		`{"spec":{"template":{"metadata":{"deletionTimestamp":"2026-11-24T00:00:00Z"}}}}`:     false,
		`{"metadata":{"name":"a"},"data":{"k":"\"metadata\":{\"deletionTimestamp\":\"x\"}"}}`: false,
		`{"metadata":{"deletionTimestamp":"2026`:                                              false,
		``:                                                                                    false,
	} {
		if got := object.Terminating([]byte(value)); got != want {
			t.Errorf("%s: %t", value, got)
		}
	}
}
