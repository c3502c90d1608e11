package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// agent is the User-Agent, by which managedFields name this client.
const agent = "requests/1"

// An answer is what one server said. A server that ends the connection without an answer has the code 0.
type answer struct {
	code   int
	header http.Header
	body   string
}

var client = &http.Client{
	Timeout:       20 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport:     &http.Transport{DisableCompression: true},
}

// both are the answers of Kubarium and kube-apiserver, asked at the same time.
func (q question) both(ctx context.Context, o options) (answers [2]answer, err error) {
	var errs [2]error
	var wg sync.WaitGroup
	for i, base := range []string{o.kubarium, o.kubernetes} {
		wg.Go(func() {
			if q.method == "RAW" {
				answers[i], errs[i] = q.askRaw(base)
			} else {
				answers[i], errs[i] = q.ask(ctx, base)
			}
		})
	}
	wg.Wait()
	return answers, errors.Join(errs[:]...)
}

func (q question) ask(ctx context.Context, base string) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, q.method, strings.TrimSuffix(base, "/")+q.path, strings.NewReader(q.body))
	if err != nil {
		return answer{}, err
	}
	for name, value := range map[string]string{"User-Agent": agent, "Accept": q.accept, "Content-Type": q.typ} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	resp, err := client.Do(req)
	var dial *net.OpError
	if ctx.Err() != nil || errors.As(err, &dial) && dial.Op == "dial" {
		return answer{}, err
	}
	return read(resp, err), nil
}

// askRaw sends the body as the bytes of a connection; the path has no meaning.
func (q question) askRaw(base string) (answer, error) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		return answer{}, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(3 * time.Second)); err != nil {
		return answer{}, err
	}
	if _, err := io.WriteString(conn, q.body); err != nil {
		return answer{}, err
	}
	a := read(http.ReadResponse(bufio.NewReader(conn), nil))
	a.body, _, _ = strings.Cut(a.body, "\n(cut") // the server may end the connection before it has read all bytes
	return a, nil
}

func read(resp *http.Response, err error) answer {
	if err != nil {
		return answer{body: "no answer"}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		body = fmt.Appendf(body, "\n(cut: %v)", err)
	}
	return answer{resp.StatusCode, resp.Header, string(body)}
}
