package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"kubarium/server/flow"
)

// A Request is something that the reader does: Traffic lists it as the reader's own ("you").
type Request struct {
	Method, Path string
	Query        url.Values
	Media        string // of the body
	Body         []byte // nil for none
}

// doLimit is how long the server has for what the reader does: webhooks may be asked before it answers.
const doLimit = 40 * time.Second

// Do sends a request of the reader's and returns the answer in JSON. An answer that is no success is a *Refusal.
func (a *Client) Do(r Request) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), doLimit)
	defer cancel()
	address := a.URL + r.Path
	if len(r.Query) > 0 {
		address += "?" + r.Query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, address, bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", flow.ActionAgent)
	req.Header.Set("Accept", JSON)
	if r.Media != "" {
		req.Header.Set("Content-Type", r.Media)
	}
	client := http.Client{Transport: a.Transport}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostOfBody))
	if err != nil {
		return nil, err
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		no := &Refusal{}
		_ = json.Unmarshal(body, no) // a body that is no Status leaves the code alone to tell
		no.Code = resp.StatusCode
		return nil, no
	}
	return body, nil
}

// Code is the status that the server refused with; 0 for what is no refusal.
func Code(err error) int {
	var no *Refusal
	if errors.As(err, &no) {
		return no.Code
	}
	return 0
}
