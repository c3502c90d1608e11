package server

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authentication/user"

	"kubarium/server/answer"
	"kubarium/server/audit"
	"kubarium/server/authz"
)

// audit opens the request's event in the audit log, once the request is authenticated.
func (s *Server) audit(q *Request, out *answer.Response, requestor user.Info) error {
	return s.openEvent(q, out, requestor, s.o.Audit.Receive)
}

// auditAgain opens the event of a request that begins again. It continues the event that the request had.
func (s *Server) auditAgain(q *Request, out *answer.Response, requestor user.Info) error {
	return s.openEvent(q, out, requestor, s.o.Audit.Resume)
}

// auditRefused opens the event of a request that is refused before it is authenticated.
func (s *Server) auditRefused(q *Request, out *answer.Response, message string) error {
	return s.openEvent(q, out, nil, func(a audit.Subject) (*audit.Event, error) { return s.o.Audit.Refuse(a, message) })
}

func (s *Server) openEvent(q *Request, out *answer.Response, requestor user.Info, open func(audit.Subject) (*audit.Event, error)) error {
	if s.o.Audit == nil {
		return nil
	}
	attrs, err := authz.Attributes(q.Context(), &q.Route, requestor)
	if err == nil {
		out.Audit, err = open(audit.Subject{
			Request: q.Request, Attributes: attrs, Received: q.Flow.Flow.Start, LongRunning: q.Route.LongRunning(),
		})
	}
	if err != nil {
		return plainError{err}
	}
	return nil
}

// auditObject notes the object that the client sent, in its version.
func (q *Request) auditObject(obj runtime.Object) {
	if q.out.Audit == nil {
		return
	}
	gvk := obj.GetObjectKind().GroupVersionKind()
	if gvk.Empty() || gvk.Version == runtime.APIVersionInternal {
		gvk = q.Target.Kind.GroupVersionKind
	}
	q.out.Audit.Request(obj, gvk.GroupVersion(), q.place())
}

// place is where the request's object belongs.
func (q *Request) place() audit.Place {
	return audit.Place{GroupVersionResource: q.Target.Kind.GroupVersion().WithResource(q.Target.Kind.Resource), Subresource: q.Route.Subresource}
}
