package controllers

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/controller/namespace/deletion"
)

// An emptier deletes what is in namespaces that are being deleted, pods first, and then lets them go. Official code
// empties one namespace; the official loop around that waits five seconds before it begins, for the sake of several API
// servers.
type emptier struct {
	log     *slog.Logger
	deleter deletion.NamespacedResourcesDeleterInterface
	free    chan struct{} // holds one of a few places for each namespace that is worked on

	busy busy // namespaces that are being emptied
	wg   sync.WaitGroup
}

// emptiers is how many namespaces are worked on at once, as in kube-controller-manager.
const emptiers = 10

func runNamespaces(ctx context.Context, h host) {
	api := h.api()
	discover := api.Discovery().ServerPreferredNamespacedResources
	first, err := discover()
	for ; len(first) == 0; first, err = discover() {
		if sleep(ctx, time.Second); ctx.Err() != nil {
			return
		}
	}
	e := &emptier{log: h.log, free: make(chan struct{}, emptiers)}
	// The deleter asks for the served resources when it is made, and ends the process if there are none, as while the
	// server stops.
	once := func() ([]*metav1.APIResourceList, error) {
		if first == nil {
			return discover()
		}
		defer func() { first = nil }()
		return first, err
	}
	e.deleter = deletion.NewNamespacedResourcesDeleter(ctx, api.CoreV1().Namespaces(), h.client.Metadata(), api.CoreV1(), once, corev1.FinalizerKubernetes)
	h.plain().follow(ctx, h.log, "/api/v1/namespaces", present(e.empty))
	e.wg.Wait()
}

// empty begins to empty a namespace that is being deleted, unless that is under way.
func (e *emptier) empty(ctx context.Context, object json.RawMessage) {
	var ns corev1.Namespace
	if json.Unmarshal(object, &ns) != nil || ns.DeletionTimestamp == nil || len(ns.Spec.Finalizers) == 0 || !e.busy.take(ns.Name) {
		return
	}
	e.wg.Go(func() {
		defer e.busy.release(ns.Name)
		e.emptyUntilGone(ctx, ns.Name)
	})
}

// emptyUntilGone tries until the namespace is empty. Objects that finalizers hold make it try again, more and more seldom.
func (e *emptier) emptyUntilGone(ctx context.Context, name string) {
	for pause := 50 * time.Millisecond; ctx.Err() == nil; pause = min(2*pause, 5*time.Second) {
		e.free <- struct{}{}
		err := e.deleter.Delete(ctx, name)
		<-e.free
		if err == nil {
			return
		}
		e.log.Debug("namespace is not empty yet", "namespace", name, "error", err)
		sleep(ctx, pause)
	}
}

func isNotFound(err error) bool {
	var refused *StatusError
	return errors.As(err, &refused) && refused.Status.Code == http.StatusNotFound
}
