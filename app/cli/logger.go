package cli

import (
	"io"
	"log/slog"
)

// NewLogger writes where HTTPS is served and what went wrong inside, a line each.
func NewLogger(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelInfo}))
}
