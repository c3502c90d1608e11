package client

import (
	"context"
	"net/http"

	"kubarium/scenarios"
)

// A Pending is a request that was sent, and whose answer may take long.
type Pending struct {
	Request  *http.Request
	Done     chan struct{} // closed when there is an answer, or none will come
	Response *Response     // once Done; nil if there is an Err
	Err      error
}

// Begin sends a request of an actor, and does not wait for the answer.
func (c *Client) Begin(ctx context.Context, actor string, r *scenarios.Request) (*Pending, error) {
	request, err := c.request(ctx, actor, r)
	if err != nil {
		return nil, err
	}
	q := &Pending{Request: request, Done: make(chan struct{})}
	send := c.clientOf(actor)
	go func() {
		defer close(q.Done)
		response, err := send.Do(request)
		if err != nil {
			q.Err = err
			return
		}
		q.Response, q.Err = read(response)
	}()
	return q, nil
}
