package controllers

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/server/nodes/script"
)

// A podCollector removes pods that are being deleted gracefully. On a cluster the kubelet of their node does that once
// the containers have ended; here no node runs anything, so nothing has to end.
type podCollector struct {
	Client
	nodes bool // whether there are simulated nodes, whose kubelets end their Pods
	log   *slog.Logger
}

func runPods(ctx context.Context, h host) {
	p := &podCollector{Client: h.plain(), nodes: h.nodes, log: h.log}
	if h.nodes {
		var orphans sync.WaitGroup
		defer orphans.Wait()
		orphans.Go(func() { official(newOrphanCollector)(ctx, h) })
	}
	p.follow(ctx, h.log, "/api/v1/pods", present(p.collect))
}

func (p *podCollector) collect(ctx context.Context, object json.RawMessage) {
	var pod corev1.Pod
	if json.Unmarshal(object, &pod) != nil || pod.DeletionTimestamp == nil {
		return
	}
	if s := pod.DeletionGracePeriodSeconds; s == nil || *s == 0 {
		return // only finalizers hold it
	}
	if p.nodes && p.simulated(ctx, pod.Spec.NodeName) {
		return
	}
	zero := int64(0)
	o := metav1.DeleteOptions{
		TypeMeta:           metav1.TypeMeta{Kind: "DeleteOptions", APIVersion: "v1"},
		GracePeriodSeconds: &zero, Preconditions: &metav1.Preconditions{UID: &pod.UID},
	}
	err := p.insist(ctx, http.MethodDelete, "/api/v1/namespaces/"+pod.Namespace+"/pods/"+pod.Name, o, nil)
	if err != nil && !isNotFound(err) && ctx.Err() == nil {
		p.log.Warn("pod was not removed", "namespace", pod.Namespace, "name", pod.Name, "error", err)
	}
}

// simulated reports whether a node of this name is a simulated one.
func (p *podCollector) simulated(ctx context.Context, name string) bool {
	var node corev1.Node
	return name != "" && p.insist(ctx, http.MethodGet, "/api/v1/nodes/"+name, nil, &node) == nil && script.IsSimulated(&node)
}
