package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// run compares all kinds that are asked for. It returns errDifferent if anything differs or a field is not met.
func run(ctx context.Context, o options) error {
	if o.kubarium == "" || o.kubernetes == "" {
		return errors.New("--kubarium and --kubernetes are required")
	}
	began := time.Now()
	clients := []*client{newClient(o.kubarium, o.parallel), newClient(o.kubernetes, o.parallel)}
	kinds, err := commonKinds(ctx, clients, o.kinds)
	if err != nil {
		return err
	}
	runs := runName(began)
	fmt.Printf("%d kinds, %d objects each, seed %d, names begin with %s\n", len(kinds), o.count, o.seed, runs)
	sides, err := prepare(ctx, clients, runs)
	if err != nil {
		return err
	}
	plans, err := newPlans(kinds, o, runs)
	if err != nil {
		return err
	}
	out := &printer{out: os.Stdout, verbose: o.verbose}
	reports := make([]*kindReport, len(kinds))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(o.parallel)
	for i, p := range plans {
		g.Go(func() error {
			reports[i] = compareKind(ctx, p, kinds[i], o, sides)
			out.kind(reports[i])
			return ctx.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return sum(reports, began)
}

// commonKinds lists what both serve of what is wanted.
func commonKinds(ctx context.Context, clients []*client, wanted []string) ([]served, error) {
	a, err := discover(ctx, clients[0])
	if err != nil {
		return nil, err
	}
	b, err := discover(ctx, clients[1])
	if err != nil {
		return nil, err
	}
	kinds := inBoth(a, b, wanted)
	if len(kinds) == 0 {
		return nil, errors.New("no such kind in both servers")
	}
	return kinds, nil
}

// runName is a name that no other run of the last weeks had; its length is always the same.
func runName(t time.Time) string {
	const letters = 36 * 36 * 36 * 36 * 36 * 36
	return fmt.Sprintf("d%06s", strconv.FormatInt(t.UnixMilli()%letters, 36))
}

// prepare makes the namespace of the run, and returns what is known of each server.
func prepare(ctx context.Context, clients []*client, namespace string) ([]side, error) {
	var sides []side
	for _, c := range clients {
		ns := map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": namespace}}
		if _, err := c.create(ctx, "/api/v1/namespaces", ns); err != nil {
			return nil, err
		}
		review := map[string]any{"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
		a, err := c.create(ctx, "/apis/authentication.k8s.io/v1/selfsubjectreviews", review)
		if err != nil {
			return nil, err
		}
		status, _ := a["status"].(map[string]any)
		user, _ := status["userInfo"].(map[string]any)
		var own metav1.PartialObjectMetadata
		if err := c.get(ctx, "/api/v1/namespaces/default", &own); err != nil {
			return nil, err
		}
		s := side{client: c, began: time.Now(), user: user}
		for _, entry := range own.ManagedFields {
			s.program = entry.Manager
		}
		sides = append(sides, s)
	}
	return sides, nil
}

func newPlans(kinds []served, o options, run string) ([]*plan, error) {
	seeds, err := readSeeds()
	if err != nil {
		return nil, err
	}
	s, err := newSamples(seeds)
	if err != nil {
		return nil, err
	}
	var plans []*plan
	for _, k := range kinds {
		p, err := newPlan(k.gvk, k.subresources, seeds, s, o, run)
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	return plans, nil
}

// compareKind plays the stories of a kind, one after the other.
func compareKind(ctx context.Context, p *plan, k served, o options, servers []side) *kindReport {
	report := newKindReport(k, p)
	for i := range o.count {
		if o.only >= 0 && i != o.only {
			continue
		}
		report.objects++
		a, b := servers[0], servers[1]
		st := &story{plan: p, kind: k, index: i, sides: []*side{&a, &b}, report: report}
		if report.err = st.play(ctx); report.err != nil {
			break
		}
	}
	if o.only < 0 {
		report.missed = p.missed(&report.met)
	}
	return report
}

// sum prints the totals.
func sum(reports []*kindReport, began time.Time) error {
	objects, requests, different, missed := 0, 0, 0, 0
	failed := false
	for _, k := range reports {
		objects += k.objects
		requests += k.requests
		different += k.different()
		missed += len(k.missed)
		failed = failed || k.err != nil
	}
	fmt.Printf("%d kinds, %d objects, %d requests in %s: %d different answers, %d fields not met\n",
		len(reports), objects, requests, time.Since(began).Round(time.Second), different, missed)
	if different > 0 || missed > 0 || failed {
		return errDifferent
	}
	return nil
}
