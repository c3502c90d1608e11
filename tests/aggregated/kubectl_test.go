package aggregated_test

import (
	"path/filepath"
	"strings"
	"testing"

	"kubarium/tests/e2e"
)

// TestKubectl plays the scripts in testdata/kubectl against a Kubarium with a sample-apiserver.
func TestKubectl(t *testing.T) {
	kubectl := e2e.FindKubectl(t)
	minor := e2e.MinorVersion(t, kubectl)
	names, err := filepath.Glob("testdata/kubectl/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no scripts, %v", err)
	}
	c := startCluster(t)
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			e2e.Play(t, name, kubectl, "--server="+c.url, minor)
		})
	}
}
