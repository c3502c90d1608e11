package answer

import (
	"bufio"
	"net"
	"net/http"
	"slices"

	"kubarium/flow"
	"kubarium/server/audit"
)

// A Response is where an answer goes: it writes to the client, and records the answer in the flow, with its
// beginning, and in the audit log.
type Response struct {
	http.ResponseWriter
	Conn  http.ResponseController // for the deadlines of its connection
	Code  int                     // 0 until the header was written
	Size  int64                   // bytes of the body so far
	Flow  *flow.Recorder          // nil records nothing
	Audit *audit.Event            // nil where the policy logs nothing
	// Reused says that the caller writes from a buffer that it will use again.
	Reused bool
	// Streams says that nothing is kept: the frames of a watch are in its own record.
	Streams bool
	// Long says that the answer is much longer than what the flow keeps of one.
	Long bool

	kept []byte
}

// NewResponse is one of which nothing is written yet.
func NewResponse(w http.ResponseWriter, rec *flow.Recorder) *Response {
	out := Begun(w, rec)
	return &out
}

// Begun is NewResponse for a part of something larger.
func Begun(w http.ResponseWriter, rec *flow.Recorder) Response {
	return Response{ResponseWriter: w, Conn: *http.NewResponseController(w), Flow: rec}
}

// WriteHeader notes the code, once net/http has taken it: it panics at some. An informational one (RFC 9110, section
// 15.2) does not begin the answer.
func (w *Response) WriteHeader(code int) {
	w.ResponseWriter.WriteHeader(code)
	if w.Code == 0 && (code >= http.StatusOK || code == http.StatusSwitchingProtocols) {
		w.Code = code
		w.Flow.Flow.Status = code
		w.Audit.Begins(code)
	}
}

// Write writes and keeps.
func (w *Response) Write(b []byte) (int, error) {
	if w.Code == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if w.Streams {
		w.Size += int64(len(b))
		return w.ResponseWriter.Write(b)
	}
	if w.Size == 0 && len(b) <= flow.MaxBody && !w.Reused {
		w.kept = b // an answer in one piece, which is not changed any more
	} else if room := w.most() - len(w.kept); room > 0 {
		w.keep(b[:min(room, len(b))])
	}
	w.Size += int64(len(b))
	return w.ResponseWriter.Write(b)
}

// most is how many bytes of the answer the flow keeps.
func (w *Response) most() int {
	if w.Long {
		return flow.MaxLong
	}
	return flow.MaxBody
}

// keep copies a part of the answer for the flow; what was kept before belongs to a caller as long as it is all.
func (w *Response) keep(part []byte) {
	if int64(len(w.kept)) == w.Size && !w.Reused {
		w.kept = slices.Clip(w.kept)
	}
	w.kept = append(w.kept, part...)
}

// Unwrap lets http.ResponseController reach what is below.
func (w *Response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Body is what the flow keeps of the answer.
func (w *Response) Body() flow.Body {
	return flow.Body{Kept: w.kept, Total: w.Size, Cut: int64(len(w.kept)) < w.Size}
}

// Hijack takes the connection over from HTTP, as a WebSocket needs.
func (w *Response) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.Audit.Begins(http.StatusSwitchingProtocols)
	return http.NewResponseController(w.ResponseWriter).Hijack()
}
