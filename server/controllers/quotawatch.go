package controllers

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	quota "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/apiserver/pkg/quota/v1/generic"
)

// countOf is how a quota names the objects of a resource: "count/deployments.apps".
const countOf = "count/"

// attend sees to it that whatever a quota names has an evaluator and is watched.
func (c *counter) attend(ctx context.Context, q *corev1.ResourceQuota) error {
	names := quota.ResourceNames(q.Spec.Hard)
	for _, name := range names {
		if resource, ok := strings.CutPrefix(string(name), countOf); ok {
			gr := schema.ParseGroupResource(resource)
			if c.registry.Get(gr) == nil {
				c.registry.Add(generic.NewObjectCountEvaluator(gr, generic.ListResourceUsingListerFunc(c.lister, gr.WithVersion("")), ""))
			}
		}
	}
	for _, e := range c.registry.List() {
		if len(e.MatchingResources(names)) == 0 {
			continue
		}
		gr := e.GroupResource()
		in, err := c.collection(ctx, gr)
		if err != nil {
			return err
		}
		if gr.Resource == "resourceclaims" {
			c.claims.StartWithContext(ctx)
			c.claims.WaitForCacheSyncWithContext(ctx)
		}
		c.mu.Lock()
		if !c.watched[in.in("")] {
			c.watched[in.in("")] = true
			c.running.Go(func() { c.watch(ctx, in) })
		}
		c.mu.Unlock()
	}
	return nil
}

// collection finds a resource in what the server serves, and asks anew for one that was not there.
func (c *counter) collection(ctx context.Context, gr schema.GroupResource) (collection, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if in, ok := c.served.find(gr); ok {
		return in, nil
	}
	served, err := c.inventory(ctx)
	if err != nil {
		return collection{}, err
	}
	c.served = served
	if in, ok := served.find(gr); ok {
		return in, nil
	}
	return collection{}, fmt.Errorf("no resource %s is served", gr)
}

func (i inventory) find(gr schema.GroupResource) (collection, bool) {
	for _, in := range i.collections {
		gv, err := schema.ParseGroupVersion(in.version)
		if err == nil && gv.Group == gr.Group && in.resource == gr.Resource {
			return in, true
		}
	}
	return collection{}, false
}

// watch has quotas counted again when objects of a resource go, or change in a way that may matter. It begins with what
// comes next: what is there is counted by lists.
func (c *counter) watch(ctx context.Context, in collection) {
	client := c.counting(in)
	client.keepWatching(ctx, c.log, in.in(""), func() (string, error) {
		var head struct {
			metav1.ListMeta `json:"metadata"`
		}
		if err := client.do(ctx, "GET", in.in("")+"?limit=1", nil, &head); err != nil {
			return "", err
		}
		c.recountAll() // what went before this revision
		return head.ResourceVersion, nil
	}, func(_ context.Context, e event) {
		if e.Type == "ADDED" || e.Type == "MODIFIED" && whole[in.groupKind()] == nil {
			return
		}
		var object struct {
			Metadata struct{ Namespace string }
		}
		if json.Unmarshal(e.Object, &object) == nil {
			c.recountIn(object.Metadata.Namespace)
		}
	})
}
