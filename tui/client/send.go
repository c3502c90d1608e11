package client

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
)

// send sends a request as one of the UI's agents and returns the answer, also an error; its body must be closed. accept
// is the media type to ask for, "" for any.
func (a *Client) send(ctx context.Context, r Request, agent, accept string) (*http.Response, error) {
	address := a.URL + r.Path
	if len(r.Query) > 0 {
		address += "?" + r.Query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, address, bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", agent)
	if accept != "" {
		req.Header.Set("Accept", accept)
	}
	if r.Media != "" {
		req.Header.Set("Content-Type", r.Media)
	}
	client := http.Client{Transport: a.Transport}
	return client.Do(req)
}

// read reads the body of an answer up to the limit, and closes it.
func read(resp *http.Response) ([]byte, error) {
	defer resp.Body.Close()
	return io.ReadAll(io.LimitReader(resp.Body, mostOfBody))
}

func succeeded(resp *http.Response) bool { return resp.StatusCode >= 200 && resp.StatusCode <= 299 }

// refused returns the error in a Status.
func refused(code int, body []byte) *Refusal {
	no := &Refusal{}
	_ = json.Unmarshal(body, no) // without a Status there is only the code
	no.Code = code
	return no
}
