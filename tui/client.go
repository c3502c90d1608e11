package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"kubarium/server/flow"
)

// An api is the UI as a client of the server: what the log of flows does not tell, it asks for over HTTP like anybody.
// Its requests are Kubarium's own, and so they are hidden from Traffic where those are (`who:ui` shows them). Its
// methods do I/O: they are called off the loop.
type api struct {
	url       string
	transport http.RoundTripper // nil is http.DefaultTransport
}

const (
	apiLimit   = 10 * time.Second
	mostOfBody = 32 << 20 // bytes of an answer that are read at most
)

// The forms in which the UI asks for answers.
const (
	asPlainJSON = "application/json"
	asDiscovery = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	asTable     = "application/json;as=Table;v=v1;g=meta.k8s.io"
	asNames     = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
)

// A refusal is an answer that is an error.
type refusal struct {
	Code    int
	Reason  string
	Message string
}

func (r *refusal) Error() string {
	if r.Message == "" {
		return fmt.Sprintf("%d %s", r.Code, http.StatusText(r.Code))
	}
	return fmt.Sprintf("%d %s", r.Code, r.Message)
}

// get asks for a path in one of the forms above. An answer that is no success is a *refusal.
func (a *api) get(path string, query url.Values, form string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), apiLimit)
	defer cancel()
	address := a.url + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", flow.UIAgent+"/objects")
	req.Header.Set("Accept", form)
	client := http.Client{Transport: a.transport}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostOfBody))
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		r := &refusal{Code: resp.StatusCode}
		_ = json.Unmarshal(body, r) // a body that is no Status leaves the code alone to tell
		r.Code = resp.StatusCode
		return nil, r
	}
	return body, nil
}

// read is get for an answer that is decoded into v.
func (a *api) read(path string, query url.Values, form string, v any) error {
	body, err := a.get(path, query, form)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}
