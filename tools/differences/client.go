package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// clientName is what managedFields call this client; they take it from the User-Agent.
const (
	clientName = "differences"
	userAgent  = clientName + "/1"
)

// A request is what both servers are asked; names and versions in it are those of the one that is asked.
type request struct {
	method string
	path   string
	accept string
	body   any // nil for none
}

// noAnswer is the code where a server ended the connection instead, as it does when it panics.
const noAnswer = 0

// An answer is what one server said.
type answer struct {
	code   int
	header http.Header
	value  any // the JSON of the body
	normal any // without what must differ between servers
}

// object returns the answer's body if it is a JSON object.
func (a *answer) object() map[string]any {
	o, _ := a.value.(map[string]any)
	return o
}

// A client asks one server.
type client struct {
	base string
	http *http.Client
}

func newClient(base string, parallel int) *client {
	return &client{base: base, http: &http.Client{
		Timeout:   30 * time.Second,
		Transport: &http.Transport{MaxIdleConnsPerHost: parallel},
	}}
}

// do returns the answer, or an error if there was none or its body is not JSON.
func (c *client) do(ctx context.Context, q request) (*answer, error) {
	var body io.Reader
	if q.body != nil {
		data, err := json.Marshal(q.body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, q.method, c.base+q.path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept", q.accept)
	if q.accept == "" {
		req.Header.Set("Accept", "application/json")
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
		if q.method == http.MethodPatch {
			req.Header.Set("Content-Type", "application/merge-patch+json")
		}
	}
	resp, err := c.http.Do(req)
	if errors.Is(err, io.EOF) {
		return &answer{code: noAnswer}, nil
	}
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	a := &answer{code: resp.StatusCode, header: resp.Header}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&a.value); err != nil && len(data) > 0 {
		return nil, fmt.Errorf("%s %s: answer %d: %w", q.method, q.path, a.code, err)
	}
	return a, nil
}

// get decodes the answer to a GET, which must be 200.
func (c *client) get(ctx context.Context, path string, into any) error {
	a, err := c.do(ctx, request{method: http.MethodGet, path: path})
	if err != nil {
		return err
	}
	if a.code != http.StatusOK {
		return fmt.Errorf("GET %s%s: %d", c.base, path, a.code)
	}
	data, err := json.Marshal(a.value)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// create returns the object that a POST to the path makes.
func (c *client) create(ctx context.Context, path string, object any) (map[string]any, error) {
	a, err := c.do(ctx, request{method: http.MethodPost, path: path, body: object})
	if err != nil {
		return nil, err
	}
	if a.code != http.StatusCreated {
		return nil, fmt.Errorf("POST %s%s: %d", c.base, path, a.code)
	}
	return a.object(), nil
}
