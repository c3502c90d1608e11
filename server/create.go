package server

import (
	"net/http"

	"kubarium/server/answer"
)

// serveCreate answers with what was created.
func (s *Server) serveCreate(q *Request) (*answer.Answer, error) {
	obj, o, err := q.readWrite(q.createOptions, q.decodeInternal)
	if err != nil {
		return nil, err
	}
	rec, err := s.o.Registry.Create(q.Context(), q.Target, obj, o.WriteOptions)
	if err != nil {
		return nil, err
	}
	return q.record(rec).Code(http.StatusCreated), nil
}
