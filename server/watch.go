package server

import "kubarium/server/answer"

// serveWatch opens a watch; its stream is written when the answer is.
func (s *Server) serveWatch(q *Request) (*answer.Answer, error) {
	offer := q.collections()
	offer.Watch = true
	if err := q.Negotiate(offer); err != nil {
		return nil, err
	}
	o, err := q.listOptions()
	if err != nil {
		return nil, err
	}
	if q.Media.As == "Table" {
		if _, err := q.TableOptions(); err != nil {
			return nil, err
		}
	}
	w, err := s.o.Registry.Watch(q.Context(), q.Target, o)
	if err != nil {
		return nil, err
	}
	return s.streams.Open(&q.Client, q.Target.Kind, w, o)
}
