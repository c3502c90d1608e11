package server

import (
	"kubarium/codecs"
	"kubarium/server/features"
)

// negotiate picks the form of the answer from the headers.
func (q *Request) negotiate(o codecs.Offer) (err error) {
	q.Flow.Enter("negotiate")
	q.Media, err = codecs.Negotiate(q.Header.Get("Accept"), q.UserAgent(), q.Query, q.offer(o))
	note := ""
	if err == nil {
		note = q.Media.String()
	}
	q.Flow.Leave(note, err)
	return err
}

// offer is an offer without what a feature gate has turned off.
func (q *Request) offer(o codecs.Offer) codecs.Offer {
	if !q.features.Enabled(features.CBORServingAndStorage) {
		o.Without = codecs.CBOR
	}
	return o
}

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

func (s *Server) serveGet(q *Request) (*answer, error) {
	if err := q.negotiate(q.objects()); err != nil {
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

func (s *Server) serveList(q *Request) (*answer, error) {
	if err := q.negotiate(q.collections()); err != nil {
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
	return &answer{list: &l, kind: q.Target.Kind}, nil
}

func (s *Server) serveGetScale(q *Request) (*answer, error) {
	if err := q.negotiate(q.objects()); err != nil {
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
	return q.unstored(scale)
}
