package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// settle is how long bindings may take until authorizers heed them, and how long an answer that differs waits to be asked for
// again.
const settle = 2 * time.Second

// A report counts answers, and prints those that differ. It is safe for concurrent use.
type report struct {
	mu                           sync.Mutex
	out                          io.Writer
	examples                     int
	asked, different, of, differ int // in all, and since the last part began
}

func (r *report) note(question, kubarium, kubernetes string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	r.of++
	if kubarium == kubernetes {
		return
	}
	r.different++
	r.differ++
	if r.different <= r.examples {
		fmt.Fprintf(r.out, "%s\n    Kubarium:   %s\n    Kubernetes: %s\n", question, kubarium, kubernetes)
	}
}

// end prints what came of a part.
func (r *report) end(part string) {
	fmt.Fprintf(r.out, "%s: %d answers, %d differ\n", part, r.of, r.differ)
	r.of, r.differ = 0, 0
}

// run compares everything. It returns errDifferent if anything differs.
func run(ctx context.Context, o options) error {
	kubarium, err := newServer("Kubarium", o.kubarium)
	if err != nil {
		return err
	}
	kubernetes, err := newServer("Kubernetes", o.kubernetes)
	if err != nil {
		return err
	}
	began := time.Now()
	servers := []*server{kubarium, kubernetes}
	for _, s := range servers {
		if err := s.prepare(ctx); err != nil {
			return err
		}
	}
	time.Sleep(settle)
	r := &report{out: os.Stdout, examples: o.examples}
	if err := r.access(ctx, servers, o.parallel); err != nil {
		return err
	}
	if err := r.rules(ctx, servers); err != nil {
		return err
	}
	for _, q := range oddReviews() {
		err := r.both(q.path+" "+q.body, servers, func(s *server) (string, error) { return s.post(ctx, q.path, q.body) })
		if err != nil {
			return err
		}
	}
	r.end("odd and malformed reviews")
	fmt.Fprintf(r.out, "%d answers in %s, %d differ\n", r.asked, time.Since(began).Round(time.Second), r.different)
	if r.different > 0 {
		return errDifferent
	}
	return nil
}

// both notes what both servers answer.
func (r *report) both(question string, servers []*server, ask func(*server) (string, error)) error {
	var answers [2]string
	for i, s := range servers {
		var err error
		if answers[i], err = ask(s); err != nil {
			return err
		}
	}
	r.note(question, answers[0], answers[1])
	return nil
}

// access asks all questions of all subjects.
func (r *report) access(ctx context.Context, servers []*server, parallel int) error {
	resources, err := discover(ctx, servers)
	if err != nil {
		return err
	}
	for _, one := range subjects() {
		if err := r.subject(ctx, servers, one, resources, parallel); err != nil {
			return err
		}
	}
	return nil
}

func (r *report) subject(ctx context.Context, servers []*server, one subject, resources []schema.GroupVersionResource, parallel int) error {
	var allowed int
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	all := questions(one, resources)
	counts := make(chan bool, len(all))
	for _, spec := range all {
		g.Go(func() error {
			answers, err := reviewed(ctx, servers, spec)
			if err != nil {
				return err
			}
			counts <- answers[1] != `{"allowed":false}`
			r.note(text(spec), answers[0], answers[1])
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	close(counts)
	for yes := range counts {
		if yes {
			allowed++
		}
	}
	r.end(fmt.Sprintf("%s (%s %s, %d with more than a no)", one.user, one.role.Kind, one.role.Name, allowed))
	return nil
}

// reviewed are the answers of both; asked for a second time if they differ, since authorizers hear of bindings after a while.
func reviewed(ctx context.Context, servers []*server, spec authorizationv1.SubjectAccessReviewSpec) (answers [2]string, err error) {
	for range 2 {
		for i, s := range servers {
			if answers[i], err = s.review(ctx, spec); err != nil {
				return answers, err
			}
		}
		if answers[0] == answers[1] {
			return answers, nil
		}
		time.Sleep(settle)
	}
	return answers, nil
}

// rules compares the answers to users about themselves.
func (r *report) rules(ctx context.Context, servers []*server) error {
	users := []string{""}
	for _, one := range subjects() {
		users = append(users, one.user)
	}
	ok, err := servers[0].impersonates(ctx, users[1])
	if err != nil {
		return err
	}
	if !ok {
		fmt.Fprintln(r.out, "Kubarium does not let its client impersonate: only the rules of that client are compared")
		users = users[:1]
	}
	for _, user := range users {
		for _, in := range []string{namespace, "default"} {
			err := r.both(fmt.Sprintf("rules of %q in %s", user, in), servers, func(s *server) (string, error) { return s.rules(ctx, user, in) })
			if err != nil {
				return err
			}
		}
	}
	r.end("rules of users, as the servers list them for each")
	return nil
}
