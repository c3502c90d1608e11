package app

import (
	"fmt"
	"net/http"
	"strconv"
)

// A forkRow is one fork as /debug/fork tells it.
type forkRow struct {
	ID       int    `json:"id"`
	URL      string `json:"url"`
	Secure   string `json:"secure,omitempty"` // by HTTPS
	Revision int64  `json:"revision"`         // that it began with
	File     string `json:"file"`             // its database; ":memory:" for a temporary one
}

func (f *fork) row() forkRow {
	return forkRow{f.id, f.URL, f.Secure, int64(f.revision), f.DB}
}

// A forkList is the answer to a GET of /debug/fork.
type forkList struct {
	Forks []forkRow `json:"forks"` // oldest first
}

// serveFork lists, starts and ends forks.
func (p *Program) serveFork(w http.ResponseWriter, r *http.Request) {
	if !allow(w, r, http.MethodGet, http.MethodPost, http.MethodDelete) {
		return
	}
	switch r.Method {
	case http.MethodGet:
		answerDebug(w, func() (any, error) {
			list := forkList{Forks: []forkRow{}}
			for _, f := range p.forks.all() {
				list.Forks = append(list.Forks, f.row())
			}
			return list, nil
		})
	case http.MethodPost:
		answerDebug(w, func() (any, error) {
			var asked forkRequest
			if err := readAsked(w, r, maxAsked, &asked); err != nil {
				return nil, err
			}
			f, err := p.fork(r.Context(), asked)
			if err != nil {
				return nil, err
			}
			return f.row(), nil
		})
	case http.MethodDelete:
		answerDebug(w, func() (any, error) {
			id, err := strconv.Atoi(r.URL.Query().Get("id"))
			if err != nil {
				return nil, askedError{fmt.Errorf("say which fork: /debug/fork?id=1")}
			}
			return map[string]int{"ended": id}, p.endFork(id)
		})
	}
}
