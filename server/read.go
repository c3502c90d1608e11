package server

import (
	"kubarium/codecs"
	"kubarium/server/answer"
)

// objects is what an endpoint of objects can answer with.
func (q *Request) objects() codecs.Offer {
	o := codecs.Offer{Views: codecs.Views}
	if q.noTable {
		o.Views = codecs.MetadataViews
	}
	if q.Target.Kind.Dynamic {
		o.Codecs, o.Direct = codecs.Generic, true
	}
	return o
}

// collections is the same for one that can also be watched.
func (q *Request) collections() codecs.Offer {
	o := q.objects()
	o.Streams = true
	return o
}

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

func (s *Server) serveGetScale(q *Request) (*answer.Answer, error) {
	if err := q.Negotiate(q.objects()); err != nil {
		return nil, err
	}
	o, err := q.getOptions()
	if err != nil {
		return nil, err
	}
	scale, err := s.o.Registry.GetScale(q.Context(), q.Target, o.ResourceVersion)
	if err != nil {
		return nil, err
	}
	return q.Unstored(scale)
}
