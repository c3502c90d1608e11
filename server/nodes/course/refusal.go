package course

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A Refusal is why a node does not take a Pod that is bound to it.
type Refusal struct {
	Reason  string // "OutOfcpu", "NodeAffinity", …
	Message string
}

// kubeletsConditions are those that a kubelet sets, and takes away from a Pod that it refuses.
var kubeletsConditions = []corev1.PodConditionType{
	corev1.PodScheduled, corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady, "PodReadyToStartContainers",
}

// Status is that of the refused Pod (rejectPod of pkg/kubelet/kubelet.go). Conditions that others have set stay.
func (r *Refusal) Status(pod *corev1.Pod, now time.Time) corev1.PodStatus {
	s := corev1.PodStatus{
		ObservedGeneration: pod.Generation, QOSClass: pod.Status.QOSClass, StartTime: pod.Status.StartTime,
		Phase: corev1.PodFailed, Reason: r.Reason, Message: "Pod was rejected: " + r.Message,
	}
	for _, c := range pod.Status.Conditions {
		if !slices.Contains(kubeletsConditions, c.Type) {
			s.Conditions = append(s.Conditions, c)
		}
	}
	if s.StartTime == nil {
		s.StartTime = &metav1.Time{Time: now}
	}
	return s
}
