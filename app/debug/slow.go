package debug

import (
	"net/http"
	"time"
)

const (
	// settle is how long a page waits for requests that began before it, so that they are in it: what a client has been
	// answered is published a moment later, and what hangs is not worth waiting for.
	settle = 250 * time.Millisecond
	// slowReader is how long one write of a page or a stream may take.
	slowReader = 30 * time.Second
)

// A patient writer gives a slow reader some time for each write.
type patient struct {
	http.ResponseWriter
	conn *http.ResponseController
}

// Write implements io.Writer.
func (p patient) Write(b []byte) (int, error) {
	_ = p.conn.SetWriteDeadline(time.Now().Add(slowReader))
	return p.ResponseWriter.Write(b)
}
