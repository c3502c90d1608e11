package client

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"kubarium/flow"
)

// Follow reads an endless stream of lines, and calls line with each. It returns when the answer or ctx ends; nil means
// the end of the answer. An answer without success is a *Refusal.
func (a *Client) Follow(ctx context.Context, path string, query url.Values, line func([]byte) error) error {
	resp, err := a.ask(ctx, http.MethodGet, path, query, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, mostOfBody)
	for lines.Scan() {
		if len(lines.Bytes()) == 0 {
			continue
		}
		if err := line(lines.Bytes()); err != nil {
			return err
		}
	}
	return lines.Err()
}

// Tell sends text, and returns the answer. An answer without success is a *Refusal.
func (a *Client) Tell(method, path string, query url.Values, text []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), apiLimit)
	defer cancel()
	resp, err := a.ask(ctx, method, path, query, text)
	if err != nil {
		return nil, err
	}
	return read(resp)
}

// ask sends a request and returns a successful answer; its body must be closed.
func (a *Client) ask(ctx context.Context, method, path string, query url.Values, text []byte) (*http.Response, error) {
	resp, err := a.send(ctx, Request{Method: method, Path: path, Query: query, Body: text}, flow.UIAgent, "")
	if err != nil {
		return nil, err
	}
	if !succeeded(resp) {
		defer resp.Body.Close()
		return nil, refusal(resp)
	}
	return resp, nil
}

// refusal returns the error in an answer: a Status, or a line of text.
func refusal(resp *http.Response) *Refusal {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20)) // a part of it will do
	r := &Refusal{}
	if json.Unmarshal(text, r) != nil {
		r.Message = strings.TrimSpace(string(text))
	}
	r.Code = resp.StatusCode
	return r
}
