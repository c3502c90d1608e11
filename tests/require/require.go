// Package require says which programs of others the tests must find. A test without one of them is skipped, unless the
// environment variable KUBARIUM_REQUIRE names it, as .ci/run does where it installed it: then the test fails.
package require

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Environment is the variable that has the names, with commas between them, such as "browser,pytest".
const Environment = "KUBARIUM_REQUIRE"

// Missing ends a test that needs what this machine does not have: name is how KUBARIUM_REQUIRE calls it, why is one line.
func Missing(t testing.TB, name, why string) {
	t.Helper()
	if Has(os.Getenv(Environment), name) {
		t.Fatalf("%s, and %s requires %s", why, Environment, name)
	}
	t.Skip(why)
}

// Has reports whether a list as in KUBARIUM_REQUIRE has a name.
func Has(list, name string) bool {
	return slices.ContainsFunc(strings.Split(list, ","), func(s string) bool { return strings.TrimSpace(s) == name })
}
