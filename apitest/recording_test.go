package apitest_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/apitest"
)

// A failing is a test that has failed, without an end of the true one.
type failing struct{ testing.TB }

func (failing) Failed() bool { return true }

// A recording has the test's requests to its end; the one that is for failures is only made of a test that failed.
func TestServer_Record(t *testing.T) {
	dir := t.TempDir()
	for name, failed := range map[string]bool{"passed": false, "failed": true} {
		always, failure := filepath.Join(dir, name, "always.kubarium"), filepath.Join(dir, name, "failure.kubarium")
		t.Run(name, func(t *testing.T) {
			var tb testing.TB = t
			if failed {
				tb = failing{t}
			}
			s := apitest.Start(tb)
			s.Record(always)
			s.RecordFailed(failure)
			maps := mustDial(t, s.Config).Resource(configMaps).Namespace("default")
			mustCreate(t, maps, configMap("first"))
			t.Cleanup(func() {
				if err := maps.Delete(context.Background(), "first", metav1.DeleteOptions{}); err != nil {
					t.Error(err)
				}
			})
		})
		if _, err := os.Stat(failure); (err == nil) != failed {
			t.Errorf("%s: %v", name, err)
		}
		out, err := exec.Command(apitest.Program(t), "export", always, "--filter", "verb:create,delete res:configmaps").CombinedOutput()
		if lines := strings.Count(string(out), "\n"); err != nil || lines != 2 {
			t.Errorf("%s: %v, %d lines\n%s", name, err, lines, out)
		}
	}
}

// A file that cannot be written is an error of the test, in one line.
func TestServer_Record_Errors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var h *heard
	t.Run("its test", func(t *testing.T) {
		h = &heard{TB: t}
		apitest.Start(h).Record(filepath.Join(file, "run.kubarium"))
	})
	if len(h.said) != 1 || !strings.HasPrefix(h.said[0], "apitest: record: ") || strings.Contains(h.said[0], "\n") {
		t.Errorf("%q", h.said)
	}
}
