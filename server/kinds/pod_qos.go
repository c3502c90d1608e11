package kinds

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// podQOSClass tells how a pod would be treated when its node runs short: Guaranteed if all it may use it also asked for,
// BestEffort if it asked for nothing, Burstable between them. Only cpu and memory count. Resources stated for the pod
// as a whole take the place of its containers'.
func podQOSClass(p *corev1.Pod) corev1.PodQOSClass {
	var all []corev1.ResourceRequirements
	if p.Spec.Resources != nil && len(p.Spec.Resources.Limits)+len(p.Spec.Resources.Requests) > 0 {
		all = append(all, *p.Spec.Resources)
	} else {
		for _, c := range p.Spec.InitContainers {
			all = append(all, c.Resources)
		}
		for _, c := range p.Spec.Containers {
			all = append(all, c.Resources)
		}
	}
	requests, limits := corev1.ResourceList{}, corev1.ResourceList{}
	guaranteed := true
	for _, r := range all {
		addComputing(requests, r.Requests)
		guaranteed = addComputing(limits, r.Limits) == 2 && guaranteed
	}
	switch {
	case len(requests) == 0 && len(limits) == 0:
		return corev1.PodQOSBestEffort
	case guaranteed && sameAmounts(requests, limits):
		return corev1.PodQOSGuaranteed
	}
	return corev1.PodQOSBurstable
}

// addComputing adds the cpu and memory in list to sum, and returns how many of the two there were.
func addComputing(sum, list corev1.ResourceList) int {
	found := 0
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		q, ok := list[name]
		if !ok || q.Sign() <= 0 {
			continue
		}
		found++
		total := resource.Quantity{}
		if before, ok := sum[name]; ok {
			total = before.DeepCopy()
		}
		total.Add(q)
		sum[name] = total
	}
	return found
}

func sameAmounts(a, b corev1.ResourceList) bool {
	if len(a) != len(b) {
		return false
	}
	for name, q := range a {
		other, ok := b[name]
		if !ok || q.Cmp(other) != 0 {
			return false
		}
	}
	return true
}
