package trials

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kubarium/analysis/explore"
)

// An exploration that was interrupted goes on with what it was asked for, and with what it had tried of the same faults.
func TestResume(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	x := &Exploration{Out: filepath.Join(t.TempDir(), "findings"), Kinds: "lost", Bases: 1, Repeat: 3, Parallel: 1, Quiet: 1, Timeout: 1, StaleFor: 1, Seed: 7}
	if err := x.Complete([]string{own, "-x"}, 0); err != nil {
		t.Fatal(err)
	}
	end, err := x.prepare()
	if err != nil {
		t.Fatal(err)
	}
	fault := explore.Fault{Kind: explore.Lost, Client: "c/v1", Rules: []string{"one"}}
	outcome := explore.Outcome{Came: true, Failed: "it failed"}
	if err := x.keepTrial("fault-1", &trial{fault: fault, outcome: outcome}); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(x.folder, "fault-2"), 0o700); err != nil { // was under way
		t.Fatal(err)
	}
	end(true)

	if err := (&Exploration{Out: x.Out, Kinds: "lost", Bases: 1, Repeat: 1, Parallel: 1, Quiet: 1, Timeout: 1, StaleFor: 1}).Complete([]string{own}, 0); err == nil ||
		!strings.Contains(err.Error(), "go on with it by --resume") {
		t.Errorf("another exploration may use the folder: %v", err)
	}
	again, err := Resume(x.Out)
	if err != nil {
		t.Fatal(err)
	}
	end, err = again.prepare()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.words, x.words) || again.Seed != 7 || again.Repeat != 3 || !slices.Equal(again.options.Kinds, x.options.Kinds) {
		t.Errorf("%+v", again)
	}
	if got := again.knownTrial("fault-1", &fault); got == nil || got.outcome.Failed != outcome.Failed || !got.before {
		t.Errorf("%+v", got)
	}
	other := fault
	other.Rules = []string{"two"}
	if got := again.knownTrial("fault-1", &other); got != nil {
		t.Errorf("another fault was tried: %+v", got)
	}
	if r := again.known("fault-2"); r != nil {
		t.Errorf("a run that was under way has ended: %+v", r)
	}
	if _, err := os.Stat(filepath.Join(again.folder, "fault-2")); err == nil {
		t.Error("what is left of it stands in the way")
	}
	end(false)
	if _, err := os.Stat(x.Out); err == nil {
		t.Error("a folder without findings is left")
	}
	if _, err := Resume(x.Out); err == nil {
		t.Error("there is something to go on with")
	}
}
