// Package client sends the requests of a lesson's actors to an API server, and reads the answers. Any API server will do.
package client

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"kubarium/scenarios"
	"kubarium/scenarios/expr"
)

// Manager is the actor that makes what a lesson needs, and removes it. Its requests belong to no step.
const Manager = "crew"

// A Client sends the requests of a lesson's actors. It is not safe for several goroutines.
type Client struct {
	Server   string // "http://127.0.0.1:8080"
	Lesson   *scenarios.Lesson
	HTTP     *http.Client
	Bare     *http.Client  // without credentials, for actors that bring a token; nil means HTTP
	Patience time.Duration // how long an answer may take

	Values map[string]string // of placeholders, for what actors say of themselves
	Mark   string            // of the step under way, for the header MarkHeader
}

// A Response is an HTTP response with its body read.
type Response struct {
	Status int
	Body   []byte
	Header http.Header
	Object map[string]any // the body, unpacked, if it is a JSON object
}

// Brief is the answer in a line: the status, and the message if it is a Status.
func (a *Response) Brief() string {
	s := fmt.Sprintf("%d %s", a.Status, http.StatusText(a.Status))
	if m := expr.TextAt(a.Object, "message"); m != "" {
		s += " (" + m + ")"
	}
	return s
}

// Send sends a request of an actor and reads the answer.
func (c *Client) Send(ctx context.Context, actor string, r *scenarios.Request) (*Response, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Patience)
	defer cancel()
	response, err := c.do(ctx, actor, r)
	if err != nil {
		return nil, err
	}
	return read(response)
}

// maxAnswer bounds the answers that a lesson reads, in bytes.
const maxAnswer = 16 << 20

// read reads an answer and closes it.
func read(response *http.Response) (*Response, error) {
	defer response.Body.Close()
	b, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	return ResponseOf(response.StatusCode, response.Header, b)
}

// ResponseOf unpacks the body of an answer.
func ResponseOf(status int, h http.Header, b []byte) (*Response, error) {
	a := &Response{Status: status, Body: b, Header: h}
	var body io.Reader = bytes.NewReader(b)
	if h.Get("Content-Encoding") == "gzip" { // the step asked for it, so the client has left it packed
		var err error
		if body, err = gzip.NewReader(body); err != nil {
			return a, fmt.Errorf("unpack the answer: %w", err)
		}
	}
	a.Object = expr.Object(io.LimitReader(body, maxAnswer))
	return a, nil
}

func (c *Client) do(ctx context.Context, actor string, r *scenarios.Request) (*http.Response, error) {
	request, err := c.request(ctx, actor, r)
	if err != nil {
		return nil, err
	}
	return c.clientOf(actor).Do(request)
}

// clientOf is what sends the requests of an actor.
func (c *Client) clientOf(actor string) *http.Client {
	if c.Bare != nil && c.Lesson.Actors.Of(actor).Token != "" {
		return c.Bare
	}
	return c.HTTP
}

func (c *Client) request(ctx context.Context, actor string, r *scenarios.Request) (*http.Request, error) {
	var body io.Reader
	if text := r.Sent(); text != "" {
		body = strings.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, strings.TrimSuffix(c.Server, "/")+r.Path, body)
	if err != nil {
		return nil, err
	}
	h := request.Header
	h.Set("User-Agent", scenarios.AgentPrefix+actor)
	h.Set(scenarios.LessonHeader, c.Lesson.Name)
	if c.Mark != "" && actor != Manager {
		h.Set(scenarios.MarkHeader, c.Mark)
	}
	c.identify(h, c.Lesson.Actors.Of(actor))
	h.Set("Accept", "application/json")
	if body != nil {
		h.Set("Content-Type", "application/json")
	}
	if t := r.PatchType(); t != "" {
		h.Set("Content-Type", t)
	}
	for name, v := range r.Headers {
		h.Set(name, v)
	}
	return request, nil
}

// identify puts into a request who sends it.
func (c *Client) identify(h http.Header, a scenarios.Actor) {
	if a.User != "" {
		h.Set("Impersonate-User", expr.Fill(a.User, c.Values))
	}
	for _, g := range a.Groups {
		h.Add("Impersonate-Group", expr.Fill(g, c.Values))
	}
	if a.Token != "" {
		h.Set("Authorization", "Bearer "+expr.Fill(a.Token, c.Values))
	}
}
