package main

import (
	"context"
	"fmt"
	"net/http"
)

// Media types of the reads.
const (
	asJSON  = "application/json"
	asTable = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
)

// A story is what happens to the object at one index, on both servers: a create, reads, an update of each resource that
// shows it, and its end. Where the servers differ in a write, a valid object takes the place of the two, so that what
// follows begins from the same again.
type story struct {
	plan   *plan
	kind   served
	index  int
	again  int     // how many objects there were before
	sides  []*side // Kubarium, then kube-apiserver
	report *kindReport
}

func (st *story) play(ctx context.Context) error {
	changes := st.plan.creation(st.index)
	object := st.plan.object(st.index, 0)
	st.plan.apply(object, changes, st.index, "create")
	st.report.met.note(changes)
	ok, err := st.create(ctx, "create", object, true)
	if err != nil {
		return err
	}
	if !ok {
		if ok, err := st.restart(ctx); !ok {
			return err
		}
	}
	for _, sub := range append([]string{""}, st.kind.subresources...) {
		ok, err := st.update(ctx, sub)
		if err != nil {
			return err
		}
		if !ok {
			if ok, err := st.restart(ctx); !ok {
				return err
			}
		}
	}
	return st.end(ctx)
}

// create sends the object. It returns false unless both servers took it, and answered the same if they must agree.
func (st *story) create(ctx context.Context, step string, object map[string]any, mustAgree bool) (bool, error) {
	for _, s := range st.sides {
		s.kind, s.name, s.chosen = st.kind.gvk.Kind, "", map[string]string{}
		if user, _ := s.user["username"].(string); st.kind.gvk.Kind == "CertificateSigningRequest" {
			s.chosen[user] = "{user}"
		}
	}
	answers, same, err := st.ask(ctx, step, func(*side) request {
		return request{method: http.MethodPost, path: st.path("", ""), body: object}
	})
	if err != nil {
		return false, err
	}
	created := true
	for i, s := range st.sides {
		created = created && answers[i].code == http.StatusCreated
		if answers[i].code == http.StatusCreated {
			meta, _ := answers[i].object()["metadata"].(map[string]any)
			s.name, _ = meta["name"].(string)
		}
	}
	if !created || mustAgree && !same {
		return false, nil
	}
	if !mustAgree {
		_, err = st.read(ctx, step, asJSON)
		return true, err
	}
	return st.read(ctx, step, asJSON, asTable, asTable+"?includeObject=None")
}

// restart puts a valid object in the place of the present one. It returns false if the servers do not take it. If they
// show it differently, the story goes on nevertheless: what comes then differs in more than that.
func (st *story) restart(ctx context.Context) (bool, error) {
	if err := st.remove(ctx); err != nil {
		return false, err
	}
	st.again++
	ok, err := st.create(ctx, "create as seeded", st.plan.object(st.index, st.again), false)
	if err == nil && !ok {
		st.report.refuseSeed(st.index)
	}
	return ok, err
}

// update changes the object through the resource or a subresource. It returns false if what the servers now have differs.
func (st *story) update(ctx context.Context, sub string) (bool, error) {
	changes := st.plan.update(st.index)
	if sub != "" {
		changes = st.plan.subUpdate(st.index, sub)
	}
	st.report.met.note(changes)
	step := "update"
	if sub != "" {
		step += " " + sub
	}
	q := func(s *side) request {
		body := st.base(s, sub)
		if sub != "" {
			st.plan.fill(body, sub, st.index)
		}
		st.plan.apply(body, changes, st.index, step)
		return request{method: http.MethodPut, path: st.path(s.name, sub), body: body}
	}
	answers, same, err := st.send(ctx, step, q)
	if err == nil && st.settling() {
		same, err = st.again409(ctx, answers, q)
	}
	if err != nil {
		return false, err
	}
	st.note(step, answers)
	if !same {
		return false, nil
	}
	if answers[0].code != http.StatusOK {
		return true, nil
	}
	if sub != "" && sub != "status" {
		return st.read(ctx, step, asJSON)
	}
	return st.read(ctx, step, asJSON, asTable)
}

// base returns what an update begins with: the object as the server has it, or at times as the client would write it
// down, without what the server adds and without a resourceVersion.
func (st *story) base(s *side, sub string) map[string]any {
	if sub != "" || st.plan.rand(st.index, "base").IntN(3) > 0 {
		object := clone(s.object).(map[string]any)
		switch st.kind.gvk.Kind { // so that both servers are sent the same
		case "APIService":
			hideNoted(object, "Available")
		case "FlowSchema":
			hideNoted(object, "Dangling")
		}
		return object
	}
	written := st.plan.object(st.index, st.again)
	written["metadata"].(map[string]any)["name"] = s.name
	return written
}

// read gets the object in the given forms, the last JSON one to go on with. It returns false where the servers differ.
func (st *story) read(ctx context.Context, step string, forms ...string) (bool, error) {
	all := true
	for _, form := range forms {
		accept, query := form, ""
		if i := len(asTable); len(form) > i && form[:i] == asTable {
			accept, query = asTable, form[i:]
		}
		same, err := st.readForm(ctx, step, accept, query)
		if err != nil {
			return false, err
		}
		all = all && same
	}
	return all, nil
}

