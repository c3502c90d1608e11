package apitest

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
	"slices"
	"strings"
	"sync"
)

// A child is a process with servers. It ends with its standard input, so with this process.
type child struct {
	url   string
	stdin io.Closer
	http  *http.Client
}

// children are the processes of this one, by their feature gates.
var children struct {
	sync.Mutex
	all map[string]*child
}

// childWith returns the child with these feature gates, and starts it if needed.
func childWith(gates map[string]bool) (*child, error) {
	pairs := make([]string, 0, len(gates))
	for name, on := range gates {
		pairs = append(pairs, fmt.Sprintf("%s=%v", name, on))
	}
	slices.Sort(pairs)
	key := strings.Join(pairs, ",")
	children.Lock()
	defer children.Unlock()
	if c := children.all[key]; c != nil {
		return c, nil
	}
	c, err := startChild(key)
	if err != nil {
		return nil, err
	}
	if children.all == nil {
		children.all = map[string]*child{}
	}
	children.all[key] = c
	return c, nil
}

func startChild(gates string) (*child, error) {
	program, err := findProgram()
	if err != nil {
		return nil, err
	}
	args := []string{"apitest", "--until-eof", "--listen", "127.0.0.1:0"} // a variable KUBARIUM_LISTEN is for others
	if gates != "" {
		args = append(args, "--feature-gates", gates)
	}
	cmd := exec.Command(program, args...)
	var said bytes.Buffer // until it is ready
	errs := &stderr{to: &said}
	cmd.Stderr = errs
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "kubarium: apitest ")
	if err != nil || !ok {
		stdin.Close()
		_ = cmd.Wait()
		return nil, fmt.Errorf("%s apitest: %s", program, strings.TrimSpace(line+said.String()))
	}
	errs.pass()
	go func() { _ = cmd.Wait() }()
	return &child{url: address, stdin: stdin, http: &http.Client{}}, nil
}

// stderr keeps the output of a child until it is ready, and then passes it on.
type stderr struct {
	mu sync.Mutex
	to io.Writer
}

func (s *stderr) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.to.Write(b)
}

func (s *stderr) pass() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.to = os.Stderr
}

// call sends a request with a body in JSON, nil for none, and reads the answer. An error is the server's message.
func (c *child) call(ctx context.Context, method, address string, body, answer any) error {
	text, err := c.text(ctx, method, address, body)
	if err != nil || answer == nil {
		return err
	}
	return json.Unmarshal(text, answer)
}

// callText does the same with a body of text.
func (c *child) callText(ctx context.Context, method, address, body string, answer any) error {
	text, err := c.send(ctx, method, address, "text/plain", strings.NewReader(body))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, answer)
}

func (c *child) text(ctx context.Context, method, address string, body any) ([]byte, error) {
	if body == nil {
		return c.send(ctx, method, address, "", nil)
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	return c.send(ctx, method, address, "application/json", bytes.NewReader(text))
}

// send sends a request and returns the body of the answer.
func (c *child) send(ctx context.Context, method, address, media string, body io.Reader) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, err
	}
	if media != "" {
		req.Header.Set("Content-Type", media)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= 300 {
		err = errors.New(strings.TrimSpace(string(text)))
	}
	return text, err
}
