package codecs

import (
	"bytes"
	"io"
	"strconv"
)

// jsonFrame writes an event as one line.
func jsonFrame(w io.Writer, eventType string, object []byte) error {
	object = bytes.TrimRight(object, "\n")
	line := make([]byte, 0, len(object)+len(eventType)+32)
	line = append(line, `{"type":`...)
	line = strconv.AppendQuote(line, eventType)
	line = append(line, `,"object":`...)
	line = append(line, object...)
	line = append(line, "}\n"...)
	_, err := w.Write(line)
	return err
}
