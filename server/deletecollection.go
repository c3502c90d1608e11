package server

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/answer"
)

// serveDeleteCollection answers with the list of what was deleted.
func (s *Server) serveDeleteCollection(q *Request) (*answer.Answer, error) {
	if err := q.Negotiate(q.collections()); err != nil {
		return nil, err
	}
	lo, err := q.listOptions()
	if err != nil {
		return nil, err
	}
	o, err := s.deleteOptions(q)
	if err != nil {
		return nil, err
	}
	if unsafe(o) {
		return nil, invalidOptions("DeleteOptions", field.ErrorList{field.Invalid(field.NewPath("ignoreStoreReadErrorWithClusterBreakingPotential"), true,
			"is not allowed with DELETECOLLECTION, try again after removing the option")})
	}
	q.warnOrphans(o)
	l, err := s.o.Registry.DeleteCollection(q.Context(), q.Target, lo, o, q.asker())
	if err != nil {
		return nil, err
	}
	return &answer.Answer{List: &l, Kind: q.Target.Kind}, nil
}
