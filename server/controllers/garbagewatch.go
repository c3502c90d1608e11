package controllers

import (
	"context"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"kubarium/server/discovery"
)

// watch keeps the graph's nodes of one resource. seen is called when all of them have been seen, and again.
func (c *collector) watch(ctx context.Context, in collection, seen func()) {
	defer seen()
	round := 0
	c.follow(ctx, c.log, in.in(""), func(ctx context.Context, e event) {
		if e.Type == listed {
			c.sweep(ctx, in, round)
			seen()
			round++
			return
		}
		if in.definesKinds() {
			c.kindsChanged()
		}
		var object metav1.PartialObjectMetadata
		if json.Unmarshal(e.Object, &object) == nil {
			if in.leadsElsewhere() {
				c.elsewhereChanged(e.Type, object.ObjectMeta)
			}
			last := round // that the object was in
			if !e.Listed {
				last--
			}
			c.take(ctx, in, e.Type, object.ObjectMeta, last)
		}
	})
}

// elsewhereChanged notes an APIService that leads to another server, and has resources looked up again.
func (c *collector) elsewhereChanged(eventType string, m metav1.ObjectMeta) {
	if m.Labels[discovery.Automanaged] != "" {
		return
	}
	c.mu.Lock()
	if eventType == "DELETED" {
		delete(c.elsewhere, m.UID)
	} else {
		c.elsewhere[m.UID] = true
	}
	c.mu.Unlock()
	c.kindsChanged()
}

// take takes an event into the graph, and enqueues what it may concern.
func (c *collector) take(ctx context.Context, in collection, eventType string, m metav1.ObjectMeta, round int) {
	c.mu.Lock()
	var next []types.UID
	if eventType == "DELETED" {
		next = c.graph.remove(m.UID)
	} else {
		before := c.graph.node(m.UID).owners
		n := c.graph.put(in, m, round)
		if len(n.owners) > 0 || n.deleting && len(n.finalizers) > 0 {
			next = append(next, n.uid)
		}
		for _, o := range before {
			next = append(next, o.UID) // it may have waited for this dependent
		}
		if n.deleting {
			for d := range n.dependents {
				next = append(next, d)
			}
		}
	}
	c.mu.Unlock()
	c.enqueue(ctx, next...)
}

// sweep takes out objects that were there before a list and did not come in it.
func (c *collector) sweep(ctx context.Context, in collection, round int) {
	c.mu.Lock()
	var next []types.UID
	for uid, n := range c.graph {
		if n.present && n.in == in && n.round < round {
			next = append(next, c.graph.remove(uid)...)
		}
	}
	c.mu.Unlock()
	c.enqueue(ctx, next...)
}
