package answer

import (
	"errors"
	"fmt"
	"net/http"

	"kubarium/flow"
	"kubarium/server/registry"
)

// streamsList reports whether an answer is a list in a form of text, or a long one in another, which is written item by
// item, never held whole.
func (c *Client) streamsList(a *Answer) bool {
	return c.streamsTyped(a) || a.List != nil && len(a.List.Objects) > 0 && c.Media.Codec.IsText() && c.Media.As != "PartialObjectMetadata"
}

// respondList writes a list piece by piece.
func (w *Writer) respondList(out *Response, c *Client, a *Answer) {
	out.Flow.Enter("encode")
	form, err := c.listForm(a)
	form.outOfTurn = a.Kind.Remote
	if err != nil {
		out.Flow.Leave("", err)
		w.Fail(out, c, err)
		return
	}
	h := out.Header()
	h.Set("Cache-Control", "no-cache, private")
	h.Set("Content-Type", c.Media.ContentType(false))
	c.SetWarnings(h)
	out.Reused = true
	b := c.body(out, a.Status)
	out.Long = !b.gzip && c.Media.As == "" && atLeast(a.List, longToKeep)
	err = form.write(c.Context(), w.Budget, b, a.List.Objects)
	out.Flow.Leave(fmt.Sprintf("%d items, %s", len(a.List.Objects), b), err)
	switch {
	case err == nil:
	case out.Code == 0:
		h.Del("Warning")
		if broken := (itemError{}); errors.As(err, &broken) {
			err = broken.error
		}
		w.Fail(out, c, err)
	default:
		panic(http.ErrAbortHandler) // half an answer is out: the client must not take it for a whole one
	}
}

// streamsTyped reports whether an answer is a list in CBOR or Protobuf that is so long that it should not be held
// whole.
func (c *Client) streamsTyped(a *Answer) bool {
	return a.List != nil && !c.Media.Codec.IsText() && (c.Media.As == "" || c.Media.As == "PartialObjectMetadataList") && atLeast(a.List, longList)
}

// longToKeep is from how many bytes of stored values on a list is longer than what a flow keeps, in YAML too. In CBOR and
// Protobuf only lists of longList are written item by item.
const longToKeep = 2*flow.MaxBody + 1

// atLeast reports whether the stored values of a list have that many bytes together. It looks at no more than it needs.
func atLeast(l *registry.List, bytes int) bool {
	size := 0
	for _, o := range l.Objects {
		if size += len(o.Value); size >= bytes {
			return true
		}
	}
	return false
}