func (st *story) readForm(ctx context.Context, step, accept, query string) (bool, error) {
	name := "read after " + step
	if accept == asTable {
		name = "table" + query + " after " + step
	}
	w := newWait(st.kind.gvk.Kind == "CustomResourceDefinition" && accept == asJSON)
	for {
		answers, same, err := st.send(ctx, name, func(s *side) request {
			return request{method: http.MethodGet, path: st.path(s.name, "") + query, accept: accept}
		})
		if err != nil {
			return false, err
		}
		if w.more(answers, same) {
			continue
		}
		st.note(name, answers)
		if accept == asJSON && answers[0].code == http.StatusOK && answers[1].code == http.StatusOK {
			st.sides[0].object, st.sides[1].object = answers[0].object(), answers[1].object()
		}
		return same || accept == asTable, nil
	}
}

// end deletes the object as a client would, and takes away its finalizers if it stays.
func (st *story) end(ctx context.Context) error {
	if _, _, err := st.ask(ctx, "delete", st.request(http.MethodDelete, "", nil)); err != nil {
		return err
	}
	if st.settling() {
		return st.remove(ctx)
	}
	answers, same, err := st.ask(ctx, "read after delete", st.request(http.MethodGet, "", nil))
	if err != nil || same && answers[0].code == http.StatusNotFound {
		return err
	}
	if same && answers[0].code == http.StatusOK {
		if _, _, err := st.ask(ctx, "patch away finalizers", st.request(http.MethodPatch, "", withoutFinalizers)); err != nil {
			return err
		}
		if _, _, err := st.ask(ctx, "delete at once", st.request(http.MethodDelete, "?gracePeriodSeconds=0", nil)); err != nil {
			return err
		}
	}
	return st.remove(ctx)
}

// request is one for the object of the story.
func (st *story) request(method, query string, body any) func(*side) request {
	return func(s *side) request {
		return request{method: method, path: st.path(s.name, "") + query, body: body}
	}
}

var withoutFinalizers = map[string]any{"metadata": map[string]any{"finalizers": nil}}

// remove takes the object away on both servers, whatever they answer.
func (st *story) remove(ctx context.Context) error {
	for _, s := range st.sides {
		if s.name == "" {
			continue
		}
		path := st.path(s.name, "")
		for _, q := range []request{
			{method: http.MethodDelete, path: path + "?gracePeriodSeconds=0"},
			{method: http.MethodPatch, path: path, body: withoutFinalizers},
		} {
			a, err := s.client.do(ctx, q)
			if err != nil {
				return err
			}
			st.report.requests++
			if a.code == http.StatusNotFound || a.object()["kind"] == "Status" && a.code == http.StatusOK {
				break
			}
		}
	}
	return nil
}

func (st *story) path(name, sub string) string { return st.kind.path(st.plan.ns, name, sub) }

// ask is send, and notes the answers in the report.
func (st *story) ask(ctx context.Context, step string, q func(*side) request) ([]*answer, bool, error) {
	answers, same, err := st.send(ctx, step, q)
	if err == nil {
		st.note(step, answers)
	}
	return answers, same, err
}

// send asks both servers at the same time, and reports whether their answers are the same.
func (st *story) send(ctx context.Context, step string, q func(*side) request) ([]*answer, bool, error) {
	answers, errs := make([]*answer, len(st.sides)), make([]error, len(st.sides))
	done := make(chan struct{})
	go func() {
		defer close(done)
		answers[1], errs[1] = st.askOne(ctx, st.sides[1], q)
	}()
	answers[0], errs[0] = st.askOne(ctx, st.sides[0], q)
	<-done
	st.report.requests += len(st.sides)
	for i, err := range errs {
		if err != nil {
			return nil, false, fmt.Errorf("%s %d, %s, %s: %w", st.kind.gvk.Kind, st.index, step, st.sides[i].client.base, err)
		}
	}
	return answers, sameAnswers(answers), nil
}

func sameAnswers(answers []*answer) bool {
	return answers[0].code == answers[1].code && len(diff("", answers[0].normal, answers[1].normal)) == 0
}

// askOne asks one server, and normalizes its answer for the comparison.
func (st *story) askOne(ctx context.Context, s *side, q func(*side) request) (*answer, error) {
	asked := q(s)
	a, err := s.client.do(ctx, asked)
	if err != nil {
		return nil, err
	}
	if a.code >= http.StatusOK && a.code < http.StatusMultipleChoices && asked.body != nil {
		sent, _ := asked.body.(map[string]any)
		s.learn(sent, a.object())
	}
	if st.settling() {
		sortEntries(a.object())
	}
	a.normal = s.normalize(a.value)
	return a, nil
}

// note counts the answers and keeps how they differ.
func (st *story) note(step string, answers []*answer) {
	st.report.note(st.index, step, answers[0], answers[1])
}
