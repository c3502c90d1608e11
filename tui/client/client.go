// Package client is the UI as a client of the server: over HTTP it reads what the log of flows does not have:
// resources, objects as Tables, and changes from before the UI began. Its methods do I/O and are called off the UI's
// loop.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"kubarium/flow"
)

// A Client sends the UI's requests. They are Kubarium's own, so Traffic hides them by default (`who:ui` shows them).
// Its methods do I/O: they are called off the loop.
type Client struct {
	URL       string
	Transport http.RoundTripper // nil is http.DefaultTransport
	At        int64             // the revision at which objects are read; 0 means the newest
	Context   context.Context   // ends reads; nil for none
}

// Limits of a request.
const (
	apiLimit   = 10 * time.Second
	mostOfBody = 32 << 20 // bytes read of an answer
)

// The media types that the UI asks for.
const (
	JSON          = "application/json"
	discoveryForm = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	TableForm     = "application/json;as=Table;v=v1;g=meta.k8s.io"
	NamesForm     = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
)

// A Refusal is an error that the server answered.
type Refusal struct {
	Code    int
	Reason  string
	Message string
}

// Error returns the code and the message.
func (r *Refusal) Error() string {
	if r.Message == "" {
		return fmt.Sprintf("%d %s", r.Code, http.StatusText(r.Code))
	}
	return fmt.Sprintf("%d %s", r.Code, r.Message)
}

// Get reads a path in one of these media types. An answer without success is a *Refusal.
func (a *Client) Get(path string, query url.Values, form string) ([]byte, error) {
	body, _, err := a.Answer(path, query, form)
	return body, err
}

// Answer is Get that also returns the headers.
func (a *Client) Answer(path string, query url.Values, form string) ([]byte, http.Header, error) {
	ctx, cancel := context.WithTimeout(a.context(), apiLimit)
	defer cancel()
	resp, err := a.send(ctx, Request{Method: http.MethodGet, Path: path, Query: query}, flow.UIAgent+"/objects", form)
	if err != nil {
		return nil, nil, err
	}
	body, err := read(resp)
	if err != nil {
		return nil, nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, nil, refused(resp.StatusCode, body)
	}
	return body, resp.Header, nil
}

func (a *Client) context() context.Context {
	if a.Context == nil {
		return context.Background()
	}
	return a.Context
}

// Send sends a body in JSON unless it is nil, and decodes the answer into v. Errors below /debug/ are one line of text.
func (a *Client) Send(method, path string, body, v any) error {
	ctx, cancel := context.WithTimeout(context.Background(), 3*apiLimit) // a fork starts a whole server
	defer cancel()
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, a.URL+path, sent)
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", flow.UIAgent)
	client := http.Client{Transport: a.Transport}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return &Refusal{Code: resp.StatusCode, Message: strings.TrimSpace(string(text))}
	}
	return json.Unmarshal(text, v)
}

// Read is Get that decodes the answer into v.
func (a *Client) Read(path string, query url.Values, form string, v any) error {
	body, err := a.Get(path, query, form)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}
