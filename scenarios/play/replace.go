package play

import (
	"errors"
	"net/http"
	"strings"

	"kubarium/scenarios"
	"kubarium/scenarios/client"
	"kubarium/scenarios/expr"
)

// replace pauses the controllers that the lesson replaces, until its watches end: the server pauses them for as long as the
// request lasts, so that they go on even if the player is killed. Servers that cannot pause controllers are left as they are.
func (st *stage) replace() error {
	if len(st.lesson.Replaces) == 0 {
		return nil
	}
	path := scenarios.ControllersPath + "?pause=" + strings.Join(st.lesson.Replaces, ",")
	stream, a, err := st.client.Open(st.ctx, client.Manager, &scenarios.Request{Method: http.MethodPost, Path: path})
	switch {
	case err != nil:
		return err
	case a.Status == http.StatusNotFound || a.Status == http.StatusForbidden: // not Kubarium's, or not this client's
		return nil
	case stream == nil:
		return errors.New(a.Brief())
	}
	f, err := stream.Next(st.ctx, "")
	if err != nil {
		return err
	}
	names, _ := expr.Lookup(f.Object, "paused")
	list, _ := names.([]any)
	for _, name := range list {
		st.replaced = append(st.replaced, expr.Text(name))
	}
	return nil
}
