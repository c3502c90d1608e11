package controllers

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// An emptier deletes what is in namespaces that are being deleted, and then lets them go.
type emptier struct {
	Client
	log *slog.Logger

	busy busy // uids of namespaces that are being emptied: another may have the name by now
	wg   sync.WaitGroup
}

// empty begins to empty a namespace that is being deleted, unless that is under way.
func (e *emptier) empty(ctx context.Context, object json.RawMessage) {
	var ns corev1.Namespace
	if json.Unmarshal(object, &ns) != nil || ns.DeletionTimestamp == nil || !e.busy.take(string(ns.UID)) {
		return
	}
	e.wg.Go(func() {
		defer e.busy.release(string(ns.UID))
		e.emptyUntilGone(ctx, ns.Name, ns.UID)
	})
}

func (e *emptier) wait() { e.wg.Wait() }

// emptyUntilGone tries until the namespace is gone. Objects that finalizers hold make it try again, more and more
// seldom.
func (e *emptier) emptyUntilGone(ctx context.Context, name string, uid types.UID) {
	for pause := 50 * time.Millisecond; ctx.Err() == nil; pause = min(2*pause, 5*time.Second) {
		gone, err := e.emptyOnce(ctx, name, uid)
		if gone {
			return
		}
		if err != nil {
			e.log.Debug("namespace is not empty yet", "namespace", name, "error", err)
		}
		sleep(ctx, pause)
	}
}

// emptyOnce deletes all content once, and removes the namespace's finalizer if nothing is left. Nothing can have come since
// it was listed: the namespace terminates, and the server lets nothing in then, not even what it had admitted before.
func (e *emptier) emptyOnce(ctx context.Context, name string, uid types.UID) (gone bool, err error) {
	if ns, err := e.terminating(ctx, name, uid); ns == nil || err != nil {
		return err == nil, err
	}
	served, err := e.inventory(ctx)
	if err != nil {
		return false, err
	}
	left := newRemaining()
	for _, c := range served.collections {
		if !c.namespaced {
			continue
		}
		items, err := e.deleteAll(ctx, c.in(name))
		if err != nil {
			return false, err
		}
		left.add(c, items)
	}
	if len(left.objects) > 0 {
		return e.tell(ctx, name, uid, left)
	}
	return e.finalize(ctx, name, uid)
}

// terminating reads a namespace that is to be emptied; nil if it is not there any more, or is not held by this controller's
// finalizer. Others may finalize it at any time, and a new one of the same name is not to be emptied.
func (e *emptier) terminating(ctx context.Context, name string, uid types.UID) (*corev1.Namespace, error) {
	var ns corev1.Namespace
	err := e.do(ctx, http.MethodGet, "/api/v1/namespaces/"+name, nil, &ns)
	if isNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if ns.UID != uid || ns.DeletionTimestamp == nil || !slices.Contains(ns.Spec.Finalizers, corev1.FinalizerKubernetes) {
		return nil, nil
	}
	return &ns, nil
}

// deleteAll deletes a collection and returns the objects that are still there. Pods go without grace: there is no
// kubelet to wait for.
func (e *emptier) deleteAll(ctx context.Context, path string) (left []metav1.PartialObjectMetadata, err error) {
	var list, after metav1.PartialObjectMetadataList
	if err := e.do(ctx, http.MethodGet, path, nil, &list); err != nil {
		return nil, err
	}
	if len(list.Items) == 0 {
		return nil, nil
	}
	policy, zero := metav1.DeletePropagationBackground, int64(0)
	o := metav1.DeleteOptions{
		TypeMeta:          metav1.TypeMeta{Kind: "DeleteOptions", APIVersion: "v1"},
		PropagationPolicy: &policy, GracePeriodSeconds: &zero,
	}
	if err := e.do(ctx, http.MethodDelete, path, o, nil); err != nil {
		return nil, err
	}
	if err := e.do(ctx, http.MethodGet, path, nil, &after); err != nil {
		return nil, err
	}
	return after.Items, nil
}

// finalize takes the finalizer "kubernetes" off the namespace, which ends it. One that other finalizers hold is theirs to
// wait for.
func (e *emptier) finalize(ctx context.Context, name string, uid types.UID) (gone bool, err error) {
	ns, err := e.terminating(ctx, name, uid)
	if ns == nil || err != nil {
		return err == nil, err
	}
	ns.Spec.Finalizers = slices.DeleteFunc(ns.Spec.Finalizers, func(f corev1.FinalizerName) bool { return f == corev1.FinalizerKubernetes })
	err = e.do(ctx, http.MethodPut, "/api/v1/namespaces/"+name+"/finalize", ns, nil)
	return err == nil || isNotFound(err), err
}

func isNotFound(err error) bool { return isRefused(err, http.StatusNotFound) }

func isConflict(err error) bool { return isRefused(err, http.StatusConflict) }

func isRefused(err error, code int32) bool {
	var refused *StatusError
	return errors.As(err, &refused) && refused.Status.Code == code
}
