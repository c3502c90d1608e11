package scenarios

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// A Witness sees the requests that others send to the lesson's server.
type Witness interface {
	// Follow tells of the requests that are answered from now on, in the order in which they end; of a watch when it opens.
	// The channel is closed when ctx is over. Who reads slowly may miss some.
	Follow(ctx context.Context) <-chan Seen
}

// A Seen is a request with its answer. Nobody changes it.
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
	Header      http.Header // of the answer
	Body        []byte      // of the answer; JSON, if the answer can be written so
	Cut         bool        // whether Body is not all of it
	Watch       bool        // whether it is a watch, which has just been opened
	Written     []Ref       // the objects that it changed
}

// A Notice says that somebody else changed what the lesson has made, so that what it tells next may no longer hold.
type Notice struct {
	Who       string // a short name: "k1"
	UserAgent string
	Did       string // "created", "updated", "patched", "applied", "deleted", "changed"
	Object    Ref    // the first one, if there are several
	More      int    // how many others it changed
	ID        uint64 // of the request, as in Seen
}

func (n *Notice) String() string {
	s := fmt.Sprintf("%s %s %s", n.Who, n.Did, n.Object)
	if n.More > 0 {
		s += fmt.Sprintf(" and %d more", n.More)
	}
	return s
}

// follow begins to look at what others do.
func (p *Player) follow(st *stage) {
	if p.options.Witness == nil {
		return
	}
	others := p.options.Witness.Follow(st.ctx)
	go func() {
		for seen := range others {
			p.saw(st, seen)
		}
	}()
}

// saw takes a request of somebody else: as the reader's own that the lesson waits for, or as one that may disturb it.
func (p *Player) saw(st *stage, seen Seen) {
	if seen.Own || seen.Lesson || p.hand(st, seen) {
		return
	}
	if others := p.disturbed(st, seen); len(others) > 0 {
		n := &Notice{Who: seen.Who, UserAgent: seen.UserAgent, Did: did(seen), Object: others[0], More: len(others) - 1, ID: seen.ID}
		p.notice(st, n)
	}
}

// controlPlane opens the User-Agents of what belongs to the cluster. It writes to everybody's objects.
var controlPlane = []string{"kube-controller-manager", "kube-scheduler", "kubelet", "cloud-controller-manager", "kwok"}

// disturbed returns the objects of the lesson that a request changed.
func (p *Player) disturbed(st *stage, seen Seen) []Ref {
	for _, program := range controlPlane {
		if strings.HasPrefix(seen.UserAgent, program) {
			return nil
		}
	}
	if seen.Method == "" && p.Lesson.writesRows() {
		return nil // it may well be the lesson's own
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []Ref
	for _, r := range seen.Written {
		if st.has(r) {
			out = append(out, r)
		}
	}
	return out
}

// writesRows tells whether the lesson changes what is stored past the API, where nobody can tell who did it.
func (l *Lesson) writesRows() bool {
	return slices.ContainsFunc(l.Steps, func(s Step) bool {
		return s.Request != nil && s.Request.Method == http.MethodPut && strings.HasPrefix(s.Request.Path, "/debug/rows")
	})
}

// has tells whether an object belongs to the lesson: it is in one of its namespaces, or the lesson made it.
func (st *stage) has(r Ref) bool {
	if r.Group == "" && r.Resource == "events" {
		return false // a report about an object, by whoever has to do with it
	}
	return slices.ContainsFunc(st.objects, func(mine Ref) bool {
		if mine.Group == "" && mine.Resource == "namespaces" && mine.Name == r.Namespace {
			return true
		}
		return mine.object() == r.object()
	})
}

// notice pauses the lesson and says why. A lesson that has not begun or is over cannot be disturbed.
func (p *Player) notice(st *stage, n *Notice) {
	p.mu.Lock()
	phase := p.state.Phase
	if st.ctx.Err() != nil || phase == Idle || phase == Done || phase == Failed {
		p.mu.Unlock()
		return
	}
	p.state.Notice = n
	p.mu.Unlock()
	p.Pause()
	p.tell()
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
