package object

import (
	"bytes"
	"encoding/json"
)

// TerminatingMark is a text without which no value is Terminating.
const TerminatingMark = `"deletionTimestamp"`

// Terminating says whether an object has a metadata.deletionTimestamp.
func Terminating(value []byte) bool {
	if !bytes.Contains(value, []byte(TerminatingMark)) {
		return false
	}
	var o struct {
		Metadata struct {
			DeletionTimestamp string `json:"deletionTimestamp"`
		} `json:"metadata"`
	}
	return json.Unmarshal(value, &o) == nil && o.Metadata.DeletionTimestamp != ""
}
