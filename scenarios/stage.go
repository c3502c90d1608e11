package scenarios

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"kubarium/scenarios/expr"
)

// A stage is what a lesson under way has made: its namespace, its objects, its watches, and the values that it kept.
type stage struct {
	values  map[string]string // placeholders
	watches map[string]*stream
	pending map[string]*pending // requests that were sent later, by their names
	faulty  bool                // whether the server's gate may have rules of the lesson
	created []string            // paths of the objects, in the order of their creation; written under Player.mu
	objects []Ref               // what the lesson has made, its namespace first; written under Player.mu
	mark    string              // of the step under way, see Sent
	servers map[string]*serving // of the lesson, by their names
	before  map[string]int      // how many requests each had before the step under way
	marks   map[string]string   // of the steps that opened the watches, by their names
	cancel  context.CancelFunc
	ctx     context.Context // of the watches, and of looking at what others do
}

// manager is the actor that makes and removes the namespace.
const manager = "crew"

// open makes the lesson's namespace and starts its servers. The stage is never nil, so that what was made can be removed after an error.
func (p *Player) open(ctx context.Context) (*stage, error) {
	st := &stage{values: map[string]string{}, watches: map[string]*stream{}, pending: map[string]*pending{}, marks: map[string]string{}, servers: map[string]*serving{}}
	st.ctx, st.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if err := p.playable(p.unfit(ctx)); err != nil {
		return st, err
	}
	body := map[string]any{
		"apiVersion": "v1", "kind": "Namespace",
		"metadata": map[string]any{"generateName": "lesson-" + hostLabel(p.Lesson.Name) + "-"},
	}
	a, err := p.send(ctx, manager, &Request{Method: http.MethodPost, Path: "/api/v1/namespaces", Body: body})
	if err != nil {
		return st, fmt.Errorf("make a namespace: %w", err)
	}
	name, _ := expr.Lookup(a.object, "metadata.name")
	if a.Status != http.StatusCreated || name == nil {
		return st, fmt.Errorf("make a namespace: the server answered %s", a.brief())
	}
	ns := expr.Text(name)
	st.objects = []Ref{{Version: "v1", Resource: "namespaces", Name: ns}}
	st.values["ns"], st.values["id"], st.values["long"] = ns, ns[strings.LastIndexByte(ns, '-')+1:], long
	return st, st.serve(p.Lesson)
}

// sent tells what a step is going to send, and begins to mark its requests.
func (st *stage) sent(i int, s Step) Sent {
	st.mark = fmt.Sprintf("%s/%d", st.values["ns"], i+1)
	sent := Sent{Actor: s.As, Path: s.path(), Mark: st.mark}
	switch {
	case s.Request != nil:
		sent.Method = s.Request.Method
	case s.Answer != nil:
		if q := st.pending[s.Answer.Of]; q != nil {
			return q.sent
		}
	case s.Watch != nil:
		sent.Method = http.MethodGet
		st.marks[s.Watch.Name] = st.mark
	case s.Frames != nil:
		sent.Mark = st.marks[s.Frames.From]
	default:
		sent.Mark = ""
	}
	return sent
}

// long is what {long} stands for: more than the 128 KiB from which on servers compress.
var long = strings.Repeat("all the fish in the sea, ", 160<<10/25)

// hostLabel makes of a lesson's name what may stand in the name of a namespace.
func hostLabel(s string) string {
	s = strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(s))
	return strings.Trim(s[:min(len(s), 40)], "-")
}

// clean ends the watches and removes what the lesson made: its fault rules, its objects, newest first, its namespace, and at last its
// servers, which nobody asks any more. It does so although ctx may be over. What is gone already is fine.
func (p *Player) clean(ctx context.Context) error {
	st := p.stage
	if st == nil {
		return nil
	}
	problem := p.calm(ctx)
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), p.options.Patience)
	defer done()
	var paths []string
	for i := len(st.created) - 1; i >= 0; i-- {
		paths = append(paths, st.created[i])
	}
	for _, c := range p.Lesson.Cleanup {
		paths = append(paths, expr.Fill(c, st.values))
	}
	if ns := st.values["ns"]; ns != "" {
		paths = append(paths, "/api/v1/namespaces/"+ns)
	}
	problems := []error{problem}
	for _, path := range paths {
		if err := p.remove(ctx, path); err != nil {
			problems = append(problems, fmt.Errorf("delete %s: %w", path, err))
		}
	}
	st.stopAll()
	p.stage = nil
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("remove what the lesson made: %w", err)
	}
	return nil
}

// calm ends what the lesson has open, its watches and the requests that are held, and removes its fault rules, although ctx may
// be over.
func (p *Player) calm(ctx context.Context) error {
	if p.stage == nil {
		return nil
	}
	p.stage.cancel()
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), p.options.Patience)
	defer done()
	return p.mend(ctx, p.stage)
}

// remove deletes an object, and lets it go from the finalizers that lessons put on objects: a lesson that ends in its
// middle leaves nobody behind who would take them away.
func (p *Player) remove(ctx context.Context, path string) error {
	a, err := p.send(ctx, manager, &Request{Method: http.MethodDelete, Path: path})
	if err != nil {
		return err
	}
	if a.Status == http.StatusInternalServerError { // it may be one that the lesson broke: nobody can read it
		if a, err = p.send(ctx, manager, &Request{Method: http.MethodDelete, Path: path + "?" + unsafely}); err != nil {
			return err
		}
	}
	if a.Status == http.StatusNotFound || a.Status == http.StatusConflict {
		return nil
	}
	if a.Status >= 300 {
		return errors.New(a.brief())
	}
	held, ours := finalizers(a.object)
	if !ours {
		return nil
	}
	body := map[string]any{"metadata": map[string]any{"finalizers": held}}
	a, err = p.send(ctx, manager, &Request{Method: http.MethodPatch, Path: path, Patch: "merge", Body: body})
	if err == nil && a.Status >= 300 && a.Status != http.StatusNotFound {
		err = errors.New(a.brief())
	}
	return err
}

// unsafely is the option by which a broken object is deleted.
const unsafely = "ignoreStoreReadErrorWithClusterBreakingPotential=true"

// finalizers returns those of an object that are not a lesson's, and whether there are others, of example.com.
func finalizers(object map[string]any) (others []any, ours bool) {
	v, _ := expr.Lookup(object, "metadata.finalizers")
	list, _ := v.([]any)
	others = []any{}
	for _, f := range list {
		if strings.HasPrefix(expr.Text(f), "example.com/") {
			ours = true
			continue
		}
		others = append(others, f)
	}
	return others, ours
}

// made remembers the object that a request created, so that it is removed at the end.
func (st *stage) made(r *Request, a *answer) {
	if a.Status != http.StatusCreated {
		return
	}
	path, query, _ := strings.Cut(r.Path, "?")
	if strings.Contains(query, "dryRun") {
		return
	}
	if r.Method == http.MethodPost {
		name, ok := expr.Lookup(a.object, "metadata.name")
		if ref, _ := refOf(path); !ok || ref.Name != "" { // of a subresource: a token, a binding
			return
		}
		path += "/" + expr.Text(name)
	}
	st.created = append(st.created, path)
	if ref, ok := refOf(path); ok {
		st.objects = append(st.objects, ref)
	}
}
