package play

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"kubarium/scenarios"
	"kubarium/scenarios/client"
	"kubarium/scenarios/expr"
	"kubarium/scenarios/servers"
)

// A stage is what a lesson under way has made: its namespace, its objects, its watches, and the values that it kept.
type stage struct {
	lesson  *scenarios.Lesson
	client  *client.Client
	gate    gate
	values  map[string]string         // placeholders; those of client
	watches map[string]*client.Stream // by their names
	marks   map[string]string         // of the steps that opened the watches, by the names of these
	pending map[string]*pending       // requests that were sent later, by their names
	servers servers.Set
	before  map[string]int // how many requests each server had before the step under way
	faulty  bool           // whether the server's gate may have rules of the lesson

	replaced []string // controllers that are paused until the watches end

	ctx    context.Context // of the watches, and of looking at what others do
	cancel context.CancelFunc

	mu      sync.Mutex      // guards what follows; no other lock is taken while it is held
	created []string        // paths of the objects, in the order of their creation
	objects []scenarios.Ref // what the lesson has made, its namespace first
}

// A pending is a request of the lesson that was sent and is held.
type pending struct {
	*client.Pending
	request *scenarios.Request
	sent    Sent
	held    uint64 // its number at the gate
}

// open makes the lesson's namespace and starts its servers. The stage is never nil, so that what was made can be removed after an error.
func open(ctx context.Context, l *scenarios.Lesson, of client.Client) (*stage, error) {
	st := &stage{lesson: l, client: &of, values: map[string]string{}, watches: map[string]*client.Stream{}, marks: map[string]string{}, pending: map[string]*pending{}}
	st.client.Values, st.gate = st.values, gate{st.client}
	st.ctx, st.cancel = context.WithCancel(context.WithoutCancel(ctx))
	missing, err := unfit(ctx, st.client)
	if err := cannot(l, missing, err); err != nil {
		return st, err
	}
	if err := st.replace(); err != nil {
		return st, fmt.Errorf("pause the controllers that the lesson replaces: %w", err)
	}
	a, err := st.client.Send(ctx, client.Manager, &scenarios.Request{Method: http.MethodPost, Path: "/api/v1/namespaces", Body: map[string]any{
		"apiVersion": "v1", "kind": "Namespace",
		"metadata": map[string]any{"generateName": "lesson-" + hostLabel(l.Name) + "-"},
	}})
	if err != nil {
		return st, fmt.Errorf("make a namespace: %w", err)
	}
	ns := expr.TextAt(a.Object, "metadata.name")
	if a.Status != http.StatusCreated || ns == "" {
		return st, fmt.Errorf("make a namespace: the server answered %s", a.Brief())
	}
	st.objects = []scenarios.Ref{{Version: "v1", Resource: "namespaces", Name: ns}}
	st.values["ns"], st.values["id"], st.values["long"] = ns, ns[strings.LastIndexByte(ns, '-')+1:], long
	st.servers, err = servers.Start(l.Servers, st.values)
	return st, err
}

// long is what {long} stands for: more than the 128 KiB from which on servers compress.
var long = strings.Repeat("all the fish in the sea, ", 160<<10/25)

// hostLabel makes of a lesson's name what may be part of a namespace's name.
func hostLabel(s string) string {
	s = strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(s))
	return strings.Trim(s[:min(len(s), 40)], "-")
}

// holds reports whether a number at the gate is that of a request of the lesson.
func (st *stage) holds(id uint64) bool {
	for _, q := range st.pending {
		if q.held == id {
			return true
		}
	}
	return false
}

// made remembers the object that a request created, so that it is removed at the end.
func (st *stage) made(r *scenarios.Request, a *client.Response) {
	if a.Status != http.StatusCreated {
		return
	}
	path, query, _ := strings.Cut(r.Path, "?")
	if scenarios.DryRun(query) {
		return
	}
	if r.Method == http.MethodPost {
		name := expr.TextAt(a.Object, "metadata.name")
		if ref, _ := scenarios.RefOf(path); name == "" || ref.Name != "" { // of a subresource: a token, a binding
			return
		}
		path += "/" + name
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.created = append(st.created, path)
	if ref, ok := scenarios.RefOf(path); ok {
		st.objects = append(st.objects, ref)
	}
}

// of returns those objects that belong to the lesson: they are in its namespaces, or it made them.
func (st *stage) of(objects []scenarios.Ref) []scenarios.Ref {
	st.mu.Lock()
	defer st.mu.Unlock()
	var out []scenarios.Ref
	for _, r := range objects {
		if r.Group == "" && r.Resource == "events" {
			continue // a report about an object, by any client that has to do with it
		}
		if slices.ContainsFunc(st.objects, func(mine scenarios.Ref) bool {
			return mine.Group == "" && mine.Resource == "namespaces" && mine.Name == r.Namespace || mine.Same(r)
		}) {
			out = append(out, r)
		}
	}
	return out
}
