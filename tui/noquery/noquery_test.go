package noquery_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"kubarium/tui/noquery"
)

func TestMain(m *testing.M) {
	if os.Getenv("NOQUERY_TELL") == "" {
		os.Exit(m.Run())
	}
	began := os.Getenv("CI") != ""
	noquery.Restore()
	value, set := os.LookupEnv("CI")
	fmt.Printf("%v %q %v", began, value, set)
}

// Restore restores the variable, whether it was set or not.
func TestRestore(t *testing.T) {
	for given, want := range map[string]string{"CI=1": `true "1" true`, "CI=": `true "" true`,
		"OTHER=1": `true "" false`} {
		again := exec.Command(os.Args[0])
		for _, e := range os.Environ() {
			if !strings.HasPrefix(e, "CI=") {
				again.Env = append(again.Env, e)
			}
		}
		again.Env = append(again.Env, "NOQUERY_TELL=1", given)
		out, err := again.Output()
		if err != nil || string(out) != want {
			t.Errorf("%s: %s, want %s (%v)", given, out, want, err)
		}
	}
}
