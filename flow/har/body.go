package har

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"kubarium/flow"
	"kubarium/flow/bodies"
)

func postOf(f *flow.Flow) *postData {
	if f.RequestBody.Total == 0 && len(f.RequestBody.Kept) == 0 {
		return nil
	}
	s := shown(f.RequestBody, f.RequestHeader.Get("Content-Type"))
	return &postData{MimeType: s.mimeType, Text: s.text, Encoding: s.encoding, Comment: s.comment()}
}

func responseOf(f *flow.Flow) response {
	r := response{
		Status: f.Status, StatusText: http.StatusText(f.Status), Version: f.Proto,
		Cookies: []cookie{}, Headers: pairsOf(f.ResponseHeader),
		RedirectURL: f.ResponseHeader.Get("Location"), HeadersSize: -1, BodySize: f.ResponseBody.Total,
	}
	for _, c := range (&http.Response{Header: f.ResponseHeader}).Cookies() {
		r.Cookies = append(r.Cookies, cookieOf(c))
	}
	if f.Watch != nil {
		r.Content, r.BodySize = streamed(f)
		return r
	}
	s := shown(f.ResponseBody, f.ResponseHeader.Get("Content-Type"))
	r.Content = content{Size: s.size, MimeType: s.mimeType, Text: s.text, Encoding: s.encoding, Comment: s.comment()}
	if s.packed && !s.part {
		r.Content.Compression = s.size - r.BodySize
	}
	return r
}

func cookieOf(c *http.Cookie) cookie {
	out := cookie{Name: c.Name, Value: c.Value, Path: c.Path, Domain: c.Domain, HTTPOnly: c.HttpOnly, Secure: c.Secure}
	if !c.Expires.IsZero() {
		out.Expires = c.Expires.Format(time.RFC3339)
	}
	return out
}

// streamed is the content of a watch, whose frames are not kept. The size on the wire is not known if it is compressed.
func streamed(f *flow.Flow) (c content, wire int64) {
	size := int64(f.Watch.State().Bytes)
	c = content{Size: size, MimeType: f.ResponseHeader.Get("Content-Type")}
	c.Comment = "the bytes of a watch's events are not kept"
	if f.ResponseHeader.Get("Content-Encoding") != "" {
		return c, -1
	}
	return c, size
}

// A showing is a body as text for the tools that open the archive.
type showing struct {
	text     string
	encoding string // "base64", or "" for text as it is
	mimeType string // of text
	size     int64  // bytes without compression, as far as it is known
	packed   bool   // gzip was taken off
	part     bool   // it is not all of the body
	said     []string
}

func (s *showing) comment() string { return strings.Join(s.said, "; ") }

// shown returns a body without gzip: text as it is, Protobuf and CBOR as JSON, other bytes in base64.
func shown(b flow.Body, contentType string) showing {
	s := showing{mimeType: contentType, size: b.Total, part: b.Cut}
	plain, packed := bodies.Unpacked(b.Kept)
	if s.packed = packed; packed {
		s.size = int64(len(plain))
		s.part = s.part || len(plain) >= bodies.MostUnpacked
	}
	if s.part {
		s.said = append(s.said, fmt.Sprintf("cut: these are the first %d of %d bytes", len(b.Kept), b.Total))
		if begun := wholeRunes(plain); bodies.IsText(begun) {
			plain = begun
		}
	}
	switch {
	case bodies.IsText(plain):
		s.text = string(plain)
	case s.decode(plain):
	default:
		s.text, s.encoding = base64.StdEncoding.EncodeToString(plain), "base64"
		s.said = append(s.said, "in base64")
	}
	return s
}

// decode shows an object in Protobuf or CBOR as JSON.
func (s *showing) decode(plain []byte) bool {
	if s.part {
		return false
	}
	text := bodies.JSON(flow.Body{Kept: plain})
	if text == nil {
		return false
	}
	s.said = append(s.said, fmt.Sprintf("decoded from %d bytes of %s", len(plain), s.mimeType))
	s.text, s.mimeType = string(text), "application/json"
	return true
}

// wholeRunes returns b without an incomplete character at its end.
func wholeRunes(b []byte) []byte {
	for cut := 1; cut < utf8.UTFMax && cut <= len(b); cut++ {
		if at := len(b) - cut; utf8.RuneStart(b[at]) && !utf8.FullRune(b[at:]) {
			return b[:at]
		}
	}
	return b
}
