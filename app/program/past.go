package program

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net"
	"net/http"
	"time"

	"kubarium/server/storage"
	"kubarium/sqlitestore"
)

// StartPast starts a Program of the past: its store has the history that told gives, it answers requests that read,
// as the recorded server would, and only this process reaches it. Nothing in it acts by itself.
func StartPast(ctx context.Context, told *sqlitestore.Told, logger *slog.Logger) (*Program, error) {
	return start(ctx, Config{past: true, Begin: told, DB: ":memory:", Sync: "off", History: math.MaxInt64}, logger)
}

// Tell adds later changes to a Program that StartPast has started.
func (p *Program) Tell(ctx context.Context, more []storage.Change) error {
	return p.file.Tell(ctx, more)
}

// errPast is why a Program of the past reaches no other server.
var errPast = errors.New("a recording calls no server")

// refuse opens no connection: the file names addresses that its maker has chosen.
func refuse(context.Context, string, string) (net.Conn, error) { return nil, errPast }

// Transport leads to a Program that only the process reaches.
func (p *Program) Transport() http.RoundTripper {
	l, ok := p.listeners.plain.(*inProcess)
	if !ok {
		return http.DefaultTransport
	}
	return &http.Transport{DialContext: l.dial, MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute, DisableCompression: true}
}

// handler is what the ports lead to.
func (p *Program) handler() http.Handler {
	if p.config.past {
		return reading(p.api)
	}
	return p.api
}

// reading lets through what does not write.
func reading(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.Error(w, "this is a recording: it cannot be changed", http.StatusMethodNotAllowed)
			return
		}
		h.ServeHTTP(w, r)
	})
}
