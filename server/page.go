package server

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A page is a text that is served as files are: with conditions (RFC 9110, section 13) and ranges (section 14).
type page struct {
	status int // 0 means that there is a text; any other is sent alone
	header http.Header
	text   []byte
	gzip   bool // whether it may come compressed
}

// page answers with a text, or with as much of it as the client asks for.
func (q *Request) page(p page) *answer {
	return &answer{stream: func(w *response) {
		h := w.Header()
		h.Set("Cache-Control", "no-cache, private")
		for k, v := range p.header {
			h[k] = v
		}
		q.Flow.Enter("respond")
		err := q.sendPage(w, p)
		q.Flow.Leave("", err)
	}}
}

func (q *Request) sendPage(w *response, p page) error {
	if p.status != 0 {
		w.WriteHeader(p.status)
		return nil
	}
	w.reused = true // the text is copied through a buffer
	if !p.gzip || !q.acceptsGzip() || q.Header.Get("Range") != "" {
		http.ServeContent(w, q.Request, "", time.Time{}, bytes.NewReader(p.text))
		return nil
	}
	w.Header().Set("Content-Encoding", "gzip")
	z := &zippedPage{response: w}
	http.ServeContent(z, q.Request, "", time.Time{}, bytes.NewReader(p.text))
	return z.close()
}

// acceptsGzip tells whether the client takes gzip, by any quality but 0.
func (q *Request) acceptsGzip() bool {
	for encoding := range strings.SplitSeq(q.Header.Get("Accept-Encoding"), ",") {
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
	*response
	zip *zip
}

func (z *zippedPage) Write(b []byte) (int, error) {
	if z.zip == nil {
		z.zip = newZip(z.response)
	}
	return z.zip.Write(b)
}

func (z *zippedPage) close() error {
	if z.zip == nil {
		return nil
	}
	return z.zip.Close()
}
