package server

import "kubarium/server/answer"

// serveList answers with the objects of a collection that selectors let through, or a chunk of them.
func (s *Server) serveList(q *Request) (*answer.Answer, error) {
	if err := q.Negotiate(q.collections()); err != nil {
		return nil, err
	}
	o, err := q.listOptions()
	if err != nil {
		return nil, err
	}
	l, err := s.o.Registry.List(q.Context(), q.Target, o)
	if err != nil {
		return nil, err
	}
	q.Flow.Flow.Revision = int64(l.Revision)
	return &answer.Answer{List: &l, Kind: q.Target.Kind}, nil
}
