package explore

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"kubarium/flow"
	"kubarium/flow/object"
	"kubarium/flow/recording"
)

// A Server is what one server recorded of a run.
type Server struct {
	Flows   []*flow.Flow // in the order of their numbers
	Changes []recording.Change
	Watches []*Told // in the order in which they were opened
	// Ended says whether the recording was closed in good order.
	Ended bool

	objects map[object.Ref]recording.Change // at the end
	own     map[object.Ref]bool             // what Kubarium wrote for itself
	others  map[object.Ref]bool             // what others wrote
	leaders map[object.Ref]bool             // what says by an annotation who leads
}

// A Told is a watch with the events that it sent.
type Told struct {
	flow.WatchInfo
	flow.WatchState
	Events []flow.Frame
}

// Read reads a recording of one server. One that was cut is read as far as it goes.
func Read(from io.Reader) (*Server, error) {
	d, err := recording.NewDecoder(from)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	s := &Server{objects: map[object.Ref]recording.Change{}, own: map[object.Ref]bool{}, others: map[object.Ref]bool{}, leaders: map[object.Ref]bool{}}
	watches := map[uint64]*Told{}
	for {
		e, err := d.Next()
		switch {
		case errors.Is(err, io.EOF):
			s.Ended = true
			return s.sorted(), nil
		case errors.Is(err, recording.ErrCut):
			return s.sorted(), nil
		case err != nil:
			return nil, err
		}
		s.take(e, watches)
	}
}

func (s *Server) take(e *recording.Entry, watches map[uint64]*Told) {
	switch {
	case e.Begin != nil:
		clear(s.objects)
	case e.State != nil:
		s.objects[object.RefOf(e.State.Commit)] = *e.State
	case e.Change != nil:
		s.change(e.Change)
	case e.Flow != nil:
		s.flow(e.Flow)
	case e.Frames != nil:
		s.frames(e.Frames, watches)
	}
}

func (s *Server) flow(f *flow.Flow) {
	s.Flows = append(s.Flows, f)
	by := s.others
	if f.Client.Own() {
		by = s.own
	}
	for i := range f.Effects {
		by[object.RefOf(f.Effects[i].Commit)] = true
	}
}

// ownAlone reports whether only Kubarium wrote an object: every server has it.
func (s *Server) ownAlone(at object.Ref) bool { return s.own[at] && !s.others[at] }

// volatile reports whether an object comes and goes by the clock.
func (s *Server) volatile(at object.Ref) bool {
	return object.ByClock(at.Resource) || s.leaders[at]
}

func (s *Server) change(c *recording.Change) {
	s.Changes = append(s.Changes, *c)
	if object.Elects(c.Value) {
		s.leaders[object.RefOf(c.Commit)] = true
	}
	if c.Type == flow.Deleted {
		delete(s.objects, object.RefOf(c.Commit))
		return
	}
	s.objects[object.RefOf(c.Commit)] = *c
}

func (s *Server) frames(f *recording.Frames, watches map[uint64]*Told) {
	w := watches[f.Info.ID]
	if w == nil {
		w = &Told{WatchInfo: f.Info}
		watches[f.Info.ID] = w
		s.Watches = append(s.Watches, w)
	}
	w.WatchState = f.State
	for _, one := range f.Frames {
		if one.Type == "ADDED" || one.Type == "MODIFIED" || one.Type == "DELETED" {
			w.Events = append(w.Events, one)
		}
	}
}

func (s *Server) sorted() *Server {
	slices.SortStableFunc(s.Flows, func(a, b *flow.Flow) int { return int(int64(a.Seq) - int64(b.Seq)) })
	slices.SortStableFunc(s.Watches, func(a, b *Told) int { return int(int64(a.ID) - int64(b.ID)) })
	return s
}

// Touched counts the requests and events that fault rules acted on.
func (s *Server) Touched() (n int) {
	for _, f := range s.Flows {
		if f.Phase != flow.WatchClosed {
			n += len(f.Faults)
		}
	}
	for _, w := range s.Watches {
		n += int(w.WatchState.Touched)
	}
	return n
}

// Marks are what fault rules did, in the order of requests and watches.
func (s *Server) Marks() (all []flow.FaultMark) {
	for _, f := range s.Flows {
		if f.Phase != flow.WatchClosed {
			all = append(all, f.Faults...)
		}
	}
	for _, w := range s.Watches {
		all = append(all, w.Faults...)
	}
	return all
}

// Writes counts the changes that others than Kubarium made, and how many clients they were.
func (s *Server) Writes() (writes, clients int) {
	agents := map[string]bool{}
	for _, f := range s.Flows {
		if !f.Client.Own() && len(f.Effects) > 0 {
			writes++
			agents[f.Client.UserAgent] = true
		}
	}
	return writes, len(agents)
}

// Requests are how many each client sent, by its User-Agent: a controller that is known by its port all that it sent, others
// only writes, since a test that waits longer asks more often. Leases and leader election do not count.
func (s *Server) Requests(controller bool) map[string]int {
	out := map[string]int{}
	for _, f := range s.Flows {
		switch {
		case f.Client.Own() || f.Phase == flow.WatchClosed:
		case s.volatile(object.RefOfTarget(f.Target)):
		case controller && isControllers(f), !controller && f.Method != http.MethodGet:
			out[f.Client.UserAgent]++
		}
	}
	return out
}

// resourceOf is a target's resource as the store and filters call it.
func resourceOf(t *flow.Target) string { return object.RefOfTarget(*t).Resource }

// describe names an object to people: "configmaps shop/web".
func describe(resource, namespace, name string) string {
	if namespace != "" {
		name = namespace + "/" + name
	}
	return strings.TrimSpace(resource + " " + name)
}
