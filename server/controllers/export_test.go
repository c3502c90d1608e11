package controllers

import (
	"context"
	"encoding/json"
	"log/slog"
)

// Follow is follow: it calls act with the type of each event and its object.
func (c Client) Follow(ctx context.Context, path string, act func(eventType string, object json.RawMessage)) {
	c.follow(ctx, slog.New(slog.DiscardHandler), path, func(_ context.Context, e event) { act(e.Type, e.Object) })
}
