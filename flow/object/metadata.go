package object

import "encoding/json"

// MetadataOf returns the metadata of a JSON object, field by field; nil if it has none or is not a JSON object.
func MetadataOf(body []byte) map[string]json.RawMessage {
	var o struct {
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	if json.Unmarshal(body, &o) != nil {
		return nil
	}
	return o.Metadata
}

// WithMetadata returns a JSON object with its metadata changed, for a request that is sent again. A body that is not a
// JSON object with metadata is returned as it is. Numbers keep all their digits.
func WithMetadata(body []byte, change func(meta map[string]json.RawMessage)) []byte {
	meta := MetadataOf(body)
	var o map[string]json.RawMessage
	if meta == nil || json.Unmarshal(body, &o) != nil {
		return body
	}
	change(meta)
	m, err := json.Marshal(meta)
	if err != nil {
		return body
	}
	o["metadata"] = m
	out, err := json.Marshal(o)
	if err != nil {
		return body
	}
	return out
}
