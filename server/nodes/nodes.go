// Package nodes runs simulated nodes: an HTTP client of the server that keeps Nodes with their Leases and does for the Pods on them what
// kubelets do, except that no container runs. What Pods do is decided by package course; their annotations are read by package script.
package nodes

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"

	"kubarium/server/loopback"
	"kubarium/server/nodes/script"
	"kubarium/server/nodes/volumes"
)

// Most is the largest number of simulated nodes.
const Most = 100

// manager is the field manager of what the nodes write, as of a kubelet.
const manager = "kubelet"

// Options say which nodes run.
type Options struct {
	Count   int    // node-1 to node-COUNT; 0 to Most
	Version string // of the kubelets: "v1.37.0"
	Log     *slog.Logger
}

// Run runs the nodes until ctx ends, and provides volumes. Simulated nodes of before that are more than Count are removed first,
// with their Leases and Pods, and with the last one the StorageClass, unless there are volumes.
func Run(ctx context.Context, server loopback.Server, o Options) {
	dialer := loopback.To(server)
	defer dialer.Close()
	if err := remove(ctx, dialer.As("kubelets", manager).Kubernetes(), o.Count); err != nil && ctx.Err() == nil {
		o.Log.Error("remove simulated nodes of before", "error", err)
	}
	if o.Count == 0 {
		return
	}
	all := newKubelets(dialer, o.Log)
	var wg sync.WaitGroup
	for i := range o.Count {
		n := newNode(i+1, o.Version, dialer)
		if err := n.register(ctx); err != nil {
			if ctx.Err() == nil {
				o.Log.Error("add a simulated node", "node", n.name, "error", err)
			}
			continue
		}
		all.nodes[n.name] = n
	}
	all.run(ctx, &wg)
	wg.Go(func() { volumes.Run(ctx, server, o.Log) })
	wg.Wait()
}

// nameOf is that of a node.
func nameOf(number int) string { return fmt.Sprintf("node-%d", number) }

// remove removes the simulated nodes after the first count ones.
func remove(ctx context.Context, api kubernetes.Interface, count int) error {
	list, err := api.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	var problems []error
	for i := range list.Items {
		n := &list.Items[i]
		number, err := strconv.Atoi(strings.TrimPrefix(n.Name, "node-"))
		if !script.IsSimulated(n) || err == nil && number <= count && n.Name == nameOf(number) {
			continue
		}
		problems = append(problems, removeNode(ctx, api, n.Name))
	}
	if count == 0 {
		problems = append(problems, volumes.Remove(ctx, api))
	}
	return errors.Join(problems...)
}

func removeNode(ctx context.Context, api kubernetes.Interface, name string) error {
	on := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("spec.nodeName", name).String()}
	pods, err := api.CoreV1().Pods(metav1.NamespaceAll).List(ctx, on)
	if err != nil {
		return err
	}
	for i := range pods.Items {
		if err := forget(ctx, api, &pods.Items[i]); err != nil {
			return err
		}
	}
	if err := api.CoordinationV1().Leases(corev1.NamespaceNodeLease).Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	if err := api.CoreV1().Nodes().Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	return nil
}

// forget deletes a Pod of which nothing runs any more, at once. That it is gone is no error.
func forget(ctx context.Context, api kubernetes.Interface, pod *corev1.Pod) error {
	now := int64(0)
	err := api.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &now, Preconditions: &metav1.Preconditions{UID: &pod.UID}})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}
