package answer

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/codecs"
	"kubarium/server/budget"
	"kubarium/server/cache"
	"kubarium/server/kinds"
	"kubarium/server/objects"
	"kubarium/server/storage"
)

// A Writer writes the answers of a server.
type Writer struct {
	Budget *budget.Budget // of long lists
	Logger *slog.Logger   // for internal errors
}

// Respond writes an answer in the form that was negotiated.
func (w *Writer) Respond(out *Response, c *Client, a *Answer) {
	if a.Stream == nil && c.timedOut() {
		w.Fail(out, c, c.Context().Err())
		return
	}
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	if a.Stream != nil {
		a.Stream(out)
		return
	}
	out.audit(c, a)
	if c.streamsList(a) {
		w.respondList(out, c, a)
		return
	}
	out.Flow.Enter("encode")
	body, contentType, err := c.encode(a)
	out.Flow.Leave(strconv.Itoa(len(body))+" B", err)
	if err != nil {
		w.Fail(out, c, err)
		return
	}
	h := out.Header()
	for k, v := range a.Header {
		h[k] = v
	}
	if h["Cache-Control"] == nil {
		h["Cache-Control"] = fresh
	}
	c.SetWarnings(h)
	if contentType != "" && a.Status != http.StatusNoContent {
		h["Content-Type"] = []string{contentType}
	}
	if a.Raw != nil {
		out.Flow.Enter("respond")
		out.WriteHeader(a.Status)
		_, err = out.Write(body)
		out.Flow.Leave("", err)
		return
	}
	c.send(out, a.Status, body)
}

// fresh is the Cache-Control of what may have changed a moment later. Nearly all answers share the slice; it must not
// be changed.
var fresh = []string{"no-cache, private"}

// audit notes the answer for the audit log.
func (w *Response) audit(c *Client, a *Answer) {
	if status, ok := a.Object.(*metav1.Status); ok {
		w.Audit.Status(status)
	} else if a.Raw == nil {
		w.Audit.Response(func() (runtime.Object, error) { return c.typed(a) })
	}
}

// encode makes the bytes of an answer.
func (c *Client) encode(a *Answer) ([]byte, string, error) {
	if a.Raw != nil {
		return a.Raw, a.ContentType, nil
	}
	if a.ContentType == "" {
		a.ContentType = c.Media.ContentType(false)
	}
	body, err := c.EncodeObject(a)
	if err == nil && c.Media.Codec.IsText() {
		body, err = c.Media.Codec.FromJSON(body, c.Media.Pretty)
	}
	return body, a.ContentType, err
}

// JSON is an answer, or that of an error, as it is in JSON whatever the client accepts.
func (w *Writer) JSON(c *Client, a *Answer, err error) ([]byte, error) {
	if err != nil {
		return json.Marshal(w.StatusOf(c, err))
	}
	if a.Raw != nil {
		return a.Raw, nil
	}
	return c.encodeJSON(a)
}

// EncodeObject makes the bytes of an answer's object: compact JSON for an encoding made of it, the encoding itself for
// one made of typed objects.
func (c *Client) EncodeObject(a *Answer) ([]byte, error) {
	if c.Media.Codec.IsText() {
		return c.encodeJSON(a)
	}
	return c.encodeTyped(a)
}

// encodeJSON makes the compact JSON of an answer, from the stored bytes where the object itself is asked for.
func (c *Client) encodeJSON(a *Answer) ([]byte, error) {
	switch {
	case a.Object != nil:
		return json.Marshal(a.Object)
	case c.Media.As != "":
		view, err := c.View(a)
		if err != nil {
			return nil, err
		}
		return json.Marshal(view)
	case a.Cached != nil:
		return AppendServed(make([]byte, 0, len(a.Cached.Value)+40), a.Kind, a.Cached, a.Record.Revision)
	case a.Record != nil:
		value, place, err := objects.ServedRecord(a.Kind, *a.Record)
		return stamp(value, place, a.Record.Revision), err
	}
	return encodeList(a.Kind, a.List)
}

// AppendServed appends the compact JSON of an object of the cache, with a resourceVersion, as its kind serves it.
func AppendServed(dst []byte, k *kinds.Kind, o *cache.Object, r storage.Revision) ([]byte, error) {
	value, place, err := objects.Served(k, o)
	if err != nil {
		return dst, err
	}
	var digits [20]byte
	return codecs.Stamp(dst, value, place, objects.AppendRevision(digits[:0], r)), nil
}

// stamp is a copy of an object's JSON with its resourceVersion in it.
func stamp(value []byte, p codecs.Place, r storage.Revision) []byte {
	var digits [20]byte
	return codecs.Stamp(make([]byte, 0, len(value)+40), value, p, objects.AppendRevision(digits[:0], r))
}
