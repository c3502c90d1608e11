package debug

import (
	"fmt"
	"net/http"
	"strconv"
)

// A ForkList is the answer to a GET of /debug/fork.
type ForkList struct {
	Forks []Fork `json:"forks"` // oldest first
}

// serveFork lists, starts and ends forks.
func (p *handlers) serveFork(w http.ResponseWriter, r *http.Request) {
	if !allow(w, r, http.MethodGet, http.MethodPost, http.MethodDelete) {
		return
	}
	switch r.Method {
	case http.MethodGet:
		Answer(w, func() (any, error) {
			list := ForkList{Forks: []Fork{}}
			list.Forks = append(list.Forks, p.Forks()...)
			return list, nil
		})
	case http.MethodPost:
		Answer(w, func() (any, error) {
			var asked ForkRequest
			if err := ReadBody(w, r, maxAsked, &asked); err != nil {
				return nil, err
			}
			return p.Fork(r.Context(), asked)
		})
	case http.MethodDelete:
		Answer(w, func() (any, error) {
			id, err := strconv.Atoi(r.URL.Query().Get("id"))
			if err != nil {
				return nil, Wrong(fmt.Errorf("say which fork: /debug/fork?id=1"))
			}
			return map[string]int{"ended": id}, p.EndFork(id)
		})
	}
}
