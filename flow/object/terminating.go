package object

import (
	"bytes"
	"encoding/json"
)

// Terminating reports whether an object has a metadata.deletionTimestamp.
func Terminating(value []byte) bool {
	if !bytes.Contains(value, []byte(`"deletionTimestamp"`)) {
		return false // nearly all
	}
	var o struct {
		Metadata struct {
			DeletionTimestamp string `json:"deletionTimestamp"`
		} `json:"metadata"`
	}
	return json.Unmarshal(value, &o) == nil && o.Metadata.DeletionTimestamp != ""
}
