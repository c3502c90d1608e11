package explore

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"kubarium/flow"
	"kubarium/flow/object"
	"kubarium/flow/recording"
)

// A watched is a resource that a client follows, in one namespace or in all ("").
type watched struct{ client, resource, namespace string }

// NoStreaming is the variable that lets a client of client-go 0.35 and later start with a list from any state. Its
// streaming list asks for the newest state, which no server answers from an old one.
const NoStreaming = "KUBE_FEATURE_WatchListClient=false"

// stale plans that a client starts again on a server that does not know yet of a change of something that the client
// follows.
func (p *planner) stale() {
	moments := []Moment{AtEnd, AtOnce}
	for _, w := range p.follows() {
		if !p.o.Controller && p.streams(w.client) {
			continue
		}
		if !p.o.Controller {
			if !p.startsAgain(w) {
				continue
			}
			moments = []Moment{ByItself}
		}
		for _, h := range p.histories(w) {
			for i := 1; i < len(h); i++ {
				for at, m := range moments {
					p.staleAt(w, h, i, m, at)
				}
			}
		}
	}
}

// staleAt plans that the versions of an object up to the one before h[i] are what is seen.
func (p *planner) staleAt(w watched, h []*recording.Change, i int, m Moment, later int) {
	before, c := h[i-1], h[i]
	tier := 2
	switch {
	case object.Terminating(before.Value):
		tier = 0 // an object that a client cleans up may exist again
	case before.Type == flow.Deleted, c.Type == flow.Deleted, object.Terminating(c.Value):
		tier = 1
	}
	p.add(Stale, tier+later, w.client+"\x00"+w.resource, object.RefOf(c.Commit), func() Fault {
		of := describe(c.Resource, c.Namespace, c.Name)
		f := Fault{Kind: Stale, Client: w.client,
			What: fmt.Sprintf("%s, and sees %s for %s", when(m, w.client), sightOf(of, before, c), p.o.StaleFor),
			Restart: &Restart{Resource: c.Resource, Namespace: c.Namespace, Name: c.Name, Change: i + 1,
				Moment: m, For: p.o.StaleFor},
		}
		if p.streams(w.client) {
			f.Variables = []string{NoStreaming}
		}
		return f
	})
}

// streams reports whether a client starts its watches with a streaming list.
func (p *planner) streams(client string) bool {
	return slices.ContainsFunc(p.server.Watches, func(w *Told) bool {
		q, _ := url.ParseQuery(w.Query)
		return w.Client.UserAgent == client && q.Get("sendInitialEvents") == "true" && q.Get("resourceVersion") == ""
	})
}

// Streaming are the clients that Plan tries, but not with Stale, since they start with a streaming list.
func Streaming(s *Server, o Options) (out []string) {
	if o.Controller || o.Kinds != nil && !slices.Contains(o.Kinds, Stale) {
		return nil
	}
	p := &planner{o: o, server: s}
	for agent := range p.clients() {
		if p.streams(agent) {
			out = append(out, agent)
		}
	}
	slices.Sort(out)
	return out
}

func when(m Moment, client string) string {
	switch m {
	case AtEnd:
		return client + " starts again in the end"
	case AtOnce:
		return client + " starts again at once"
	}
	return client + " starts again by itself"
}

// sightOf says which moment of an object is seen.
func sightOf(of string, before, c *recording.Change) string {
	switch {
	case before.Type == flow.Deleted:
		return "that there is no " + of + ", which was created again"
	case object.Terminating(before.Value) && c.Type == flow.Deleted:
		return of + " before it was gone"
	case c.Type == flow.Deleted:
		return of + ", which was deleted"
	case object.Terminating(before.Value):
		return of + " in deletion"
	case object.Terminating(c.Value):
		return of + " before its deletion began"
	}
	return of + " before " + changed(before.Value, c.Value)
}

// changed says which fields an update changed.
func changed(before, after []byte) string {
	was, is := object.Leaves(object.Parse(before)), object.Leaves(object.Parse(after))
	paths := maps.Clone(was)
	maps.Copy(paths, is)
	maps.DeleteFunc(paths, func(path string, _ any) bool {
		return object.Ignored(path) || object.Same(was[path], is[path])
	})
	names := slices.Sorted(maps.Keys(paths))
	switch len(names) {
	case 0:
		return "an update"
	case 1:
		return "an update of " + names[0]
	}
	return fmt.Sprintf("an update of %s and %d more", names[0], len(names)-1)
}

// follows are the resources that clients watch.
func (p *planner) follows() (out []watched) {
	seen := map[watched]bool{}
	for _, w := range p.server.Watches {
		k := watched{w.Client.UserAgent, resourceOf(&w.Target), w.Target.Namespace}
		if p.triedClient(w.Client) && !seen[k] && !object.ByClock(k.resource) {
			seen[k] = true
			out = append(out, k)
		}
	}
	return out
}

// histories are the changes of each object of a watched resource that has the same name in every run, oldest first,
// without those of the status alone, of which each run has others.
func (p *planner) histories(w watched) (out [][]*recording.Change) {
	at, last := map[object.Ref]int{}, map[object.Ref][]byte{}
	for i := range p.server.Changes {
		c := &p.server.Changes[i]
		k := object.RefOf(c.Commit)
		if c.Resource != w.resource || w.namespace != "" && c.Namespace != w.namespace ||
			!p.named(k) || !p.named(object.Ref{Resource: "namespaces", Name: c.Namespace}) {
			continue
		}
		before := last[k]
		if last[k] = c.Value; OnlyStatus(before, c.Value) {
			continue
		}
		n, ok := at[k]
		if !ok {
			n = len(out)
			at[k] = n
			out = append(out, nil)
		}
		out[n] = append(out[n], c)
	}
	return out
}

// startsAgain reports whether a client has listed a resource, or watched it from the start, after all its watches of it
// had ended.
func (p *planner) startsAgain(w watched) bool {
	open, ended := 0, false
	for _, f := range p.server.Flows {
		if f.Client.UserAgent != w.client || resourceOf(&f.Target) != w.resource {
			continue
		}
		switch {
		case f.Phase == flow.WatchOpened:
			if ended && open == 0 && f.Watch != nil && f.Watch.Start == 0 {
				return true
			}
			open++
		case f.Phase == flow.WatchClosed:
			open--
			ended = ended || open == 0
		case f.Target.Verb == "list" && ended && open == 0:
			return true
		}
	}
	return false
}

// OnlyStatus reports whether an update changed nothing but the status, and what the server sets with each write. Of such
// changes each run has others, so a Restart does not count them.
func OnlyStatus(before, after []byte) bool {
	if before == nil || after == nil {
		return false
	}
	if object.Terminating(before) != object.Terminating(after) {
		return false
	}
	was, is := object.Leaves(object.Parse(before)), object.Leaves(object.Parse(after))
	for path := range was {
		if _, ok := is[path]; !ok && counts(path) {
			return false
		}
	}
	for path, v := range is {
		if counts(path) && !object.Same(was[path], v) {
			return false
		}
	}
	return true
}

func counts(path string) bool {
	return !object.Ignored(path) && path != "status" && !strings.HasPrefix(path, "status.")
}
