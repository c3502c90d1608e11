package server

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/flow"
	"kubarium/flow/bodies"
	"kubarium/server/answer"
)

// noteStatus records the reason and the message of an error, if the answer is a Status in JSON.
func (q *Request) noteStatus(out *answer.Response) {
	if f := &q.Flow.Flow; out.Code >= http.StatusBadRequest && f.Message == "" {
		text, _ := bodies.Unpacked(out.Body().Kept)
		var status metav1.Status
		if json.Unmarshal(text, &status) == nil && status.Kind == "Status" {
			f.Reason, f.Message = string(status.Reason), status.Message
		}
	}
}

// A passedWatch is a watch of another server's objects. Their versions are not Kubarium's, so that its frames have
// none.
type passedWatch struct {
	s      *Server
	record *flow.Watch
	lines  bool   // whether each line is an event
	begun  []byte // of an event whose end has not come
}

// mostBegun is how much of an event is kept until it ends; of a longer one only the size is recorded.
const mostBegun = 1 << 20

// openWatch puts a watch on the screen.
func (p *passing) openWatch(media string) *passedWatch {
	f := &p.q.Flow.Flow
	w := &passedWatch{s: p.s, lines: strings.Contains(media, "json")}
	w.record = p.s.o.Log.OpenWatch(flow.WatchInfo{Client: f.Client, Target: f.Target, Query: f.Query, Media: media, Opened: p.s.o.Now()})
	f.Watch = w.record
	p.q.Flow.Publish(flow.WatchOpened)
	return w
}

// wrote notes the events in a part of the stream. A stream that is not JSON has a frame for each part that was sent
// at once, which as a rule is an event.
func (w *passedWatch) wrote(part []byte) {
	if !w.lines {
		w.record.Wrote(flow.Frame{Size: len(part), Written: w.s.o.Now()})
		return
	}
	for {
		line, rest, whole := bytes.Cut(part, []byte("\n"))
		if len(w.begun)+len(line) <= mostBegun {
			w.begun = append(w.begun, line...)
		}
		if !whole {
			return
		}
		if len(w.begun) > 0 {
			w.record.Wrote(w.frame(w.begun))
		}
		w.begun, part = w.begun[:0], rest
	}
}

// frame is the record of a line.
func (w *passedWatch) frame(line []byte) flow.Frame {
	var event struct {
		Type   string
		Object struct {
			Metadata struct{ Namespace, Name string }
		}
	}
	_ = json.Unmarshal(line, &event) // another server's mistake is its client's to see
	m := event.Object.Metadata
	return flow.Frame{Type: event.Type, Namespace: m.Namespace, Name: m.Name, Size: len(line) + 1, Written: w.s.o.Now()}
}
