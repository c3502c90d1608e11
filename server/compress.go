package server

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
)

// compressFrom is the least size of an answer that is compressed, in bytes: kube-apiserver's threshold.
const compressFrom = 128 << 10

// compressLevel is the fast one: answers are made once and read over a loopback interface.
const compressLevel = gzip.BestSpeed

// compress makes large answers smaller for clients that take gzip (API Concepts, "Response compression").
func (q *Request) compress(a *answer, h http.Header, body []byte) ([]byte, error) {
	if a.raw != nil || len(body) < compressFrom || !acceptsGzip(q.Header.Get("Accept-Encoding")) {
		return body, nil
	}
	q.Flow.Enter("compress")
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, compressLevel)
	if err == nil {
		_, err = z.Write(body)
	}
	if err == nil {
		err = z.Close()
	}
	q.Flow.Leavef(err, "%d B → %d B", len(body), b.Len())
	h.Set("Content-Encoding", "gzip")
	h.Add("Vary", "Accept-Encoding")
	return b.Bytes(), err
}

// acceptsGzip reads Accept-Encoding; a quality of 0 means no.
func acceptsGzip(header string) bool {
	for encoding := range strings.SplitSeq(header, ",") {
		name, quality, _ := strings.Cut(encoding, ";")
		if strings.TrimSpace(name) == "gzip" {
			q, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(quality), "q="), 64)
			return err != nil || q > 0
		}
	}
	return false
}
