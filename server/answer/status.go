package answer

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/codecs"
	"kubarium/server/registry"
	"kubarium/server/storage"
)

// StatusType is the kind of every Status.
var StatusType = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}

// Fail answers with an error. A StatusError is for the client; any other is internal, logged here and nowhere else.
func (w *Writer) Fail(out *Response, c *Client, err error) {
	if out.Code != 0 {
		return // the answer has begun
	}
	if c.timedOut() {
		c.failLate(out)
		return
	}
	status := w.StatusOf(c, err)
	out.Flow.Flow.Reason, out.Flow.Flow.Message = string(status.Reason), status.Message
	h := out.Header()
	h.Set("Cache-Control", "no-cache, private")
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		h.Set("Retry-After", strconv.Itoa(int(status.Details.RetryAfterSeconds)))
	}
	c.SetWarnings(h)
	m := codecs.ForError(c.Header.Get("Accept"), c.UserAgent(), c.Query, c.Offer(codecs.Offer{}))
	out.Audit.Status(&status)
	var b bytes.Buffer
	out.Flow.Enter("encode")
	encodeErr := m.Codec.Encode(&b, &status, m.Pretty)
	out.Flow.Leave(strconv.Itoa(b.Len())+" B", encodeErr)
	h.Set("Content-Type", m.ContentType(false))
	c.send(out, int(status.Code), b.Bytes())
}

// FailPlain answers with a plain text instead of a Status.
func (w *Writer) FailPlain(out *Response, c *Client, code int, reason metav1.StatusReason, text string) {
	out.Flow.Flow.Reason, out.Flow.Flow.Message = string(reason), text
	out.Reused = true // package fmt has a pool of buffers
	http.Error(out, text, code)
}

// timedOut reports whether a request has had all the time that it may take. Watches are given none.
func (c *Client) timedOut() bool { return errors.Is(c.Context().Err(), context.DeadlineExceeded) }

// failLate is the 504 of a request that took too long. kube-apiserver does not know yet what the client accepts: it
// answers a Status in JSON without a kind, as text/plain.
func (c *Client) failLate(out *Response) {
	status := apierrors.NewTimeoutError("request did not complete within the allotted timeout", 0).ErrStatus
	out.Flow.Flow.Reason, out.Flow.Flow.Message = string(status.Reason), status.Message
	out.Header().Set("Cache-Control", "no-cache, private")
	out.Header().Set("Content-Type", "text/plain; charset=utf-8")
	c.send(out, http.StatusGatewayTimeout, append(mustJSON(status), '\n'))
}

// StatusOf is the Status that a client gets for an error.
func (w *Writer) StatusOf(c *Client, err error) metav1.Status {
	var api apierrors.APIStatus
	if f := (*storage.Failure)(nil); errors.As(err, &f) && !errors.As(err, &api) { // the store has logged it
		err = registry.StoreError(f)
	}
	if !errors.As(err, &api) {
		if c.Context().Err() == nil { // else the client has gone, and nothing went wrong here
			w.Logger.Error("internal error", "method", c.Method, "path", c.URL.Path, "error", err)
		}
		return metav1.Status{TypeMeta: StatusType, Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: err.Error()}
	}
	status := api.Status()
	status.TypeMeta = StatusType
	if status.Status == "" {
		status.Status = metav1.StatusFailure
	}
	if status.Code < http.StatusBadRequest || status.Code > maxStatus {
		status.Code = http.StatusInternalServerError
	}
	return status
}

// maxStatus is the greatest status that HTTP can send. A webhook may say another.
const maxStatus = 999

// StatusError is an error of which a client gets just this.
func StatusError(code int32, reason metav1.StatusReason, message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message}}
}
