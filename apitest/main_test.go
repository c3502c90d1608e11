package apitest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// TestMain builds the program that the tests start, unless it is in the variable or on PATH.
func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if os.Getenv("KUBARIUM") != "" {
		return m.Run()
	}
	if _, err := exec.LookPath("kubarium"); err == nil {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "apitest-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "kubarium")
	if out, err := exec.Command("go", "build", "-C", "..", "-o", program, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build kubarium: %v\n%s", err, out)
		return 1
	}
	os.Setenv("KUBARIUM", program)
	return m.Run()
}

// A heard is a test of a test: it notes messages, and does not fail.
type heard struct {
	testing.TB
	mu     sync.Mutex
	said   []string
	failed bool
}

func (h *heard) Errorf(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failed = true
	h.said = append(h.said, fmt.Sprintf(format, args...))
}

func (h *heard) Fatalf(format string, args ...any) {
	h.Errorf(format, args...)
	runtime.Goexit()
}

func (h *heard) Fatal(args ...any) { h.Fatalf("%s", fmt.Sprint(args...)) }

// hear runs a test of a test to its end and returns its messages.
func hear(t *testing.T, test func(t testing.TB)) (said []string) {
	t.Helper()
	h := &heard{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(h)
	}()
	<-done
	return h.said
}
