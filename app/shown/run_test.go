package shown_test

import (
	"bytes"
	"strings"
	"testing"

	"kubarium/app"
)

// run is one command line, without a terminal.
func run(args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = app.Main(args, strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

// mustRun runs a command line that must succeed, and returns what it prints.
func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := run(args...)
	if code != 0 {
		t.Fatalf("%q: code %d, %s", args, code, errs)
	}
	return out
}
