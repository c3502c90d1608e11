package nodes

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"kubarium/server/nodes/course"
)

// places are the Pods that a node has taken on, which have their resources and ports until they end.
type places struct {
	info *framework.NodeInfo
	pods map[types.UID]*corev1.Pod
}

func newPlaces() places {
	return places{framework.NewNodeInfo(), map[types.UID]*corev1.Pod{}}
}

// admit takes a Pod on, or is why the node refuses it, in the words of kubelet's admission (pkg/kubelet/lifecycle/predicate.go):
// a Pod that was bound by another than the scheduler, or by an old view of the node. A Pod that runs already is taken.
func (n *node) admit(pod *corev1.Pod, known corelisters.NodeLister, runs bool) *course.Refusal {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.places.pods[pod.UID] != nil {
		return nil
	}
	if object, err := known.Get(n.name); err == nil && !runs {
		n.places.info.SetNode(object)
		for _, r := range scheduler.AdmissionCheck(pod, n.places.info, true) {
			if i := r.InsufficientResource; i != nil {
				if _, has := object.Status.Allocatable[i.ResourceName]; !has {
					continue // one that the node knows nothing of is the cluster's
				}
				return &course.Refusal{Reason: "OutOf" + string(i.ResourceName), Message: fmt.Sprintf(
					"Node didn't have enough resource: %s, requested: %d, used: %d, capacity: %d", i.ResourceName, i.Requested, i.Used, i.Capacity)}
			}
			return &course.Refusal{Reason: r.Name, Message: fmt.Sprintf("Predicate %s failed: %s", r.Name, r.Reason)}
		}
	}
	n.places.info.AddPod(pod)
	n.places.pods[pod.UID] = pod
	return nil
}

// leave frees the place of a Pod that has ended.
func (n *node) leave(uid types.UID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if pod := n.places.pods[uid]; pod != nil {
		_ = n.places.info.RemovePod(klog.Background(), pod)
		delete(n.places.pods, uid)
	}
}
