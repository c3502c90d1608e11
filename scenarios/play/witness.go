package play

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"kubarium/scenarios"
)

// A Witness sees the requests that others send to the lesson's server.
type Witness interface {
	// Follow returns the requests that are answered from now on, in the order in which they end; a watch when it opens.
	// The channel is closed when ctx ends. A slow reader may miss some.
	Follow(ctx context.Context) <-chan Seen
}

// A Seen is a request with its answer. It must not be changed.
type Seen struct {
	ID          uint64 // by which a screen finds it again; 0 if it cannot
	Who         string // a short name: "k1"
	UserAgent   string
	Command     string // the command that kubectl says it runs: "kubectl patch"; "" for others
	Own         bool   // the server sent it itself: one of its controllers, or its screen
	Lesson      bool   // an actor of a lesson sent it
	Method      string // "" for a change that came without a request, by plain SQL for example
	Path        string // without the query; escapes are read
	Query       string
	ContentType string // of the request's body
	Status      int
	Header      http.Header     // of the answer
	Body        []byte          // of the answer; JSON, if the answer can be written so
	Cut         bool            // whether Body is not all of it
	Watch       bool            // whether it is a watch, which has just been opened
	Written     []scenarios.Ref // the objects that it changed
}

// A Notice says that another client changed what the lesson has made, so that the next steps may fail.
type Notice struct {
	Who       string // a short name: "k1"
	UserAgent string
	Did       string        // "created", "updated", "patched", "applied", "deleted", "changed"
	Object    scenarios.Ref // the first one, if there are several
	More      int           // how many others it changed
	ID        uint64        // of the request, as in Seen
}

func (n *Notice) String() string {
	s := fmt.Sprintf("%s %s %s", n.Who, n.Did, n.Object)
	if n.More > 0 {
		s += fmt.Sprintf(" and %d more", n.More)
	}
	return s
}

// did says in a word what a request did to the objects that it changed.
func did(seen Seen) string {
	switch seen.Method {
	case http.MethodPost:
		return "created"
	case http.MethodPut:
		return "updated"
	case http.MethodPatch:
		if strings.Contains(seen.ContentType, "apply-patch") {
			return "applied"
		}
		return "patched"
	case http.MethodDelete:
		return "deleted"
	}
	return "changed"
}
