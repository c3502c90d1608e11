package controllers

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	quota "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/apiserver/pkg/quota/v1/generic"
	"k8s.io/client-go/discovery"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
)

// countOf is how a quota names the objects of a resource: "count/deployments.apps".
const countOf = "count/"

// attend makes an evaluator and a watch for each resource that a quota names.
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
		in, err := c.served(ctx, gr)
		if err != nil {
			return err
		}
		if gr.Resource == "resourceclaims" {
			c.claims.StartWithContext(ctx)
			c.claims.WaitForCacheSyncWithContext(ctx)
		}
		c.mu.Lock()
		if !c.watched[in] {
			c.watched[in] = true
			c.running.Go(func() { c.watch(ctx, in) })
		}
		c.mu.Unlock()
	}
	return nil
}

// served finds a resource in what the server serves, and looks that up again for one that was not there.
func (c *counter) served(ctx context.Context, gr schema.GroupResource) (schema.GroupVersionResource, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.resources[gr]; ok {
		return at, nil
	}
	found, err := garbagecollector.GetDeletableResources(ctx, discovery.ToDiscoveryInterfaceWithContext(c.api.Discovery()))
	for at := range found {
		c.resources[at.GroupResource()] = at
	}
	if at, ok := c.resources[gr]; ok {
		return at, nil
	}
	return schema.GroupVersionResource{}, cmp.Or(err, fmt.Errorf("no resource %s is served", gr))
}

// watch has quotas counted again when objects of a resource are deleted, or change in a way that may matter. It begins
// with the next event: lists count the objects that exist.
func (c *counter) watch(ctx context.Context, in schema.GroupVersionResource) {
	client := c.counting(in)
	client.keepWatching(ctx, c.log, pathOf(in, ""), func() (string, error) {
		var head struct {
			metav1.ListMeta `json:"metadata"`
		}
		if err := client.do(ctx, "GET", pathOf(in, "")+"?limit=1", nil, &head); err != nil {
			return "", err
		}
		c.recountAll() // objects may have gone before this revision
		return head.ResourceVersion, nil
	}, func(_ context.Context, e event) {
		if e.Type == "ADDED" || e.Type == "MODIFIED" && whole[in.GroupResource()] == nil {
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
