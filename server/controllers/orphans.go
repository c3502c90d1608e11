package controllers

import (
	"context"
	"encoding/json"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
)

// The times of kube-controller-manager's collector of Pods.
const (
	orphanPeriod = 20 * time.Second
	orphanWait   = 40 * time.Second // for which a Node must have been gone
)

// An orphanCollector deletes Pods whose Node is gone, as the official collector does. That one is not linked: it would bring the
// kubelet's eviction with it, and containerd's and cgroups' libraries.
type orphanCollector struct {
	api   kubernetes.Interface
	pods  corelisters.PodLister
	nodes corelisters.NodeLister
	gone  map[string]time.Time // since when Nodes are gone
}

func newOrphanCollector(m making) (loop, error) {
	pods, nodes := m.core().Pods(), m.core().Nodes()
	c := &orphanCollector{m.api, pods.Lister(), nodes.Lister(), map[string]time.Time{}}
	synced := []func() bool{pods.Informer().HasSynced, nodes.Informer().HasSynced}
	return func(ctx context.Context) {
		for ticks := time.NewTicker(orphanPeriod); ; {
			if synced[0]() && synced[1]() {
				if err := c.collect(ctx, time.Now()); err != nil && ctx.Err() == nil {
					m.host.log.Warn("Pods of a Node that is gone were not removed", "error", err)
				}
			}
			select {
			case <-ticks.C:
			case <-ctx.Done():
				ticks.Stop()
				return
			}
		}
	}, nil
}

// collect deletes the Pods whose Nodes have been gone for long enough.
func (c *orphanCollector) collect(ctx context.Context, now time.Time) error {
	pods, err := c.pods.List(labels.Everything())
	if err != nil {
		return err
	}
	gone := map[string]time.Time{}
	for _, pod := range pods {
		name := pod.Spec.NodeName
		if name == "" {
			continue
		}
		if _, err := c.nodes.Get(name); !apierrors.IsNotFound(err) {
			continue
		}
		if gone[name] = c.gone[name]; gone[name].IsZero() {
			gone[name] = now
		}
		if now.Sub(gone[name]) < orphanWait {
			continue
		}
		if _, err := c.api.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			continue
		}
		if err := c.remove(ctx, pod); err != nil {
			return err
		}
	}
	c.gone = gone
	return nil
}

// remove lets a Pod fail, with the reason, and deletes it.
func (c *orphanCollector) remove(ctx context.Context, pod *corev1.Pod) error {
	if pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed {
		condition := corev1.PodCondition{
			Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "DeletionByPodGC",
			Message: "PodGC: node no longer exists", LastTransitionTime: metav1.Now(), ObservedGeneration: pod.Generation,
		}
		patch, err := json.Marshal(map[string]any{
			"metadata": map[string]any{"uid": pod.UID},
			"status":   map[string]any{"phase": corev1.PodFailed, "conditions": []any{condition}},
		})
		if err != nil {
			return err
		}
		_, err = c.api.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, patch,
			metav1.PatchOptions{}, "status")
		if err != nil {
			return ignoreGone(err)
		}
	}
	now := int64(0)
	o := metav1.DeleteOptions{GracePeriodSeconds: &now, Preconditions: &metav1.Preconditions{UID: &pod.UID}}
	return ignoreGone(c.api.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, o))
}

// ignoreGone is no error where an object is gone, or another one has its name.
func ignoreGone(err error) error {
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}
