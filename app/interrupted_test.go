package app_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"kubarium/app"
	"kubarium/app/program/programtest"
)

// The first interrupt waits for requests under way; the second one ends the process at once, with a line.
func TestMain_interruptedTwice(t *testing.T) {
	sessionFolder(t)
	cmd := exec.Command(os.Args[0], "-test.run", "^TestMain_interruptedTwice_child$")
	cmd.Env = append(os.Environ(), "KUBARIUM_INTERRUPTED_CHILD=1")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	line := make([]byte, 4096)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimPrefix(strings.Fields(string(line[:n]))[2], "http://")
	slow, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	body := "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: k\r\nContent-Type: application/json\r\nContent-Length: 100\r\n" +
		"Expect: 100-continue\r\n\r\n"
	if _, err := io.WriteString(slow, body); err != nil {
		t.Fatal(err)
	}
	if _, err := slow.Read(line); err != nil { // "100 Continue": the request is under way
		t.Fatal(err)
	}
	for range 2 {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		programtest.Eventually(t, "the port is closed", func() bool {
			c, err := net.Dial("tcp", address)
			if err == nil {
				c.Close()
			}
			return err != nil
		})
	}
	var ended *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &ended) || ended.ExitCode() != 1 {
		t.Error(err)
	}
	if text := errs.String(); !strings.Contains(text, "kubarium: interrupted again; ended at once, without waiting for requests\n") {
		t.Errorf("%q", text)
	}
}

func TestMain_interruptedTwice_child(t *testing.T) {
	if os.Getenv("KUBARIUM_INTERRUPTED_CHILD") == "" {
		t.Skip("runs in a process of its own")
	}
	os.Exit(app.Main([]string{"serve", "--listen", "127.0.0.1:0", "--db", ":memory:"}, os.Stdin, os.Stdout, os.Stderr))
}
