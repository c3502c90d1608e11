package server

import "kubarium/server/answer"

// serveGet answers with one object.
func (s *Server) serveGet(q *Request) (*answer.Answer, error) {
	if err := q.Negotiate(q.objects()); err != nil {
		return nil, err
	}
	o, err := q.getOptions()
	if err != nil {
		return nil, err
	}
	obj, err := s.o.Registry.Get(q.Context(), q.Target, o.ResourceVersion)
	if err != nil {
		return nil, err
	}
	return q.cached(obj), nil
}
