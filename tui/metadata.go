package tui

import "encoding/json"

// metadataOf is the metadata of a JSON object, nil if it has none.
func metadataOf(body []byte) map[string]json.RawMessage {
	var o struct {
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	if json.Unmarshal(body, &o) != nil {
		return nil
	}
	return o.Metadata
}

// withMetadata is a JSON object with its metadata changed. What is no JSON object with metadata stays as it is. Numbers
// keep all their digits.
func withMetadata(body []byte, change func(meta map[string]json.RawMessage)) []byte {
	meta := metadataOf(body)
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

// definitions is where the resources of one's own are defined.
const definitions = "customresourcedefinitions.apiextensions.k8s.io"
