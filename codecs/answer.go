package codecs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxAnswer is the most bytes, unpacked, of an answer that the server itself asked for and reads whole. A JSON
// Patch of an object of MaxBody bytes is below it, in base64 too.
const MaxAnswer = 8 << 20

// ReadAnswer reads the answer of another server, in JSON or YAML, to its end. It returns an error for an answer
// that is above MaxAnswer or the bounds of a body. The error names the limit.
func ReadAnswer(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxAnswer+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxAnswer {
		return nil, fmt.Errorf("the answer is too large: limit is %d bytes", MaxAnswer)
	}
	if bytes.HasPrefix(data, envelope) { // its parts cannot be counted without the type
		return nil, errors.New("the answer is in Protobuf, and JSON was asked for")
	}
	c := YAML
	if at := skipSpace(data, 0); has(data, at, '{') || has(data, at, '[') {
		c = JSON
	}
	if limit := c.exceeded(data, nil); limit != "" {
		return nil, fmt.Errorf("the answer is too large: limit is %s", limit)
	}
	return data, nil
}
