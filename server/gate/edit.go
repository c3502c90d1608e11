package gate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/codecs"
	"kubarium/flow"
	"kubarium/flow/bodies"
)

// EditBody is what may be edited of a request's body: its text, in JSON where it has none. take gets another one, with
// its media type.
func EditBody(body []byte, media string, take func(text []byte, media string)) Editable {
	text := body
	if !bodies.IsText(body) {
		media, text = codecs.JSON.MediaType, bodies.JSON(flow.Body{Kept: body, Total: int64(len(body))})
	}
	if text == nil {
		return Editable{Keeps: int64(len(body))}
	}
	return Editable{
		What: "body", Media: media, Size: len(body), Keeps: int64(len(body)),
		Text:  func() ([]byte, error) { return text, nil },
		Check: CheckText(media),
		Take:  func(b []byte) { take(b, media) },
	}
}

// CheckText refuses a text that is too long, or is not JSON where it must be, with an ErrText.
func CheckText(media string) func([]byte) error {
	return func(b []byte) error {
		if len(b) > codecs.MaxBody {
			return fmt.Errorf("%w: it has %d bytes, %d at most", ErrText, len(b), codecs.MaxBody)
		}
		if strings.Contains(media, "json") {
			var v any
			if err := json.Unmarshal(b, &v); err != nil {
				return fmt.Errorf("%w: %w", ErrText, err)
			}
		}
		return nil
	}
}

// EditObject is what may be edited of an event's object, which is encoded by c: its JSON. take gets another one, encoded
// likewise. Nothing of one in CBOR can be edited.
func EditObject(c *codecs.Codec, encoded []byte, take func(encoded []byte)) Editable {
	text := bodies.JSON(flow.Body{Kept: encoded})
	if text == nil || c != codecs.JSON && c != codecs.Protobuf {
		return Editable{}
	}
	return Editable{
		What: "object", Media: codecs.JSON.MediaType, Size: len(text), Keeps: int64(len(text)),
		Text:  func() ([]byte, error) { return text, nil },
		Check: func(b []byte) error { _, err := encodeObject(c, b); return err },
		Take: func(b []byte) {
			if encoded, err := encodeObject(c, b); err == nil { // as it was checked
				take(encoded)
			}
		},
	}
}

// encodeObject makes an event's object of its JSON: on one line, since lines keep events in JSON apart.
func encodeObject(c *codecs.Codec, text []byte) ([]byte, error) {
	var o map[string]any
	err := json.Unmarshal(text, &o)
	var b bytes.Buffer
	if err == nil && c == codecs.JSON {
		err = json.Compact(&b, text)
	} else if err == nil {
		obj, _, _, decodeErr := codecs.JSON.Decode(text, schema.GroupVersionKind{}, nil, codecs.Warn)
		if err = decodeErr; err == nil {
			err = c.Encode(&b, obj, false)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrText, err)
	}
	return b.Bytes(), nil
}
