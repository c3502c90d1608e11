package debug

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
)

// Forks are the servers that began with a state of this one.
type Forks interface {
	// Forks returns those that run, the oldest first.
	Forks() []Fork
	// Fork starts one. Errors are those of a start, of Refusal, and storage.ErrTooLarge, ErrExpired or ErrNotFound for a state that cannot be
	// read.
	Fork(ctx context.Context, asked ForkRequest) (Fork, error)
	// EndFork ends one, whose file stays unless it is temporary; storage.ErrNotFound if none has this number.
	EndFork(id int) error
}

// A Fork is one fork as /debug/fork tells it.
type Fork struct {
	ID       int    `json:"id"`
	URL      string `json:"url"`
	Secure   string `json:"secure,omitempty"` // by HTTPS
	Revision int64  `json:"revision"`         // that it began with
	File     string `json:"file"`             // its database; ":memory:" for a temporary one
}

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

// A ForkRequest says what a fork shall be.
type ForkRequest struct {
	Revision int64  `json:"revision"` // 0 with a Snapshot, or for the newest
	Snapshot string `json:"snapshot"`
	Listen   string `json:"listen"` // address of the plain port, where the parent has one; "" picks a free one
	File     string `json:"file"`   // in the folder of the parent's database; "" picks a name
}
