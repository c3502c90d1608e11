package answer

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"time"

	"kubarium/server/compress"
)

// A Page is a text that is served as files are: with conditions (RFC 9110, section 13) and ranges (section 14).
type Page struct {
	Status int // 0 means that there is a text; any other is sent alone
	Header http.Header
	Text   []byte
	// Modified is when the text was made; zero for a page that does not say so.
	Modified time.Time
	Gzip     bool // whether it may come compressed
}

// Page answers with a text, or with as much of it as the client asks for.
func (c *Client) Page(p Page) *Answer {
	return &Answer{Stream: func(w *Response) {
		h := w.Header()
		h.Set("Cache-Control", "no-cache, private")
		for k, v := range p.Header {
			h[k] = v
		}
		w.Flow.Enter("respond")
		err := c.sendPage(w, p)
		w.Flow.Leave("", err)
	}}
}

func (c *Client) sendPage(w *Response, p Page) error {
	if p.Status != 0 {
		w.WriteHeader(p.Status)
		return nil
	}
	w.Reused = true // the text is copied through a buffer
	if !p.Gzip || !c.acceptsGzip() || c.Header.Get("Range") != "" {
		http.ServeContent(w, c.Request, "", p.Modified, bytes.NewReader(p.Text))
		return nil
	}
	w.Header().Set("Content-Encoding", "gzip")
	z := &zippedPage{Response: w}
	http.ServeContent(z, c.Request, "", p.Modified, bytes.NewReader(p.Text))
	return z.close()
}

// acceptsGzip reports whether the client takes gzip, by any quality except 0.
func (c *Client) acceptsGzip() bool {
	for encoding := range strings.SplitSeq(c.Header.Get("Accept-Encoding"), ",") {
		name, quality, _ := strings.Cut(encoding, ";")
		if !strings.EqualFold(strings.TrimSpace(name), "gzip") {
			continue
		}
		weight, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(quality), "q="), 64)
		return err != nil || weight > 0
	}
	return false
}

// A zippedPage compresses a body, if there is one.
type zippedPage struct {
	*Response
	zip *compress.Writer
}

func (z *zippedPage) Write(b []byte) (int, error) {
	if z.zip == nil {
		z.zip = compress.New(z.Response)
	}
	return z.zip.Write(b)
}

func (z *zippedPage) close() error {
	if z.zip == nil {
		return nil
	}
	return z.zip.Close()
}
