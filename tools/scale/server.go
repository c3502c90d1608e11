package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// A server is a Kubarium that runs.
type server struct {
	url   string
	cmd   *exec.Cmd
	ready time.Duration // from its start to the first 200 of /readyz
	http.Client
}

// serve starts the binary on a store, which flags name, and waits until it is ready.
func serve(ctx context.Context, o options, store ...string) (*server, error) {
	args := append([]string{"serve", "--listen", "127.0.0.1:0"}, store...)
	s := &server{cmd: exec.CommandContext(ctx, o.binary, append(args, o.serve...)...)}
	s.Transport = newTransport()
	s.cmd.Stderr = os.Stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	words := strings.Fields(line)
	if err != nil || len(words) < 3 {
		return nil, fmt.Errorf("kubarium serve said %q: %w", line, s.cmd.Wait())
	}
	s.url = words[2]
	for {
		if _, err := s.get(ctx, "/readyz"); err == nil {
			s.ready = time.Since(begun)
			return s, nil
		}
		if ctx.Err() != nil || time.Since(begun) > time.Minute {
			return nil, fmt.Errorf("%s is not ready: %w", s.url, ctx.Err())
		}
		time.Sleep(time.Millisecond)
	}
}

// newPeer is a server that runs already.
func newPeer(url string) *server {
	return &server{url: url, Client: http.Client{Transport: newTransport()}}
}

func newTransport() *http.Transport {
	return &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: clients}
}

// stop ends the server as a user would.
func (s *server) stop() error {
	s.CloseIdleConnections()
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	return s.cmd.Wait()
}

// errTimeout is that the server did not answer in the time that it gives itself.
var errTimeout = errors.New("504")

// send sends a request and reads the answer.
func (s *server) send(ctx context.Context, method, path, body string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	switch {
	case method == http.MethodPatch:
		r.Header.Set("Content-Type", "application/merge-patch+json")
	case body != "":
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := s.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if answer.StatusCode == http.StatusGatewayTimeout {
		return nil, errTimeout
	}
	if err == nil && answer.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s: %.200s", method, path, answer.Status, text)
	}
	return text, err
}

func (s *server) get(ctx context.Context, path string) ([]byte, error) {
	return s.send(ctx, http.MethodGet, path, "")
}

// drain reads an answer and forgets it.
func (s *server) drain(ctx context.Context, path string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return err
	}
	answer, err := s.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s", path, answer.Status)
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

// firstByte says how long the first byte of an answer takes, and leaves the rest.
func (s *server) firstByte(ctx context.Context, path, accept string) (time.Duration, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return 0, err
	}
	r.Header.Set("Accept", accept)
	begun := time.Now()
	answer, err := s.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("GET %s: %s", path, answer.Status)
	}
	_, err = answer.Body.Read(make([]byte, 1))
	return time.Since(begun), err
}

// A listMeta is the metadata of a list.
type listMeta struct {
	ResourceVersion string `json:"resourceVersion"`
	Continue        string `json:"continue"`
}

// readListMeta reads the metadata, which comes before the items, and does not read these.
func readListMeta(list []byte) (m listMeta, err error) {
	_, rest, found := bytes.Cut(list, []byte(`"metadata":`))
	if !found {
		return m, fmt.Errorf("no metadata in %.200s", list)
	}
	end := bytes.IndexByte(rest, '}') // there is no object in it
	return m, json.Unmarshal(rest[:end+1], &m)
}

// status is a line of Linux' status of the process, a size in bytes; 0 elsewhere.
func (s *server) status(name string) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kib, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kib << 10
		}
	}
	return 0
}

// busy is how much of the processors' time the process has had, as Linux counts it; 0 elsewhere.
func (s *server) busy() time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	_, rest, found := strings.Cut(string(text), ") ")
	words := strings.Fields(rest)
	if !found || len(words) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(words[11])
	system, _ := strconv.Atoi(words[12])
	return time.Duration(user+system) * 10 * time.Millisecond // USER_HZ is 100 everywhere
}
