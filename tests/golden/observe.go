package golden

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"
)

// counted are the headers that are compared.
var counted = []string{"Content-Type", "Content-Encoding", "Warning", "Retry-After", "Location", "Allow", "Vary",
	"Cache-Control", "Etag", "X-Content-Type-Options"}

// observe describes an answer without its body in the form of the recordings.
func observe(resp *http.Response) map[string]any {
	headers := map[string]any{}
	for _, name := range counted {
		values := resp.Header.Values(name)
		if len(values) == 1 && name != "Warning" {
			headers[name] = values[0]
		} else if len(values) > 0 {
			list := make([]any, len(values))
			for i, v := range values {
				list[i] = v
			}
			headers[name] = list
		}
	}
	answer := map[string]any{"status": json.Number(resp.Status[:3])}
	if len(headers) > 0 {
		answer["headers"] = headers
	}
	return answer
}

// bodyOf returns a reader of an answer's uncompressed body.
func bodyOf(resp *http.Response) (io.Reader, error) {
	if resp.Header.Get("Content-Encoding") != "gzip" {
		return resp.Body, nil
	}
	return gzip.NewReader(resp.Body)
}

// addBody describes a body in the form of the recordings.
func addBody(answer map[string]any, contentType string, body []byte) {
	media, _, _ := mime.ParseMediaType(contentType)
	switch {
	case len(body) == 0:
		answer["empty"] = true
	case strings.HasSuffix(media, "json") && addJSON(answer, body):
	case strings.HasSuffix(media, "protobuf") && addProtobuf(answer, body):
	case strings.HasSuffix(media, "cbor") && addCBOR(answer, body):
	case utf8.Valid(body):
		answer["bodyText"] = string(body)
	default:
		answer["bodyBase64"] = base64.StdEncoding.EncodeToString(body)
	}
}

// addJSON describes a JSON body and its formatting; it returns false if it is not one.
func addJSON(answer map[string]any, body []byte) bool {
	v, err := decodeJSON(body)
	if err != nil {
		return false
	}
	answer["body"] = v
	text, newline := bytes.CutSuffix(body, []byte("\n"))
	form := "compact"
	if bytes.Contains(text, []byte("\n")) {
		form = "pretty"
	}
	if newline {
		form += "+newline"
	}
	answer["form"] = form
	return true
}

func decodeJSON(data []byte) (any, error) {
	var v any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, io.ErrUnexpectedEOF
	}
	return v, nil
}
