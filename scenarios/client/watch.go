package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"kubarium/scenarios"
)

// A Stream is an open watch.
type Stream struct {
	frames   chan Frame // closed at the end of the stream
	patience time.Duration
	cancel   context.CancelFunc
	done     chan struct{} // closed when the connection is given up
}

// Close ends the stream as a client does that goes away.
func (s *Stream) Close() {
	s.cancel()
	<-s.done
}

// A Frame is an event of a watch, or what the server sends instead of one.
type Frame struct {
	Type   string         `json:"type"`
	Object map[string]any `json:"object"`
}

// Watch opens a watch, which ends with ctx. The Stream is nil if the status is not 200.
func (c *Client) Watch(ctx context.Context, actor string, w *scenarios.Watch) (*Stream, *Response, error) {
	return c.Open(ctx, actor, &scenarios.Request{Method: http.MethodGet, Path: w.Path, Headers: w.Headers})
}

// Open sends a request that is answered with frames, as a watch is, until ctx ends. The Stream is nil if the status is not 200.
func (c *Client) Open(ctx context.Context, actor string, r *scenarios.Request) (*Stream, *Response, error) {
	ctx, cancel := context.WithCancel(ctx)
	headers := time.AfterFunc(c.Patience, cancel) // the server has that long to begin its answer
	response, err := c.do(ctx, actor, r)
	if !headers.Stop() {
		err = errors.Join(err, fmt.Errorf("no answer within %s", c.Patience))
	}
	if err != nil {
		cancel()
		return nil, nil, err
	}
	if response.StatusCode != http.StatusOK {
		defer cancel()
		a, err := read(response)
		return nil, a, err
	}
	s := &Stream{make(chan Frame, 64), c.Patience, cancel, make(chan struct{})}
	go func() {
		defer close(s.done)
		defer cancel()
		defer response.Body.Close()
		defer close(s.frames)
		s.read(ctx, json.NewDecoder(response.Body))
	}()
	return s, &Response{Status: response.StatusCode}, nil
}

// read passes frames on until the stream or ctx ends.
func (s *Stream) read(ctx context.Context, d *json.Decoder) {
	d.UseNumber()
	for {
		var f Frame
		if d.Decode(&f) != nil {
			return
		}
		select {
		case s.frames <- f:
		case <-ctx.Done():
			return
		}
	}
}

// ErrStreamEnd says that a stream has no more frames.
var ErrStreamEnd = errors.New("the end of the stream")

// Next waits for the next frame. Bookmarks are passed over unless one is wanted.
func (s *Stream) Next(ctx context.Context, want string) (Frame, error) {
	t := time.NewTimer(s.patience)
	defer t.Stop()
	for {
		select {
		case f, open := <-s.frames:
			if !open {
				return Frame{}, ErrStreamEnd
			}
			if f.Type != "BOOKMARK" || want == "BOOKMARK" {
				return f, nil
			}
		case <-t.C:
			return Frame{}, fmt.Errorf("nothing within %s", s.patience)
		case <-ctx.Done():
			return Frame{}, ctx.Err()
		}
	}
}
