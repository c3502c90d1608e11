package elsewhere

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/flow"
	"kubarium/flow/bodies"
)

// NoteStatus records the reason and the message of an answer that is an error, unless there is a message already, and
// returns the Status; a zero one for an answer that is none.
func NoteStatus(f *flow.Flow, body []byte) (s metav1.Status) {
	text, _ := bodies.Unpacked(body)
	if json.Unmarshal(bodies.JSON(flow.Body{Kept: text}), &s) != nil || s.Kind != "Status" {
		return metav1.Status{}
	}
	if f.Message == "" {
		f.Reason, f.Message = string(s.Reason), s.Message
	}
	return s
}
