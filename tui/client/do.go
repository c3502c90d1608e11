package client

import (
	"context"
	"errors"
	"net/url"
	"time"

	"kubarium/flow"
)

// A Request is an action of the user: Traffic lists it as the user's own ("you").
type Request struct {
	Method, Path string
	Query        url.Values
	Media        string // of the body
	Body         []byte // nil for none
}

// doLimit is the time limit of an action; the server may call webhooks before it answers.
const doLimit = 40 * time.Second

// Do sends an action and returns the answer in JSON. An answer without success is a *Refusal.
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

// Code returns the status of a Refusal; 0 for other errors.
func Code(err error) int {
	var no *Refusal
	if errors.As(err, &no) {
		return no.Code
	}
	return 0
}
