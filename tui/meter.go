package tui

import (
	"io"
	"sync"
	"time"
)

// The slot is the time between two data frames.
const (
	blurredSlot = 500 * time.Millisecond
	slowestSlot = time.Second
	slowWrite   = 2 * time.Millisecond // from here on the terminal sets the pace
)

// meterView is what the diagnostics show of the way to the terminal.
type meterView struct {
	frames      uint64
	fold, draw  time.Duration // of the last frame
	slowest     time.Duration
	slot, write time.Duration
	bytes       int64
}

// A meter times the writes to the terminal, so that a slow link costs frames and not the response to keys.
type meter struct {
	live time.Duration // the slot while nothing slows the pace

	mu    sync.Mutex // guards what follows
	took  time.Duration
	bytes int64
}

func (m *meter) wrote(n int, d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.took += (d - m.took) / 8
	m.bytes += int64(n)
}

// slot is how long to wait between data frames.
func (m *meter) slot(blurred bool) (slot, write time.Duration, bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	slot = m.live
	if blurred {
		slot = max(slot, blurredSlot)
	}
	if m.took > slowWrite {
		slot = min(slowestSlot, max(250*time.Millisecond, 20*m.took))
	}
	return slot, m.took, m.bytes
}

// A meteredWriter is a terminal with a meter.
type meteredWriter struct {
	to    io.Writer
	meter *meter
}

func (w *meteredWriter) Write(b []byte) (int, error) {
	began := time.Now()
	n, err := w.to.Write(b)
	w.meter.wrote(n, time.Since(began))
	return n, err
}
