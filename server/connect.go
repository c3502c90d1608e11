package server

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"kubarium/server/authz"
)

// connect asks, before a connection to what runs for an object is opened, for the right that this needs besides the first, and
// all admission plugins.
func (s *Server) connect(q *Request) error {
	if len(q.Query["dryRun"]) > 0 {
		return apierrors.NewBadRequest("dryRun is not supported")
	}
	switch q.Target.Subresource {
	case "exec", "attach", "portforward":
		first, err := authz.Attributes(q.Context(), &q.Route, q.who.User)
		if err != nil {
			return err
		}
		if err := s.authorizer().CheckConnect(q.Context(), first); err != nil {
			return err
		}
	}
	return s.o.Registry.Connect(q.Context(), q.Target, q.Query, q.asker())
}
