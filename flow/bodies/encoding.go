package bodies

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"strings"
)

// Encoding names the encoding of a body: from its media type if that names one, else from its bytes. It is "json",
// "yaml", "protobuf", "cbor", "text" or "bytes". The body must be without gzip, see Unpacked.
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

// Unpacked removes gzip from a body; of a body that was cut, it returns what can be unpacked. packed reports whether
// the body was compressed: if not, or if it does not decompress, b is returned as it is. At most 4 MiB are unpacked.
func Unpacked(b []byte) (plain []byte, packed bool) {
	if !bytes.HasPrefix(b, gzipStart) {
		return b, false
	}
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return b, false
	}
	plain, _ = io.ReadAll(io.LimitReader(r, MostUnpacked)) // an error is usual: the body may be cut
	return plain, true
}

// MostUnpacked limits how many bytes Unpacked returns.
const MostUnpacked = 4 << 20

var gzipStart = []byte{0x1f, 0x8b, 8}
