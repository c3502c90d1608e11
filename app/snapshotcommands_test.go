package app_test

import (
	"strings"
	"testing"

	"kubarium/app/program/programtest"
)

// The commands say what was done, and refuse with the server's line.
func TestMain_snapshot(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	programtest.MustRestore(t, p, "") // which waits for the snapshot of this start
	programtest.MustConfigMap(t, p, "a")
	for _, c := range []struct {
		line string
		code int
		want string
	}{
		{"snapshot save one", 0, "saved one at revision "},
		{"snapshot save one", 1, `kubarium: snapshot "one": already exists`},
		{"snapshot save one --replace", 0, "saved one at revision "},
		{"snapshot save", 2, "an argument is missing"},
		{"snapshot save One", 2, "lower-case"},
		{"snapshot list", 0, "one "},
		{"snapshot restore one", 0, "back to one: 0 created, 0 updated, 0 deleted; now at revision "},
		{"snapshot restore none", 1, `snapshot "none": not found`},
		{"reset", 0, "back to start: 0 created, 0 updated, 1 deleted; now at revision "},
		{"reset one", 0, "back to one: 1 created"},
		{"reset one two", 2, "unexpected argument"},
		{"snapshot delete one", 0, "deleted one"},
		{"snapshot delete one", 1, "not found"},
		{"fork", 0, "fork 1 of revision "},
		{"fork --revision 1", 1, "expired"},
		{"fork list", 0, "1      "},
		{"fork end 1", 0, "ended fork 1"},
		{"fork end 1", 1, "not found"},
		{"fork end x", 2, `a fork has a number, not "x"`},
	} {
		code, out, errs := run(append(strings.Fields(c.line), "--server", p.URL)...)
		if code != c.code || !strings.Contains(out+errs, c.want) || code != 0 && strings.Count(strings.TrimSpace(errs), "\n") > 1 {
			t.Errorf("%s: %d %s%s; want %d %s", c.line, code, out, errs, c.code, c.want)
		}
	}
	if code, _, errs := run("reset", "--server", "http://127.0.0.1:1"); code != 1 || !strings.Contains(errs, "no server answers at") {
		t.Errorf("%d %s", code, errs)
	}
}
