package app_test

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// copyOf names the environment variable by which the tests' own binary becomes a bare server: it holds the address of
// the server whose answers it copies.
const copyOf = "KUBARIUM_TEST_COPY_OF"

func TestMain(m *testing.M) {
	if origin := os.Getenv(copyOf); origin != "" {
		serveCopies(origin)
		return
	}
	os.Exit(m.Run())
}

// mustCopy starts a bare server in a process of its own, and returns its address. What it is asked the first time it
// fetches from origin, from then on it writes the bytes that it got.
func mustCopy(b testing.TB, origin string) string {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), copyOf+"="+origin)
	in, err := cmd.StdinPipe() // its end is the server's
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			b.Error(err)
		}
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(address)
}

// serveCopies serves until standard input ends.
func serveCopies(origin string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	go func() { _ = http.Serve(l, &copies{origin: origin}) }()
	fmt.Println("http://" + l.Addr().String())
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// copies are the answers of another server in one media type; asked for another, it forgets them.
type copies struct {
	origin string

	mu      sync.Mutex
	accept  string
	answers map[string][]byte // by path and query
}

func (c *copies) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, err := c.answer(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", cmp.Or(r.Header.Get("Accept"), "application/json"))
	if r.Header.Get("Accept-Encoding") != "gzip" {
		_, _ = w.Write(answer)
		return
	}
	w.Header().Set("Content-Encoding", "gzip") // it compresses as it goes, as Kubarium does
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		panic(err)
	}
	_, _ = z.Write(answer)
	_ = z.Close()
}

func (c *copies) answer(r *http.Request) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if accept := r.Header.Get("Accept"); accept != c.accept || c.answers == nil {
		c.accept, c.answers = accept, map[string][]byte{}
	}
	key := r.URL.RequestURI()
	if answer, ok := c.answers[key]; ok {
		return answer, nil
	}
	req, err := http.NewRequestWithContext(r.Context(), "GET", c.origin+key, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", c.accept)
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode == http.StatusOK {
		c.answers[key] = answer
	}
	return answer, err
}
