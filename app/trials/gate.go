package trials

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"kubarium/flow/rule"
)

// A gatekeeper asks a server's gate over HTTP.
type gatekeeper struct{ server string }

// ask sends a request to the gate, and reads its state from the answer where it has one.
func (g gatekeeper) ask(ctx context.Context, method, path, body string) (s rule.State, err error) {
	req, err := http.NewRequestWithContext(ctx, method, g.server+path, strings.NewReader(body))
	if err != nil {
		return s, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return s, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return s, err
	}
	if resp.StatusCode >= 300 {
		return s, fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, bytes.TrimSpace(text))
	}
	if method == http.MethodGet {
		err = json.Unmarshal(text, &s)
	}
	return s, err
}

// add adds rules.
func (g gatekeeper) add(ctx context.Context, lines ...string) error {
	if len(lines) == 0 {
		return nil
	}
	_, err := g.ask(ctx, http.MethodPost, "/debug/gate", strings.Join(lines, "\n"))
	return err
}

// gateEvery is the time between two looks at a gate; a held request waits up to that long.
const gateEvery = 20 * time.Millisecond

// held waits until a rule of a name holds a request. It returns false when ctx ends first.
func (g gatekeeper) held(ctx context.Context, name string) (id uint64, ok bool) {
	for ctx.Err() == nil {
		s, err := g.ask(ctx, http.MethodGet, "/debug/gate", "")
		if err == nil {
			for _, h := range s.Held {
				if slices.ContainsFunc(s.Rules, func(r rule.Active) bool { return r.ID == h.Rule && r.Name == name }) {
					return h.ID, true
				}
			}
		}
		pause(ctx, gateEvery)
	}
	return 0, false
}

// decide says what becomes of a held request: "go", or "drop" for no answer. It is no error if the request has gone.
func (g gatekeeper) decide(ctx context.Context, id uint64, do string) {
	_, _ = g.ask(ctx, http.MethodPost, fmt.Sprintf("/debug/held?id=%d&do=%s", id, do), "")
}

// acted waits until a rule of a name has acted.
func (g gatekeeper) acted(ctx context.Context, name string) bool {
	for ctx.Err() == nil {
		s, err := g.ask(ctx, http.MethodGet, "/debug/gate", "")
		if err == nil && slices.ContainsFunc(s.Rules, func(r rule.Active) bool { return r.Name == name && r.Hits > 0 }) {
			return true
		}
		pause(ctx, gateEvery)
	}
	return false
}
