package bodies

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"strings"
)

// Encoding is the name of the encoding that a body is in: by its media type if that names one, else by its bytes. It is "json", "yaml",
// "protobuf", "cbor", "text" or "bytes". The body is without gzip, see Unpacked.
func Encoding(contentType string, b []byte) string {
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
	case LooksText(b):
		return "text"
	}
	return "bytes"
}

// Unpacked is a body without gzip, as far as it was kept: of one that was cut, what there is. packed tells whether it had any; what has none,
// or does not read, is returned as it is. At most 4 MiB are unpacked.
func Unpacked(b []byte) (plain []byte, packed bool) {
	if !bytes.HasPrefix(b, gzipStart) {
		return b, false
	}
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return b, false
	}
	plain, _ = io.ReadAll(io.LimitReader(r, MostUnpacked)) // of a body that was cut, what there is
	return plain, true
}

// MostUnpacked is how many bytes of a packed body are unpacked at most.
const MostUnpacked = 4 << 20

var gzipStart = []byte{0x1f, 0x8b, 8}
