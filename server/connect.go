package server

import (
	"maps"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"kubarium/server/authz"
)

// connect checks, before a connection to what runs for an object is opened, the second right that this needs, and
// asks all admission plugins.
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
	return s.o.Registry.Connect(q.Context(), q.Target, q.connectQuery(), q.asker())
}

// connectQuery has the options of a connection. That of a proxy has a path, which is the rest of the request's own,
// whatever its query says (k8s.io/apiserver, getRequestOptions).
func (q *Request) connectQuery() url.Values {
	info := q.Route.Info()
	if info.Subresource != "proxy" {
		return q.Query
	}
	path := strings.Join(info.Parts[3:], "/") // RESOURCE/NAME/proxy come first
	if path != "" && !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	if strings.HasSuffix(info.Path, "/") && !strings.HasSuffix(path, "/") {
		path += "/"
	}
	query := maps.Clone(q.Query)
	if query == nil {
		query = url.Values{}
	}
	query.Set("path", path)
	return query
}
