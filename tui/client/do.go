package client

import (
	"context"
	"errors"
	"net/url"
	"time"

	"kubarium/flow"
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
	resp, err := a.send(ctx, r, flow.ActionAgent, JSON)
	if err != nil {
		return nil, err
	}
	body, err := read(resp)
	if err != nil {
		return nil, err
	}
	if !succeeded(resp) {
		return nil, refused(resp.StatusCode, body)
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
