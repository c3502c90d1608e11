package object

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"strings"
)

func WireName(contentType string, b []byte) string {
	media, _, _ := strings.Cut(contentType, ";")
	switch {
	case strings.Contains(media, "json"):
		return "json"
	case strings.Contains(media, "yaml"):
		return "yaml"
	case strings.Contains(media, "protobuf"):
		return "protobuf"
	case strings.Contains(media, "cbor"):
		return "cbor"
	case json.Valid(b):
		return "json"
	case IsText(b):
		return "text"
	}
	return "bytes"
}

// Unpacked is a body without gzip, as far as it was kept.
func Unpacked(b []byte) (plain []byte, packed bool) {
	if !bytes.HasPrefix(b, gzipStart) {
		return b, false
	}
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return b, false
	}
	plain, _ = io.ReadAll(io.LimitReader(r, mostUnpacked)) // of a body that was cut, what there is
	return plain, true
}

// mostUnpacked is how many bytes of a packed body are unpacked.
const mostUnpacked = 4 << 20

var gzipStart = []byte{0x1f, 0x8b, 8}
