package play

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"kubarium/scenarios"
	"kubarium/scenarios/client"
	"kubarium/scenarios/expr"
)

// calm ends the lesson's watches and the requests that are held, and removes its fault rules, even after ctx has ended. The stage may
// be nil.
func (st *stage) calm(ctx context.Context) error {
	if st == nil {
		return nil
	}
	st.cancel()
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), st.client.Patience)
	defer done()
	return st.mend(ctx)
}

// mend removes the lesson's fault rules.
func (st *stage) mend(ctx context.Context) error {
	if !st.faulty {
		return nil
	}
	if err := st.gate.mend(ctx, st.values["ns"]); err != nil {
		return err
	}
	st.faulty = false
	return nil
}

// clean ends the watches and removes what the lesson made: its fault rules, its objects, newest first, its namespace, and at last its
// servers, which no client asks any more. It works even after ctx has ended. Objects that are gone already are no error. The stage may be nil.
func (st *stage) clean(ctx context.Context) error {
	if st == nil {
		return nil
	}
	problems := []error{st.calm(ctx)}
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), st.client.Patience)
	defer done()
	paths := slices.Clone(st.created)
	slices.Reverse(paths)
	for _, c := range st.lesson.Cleanup {
		paths = append(paths, expr.Fill(c, st.values))
	}
	if ns := st.values["ns"]; ns != "" {
		paths = append(paths, "/api/v1/namespaces/"+ns)
	}
	for _, path := range paths {
		if err := st.remove(ctx, path); err != nil {
			problems = append(problems, fmt.Errorf("delete %s: %w", path, err))
		}
	}
	st.servers.StopAll()
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("remove what the lesson made: %w", err)
	}
	return nil
}

// unsafely is the option by which a broken object is deleted.
const unsafely = "ignoreStoreReadErrorWithClusterBreakingPotential=true"

// remove deletes an object, and removes the finalizers that lessons put on objects: after a lesson that ends early, no client would.
func (st *stage) remove(ctx context.Context, path string) error {
	a, err := st.send(ctx, &scenarios.Request{Method: http.MethodDelete, Path: path})
	if err == nil && a.Status == http.StatusInternalServerError { // it may be one that the lesson broke, so that it cannot be read
		a, err = st.send(ctx, &scenarios.Request{Method: http.MethodDelete, Path: path + "?" + unsafely})
	}
	if err != nil || a.Status == http.StatusNotFound || a.Status == http.StatusConflict {
		return err
	}
	if a.Status >= 300 {
		return errors.New(a.Brief())
	}
	held, ours := finalizers(a.Object)
	if !ours {
		return nil
	}
	body := map[string]any{"metadata": map[string]any{"finalizers": held}}
	a, err = st.send(ctx, &scenarios.Request{Method: http.MethodPatch, Path: path, Patch: "merge", Body: body})
	if err == nil && a.Status >= 300 && a.Status != http.StatusNotFound {
		err = errors.New(a.Brief())
	}
	return err
}

func (st *stage) send(ctx context.Context, r *scenarios.Request) (*client.Response, error) {
	return st.client.Send(ctx, client.Manager, r)
}

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
