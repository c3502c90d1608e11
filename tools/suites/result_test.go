package main

import (
	"reflect"
	"testing"
)

// Tests and subtests count; a test that runs specs of Ginkgo does not, its specs do, and their names say what failed.
func TestCount(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		passed int
		failed []string
	}{
		"tests": {"=== RUN   TestA\n=== RUN   TestA/b\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/b (0.00s)\n--- SKIP: TestC (0.00s)\nPASS\n", 2, nil},
		"failed tests": {"--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/b (0.00s)\n    --- PASS: TestA/c (0.00s)\nFAIL\n", 1,
			[]string{"TestA", "TestA/b"}},
		"specs": {"Ran 3 of 4 Specs in 1.2 seconds\n\x1b[32mSUCCESS!\x1b[0m -- \x1b[38;5;10m\x1b[1m3 Passed\x1b[0m | \x1b[38;5;9m0 Failed\x1b[0m | 0 Pending | 1 Skipped\n" +
			"--- PASS: TestAPIs (1.2s)\n--- PASS: TestOther (0s)\nPASS\n", 4, nil},
		"failed specs": {"Summarizing 1 Failure:\n  \x1b[91m[FAIL]\x1b[0m A does [It] b\n  /x/a_test.go:1\n\nRan 3 of 3 Specs in 1.2 seconds\n" +
			"FAIL! -- 2 Passed | 1 Failed | 0 Pending | 0 Skipped\n--- FAIL: TestAPIs (1.2s)\nFAIL\n", 2, []string{"A does [It] b"}},
		"failed specs, and a test": {"Summarizing 1 Failure:\n  [PANICKED!] A [It] b\n\nRan 1 of 1 Specs in 1.2 seconds\n" +
			"FAIL! -- 0 Passed | 1 Failed | 0 Pending | 0 Skipped\n--- FAIL: TestAPIs (1.2s)\n--- FAIL: TestOther (0s)\nFAIL\n", 0, []string{"A [It] b", "TestOther"}},
		"nothing": {"panic: no etcd\n", 0, nil},
	} {
		if got := count(c.text); got.passed != c.passed || !reflect.DeepEqual(got.failed, c.failed) {
			t.Errorf("%s: %d passed, failed %q", name, got.passed, got.failed)
		}
	}
}
