package server

import "kubarium/server/answer"

// serveUpdate answers with what was replaced, or created where that is allowed.
func (s *Server) serveUpdate(q *Request) (*answer.Answer, error) {
	obj, o, err := q.readWrite(q.updateOptions, q.decodeInternal)
	if err != nil {
		return nil, err
	}
	rec, created, err := s.o.Registry.Update(q.Context(), q.Target, obj, o.WriteOptions)
	if err != nil {
		return nil, err
	}
	return q.written(rec, created), nil
}
