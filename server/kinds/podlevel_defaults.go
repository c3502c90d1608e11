package kinds

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// defaultPodLevel completes the resources of the pod as a whole, once some are stated, from those of its containers:
// requests from the containers' requests or else from the limits, limits where every container has one.
func defaultPodLevel(p *corev1.Pod) {
	r := p.Spec.Resources
	if r == nil || len(r.Limits)+len(r.Requests) == 0 {
		return
	}
	requests := containersTogether(p, func(r corev1.ResourceRequirements) corev1.ResourceList { return r.Requests })
	limits := containersTogether(p, func(r corev1.ResourceRequirements) corev1.ResourceList { return r.Limits })
	if len(r.Limits) == 0 {
		r.Limits = limitsOfAll(p, limits)
		return
	}
	if r.Requests == nil {
		r.Requests = corev1.ResourceList{}
	}
	addMissing(r.Requests, requests)
	addMissing(r.Requests, r.Limits)
}

// limitsOfAll keeps of the sums those to which every container has given its part.
func limitsOfAll(p *corev1.Pod, sums corev1.ResourceList) corev1.ResourceList {
	kept := corev1.ResourceList{}
	addMissing(kept, sums)
	for _, c := range append(append([]corev1.Container{}, p.Spec.InitContainers...), p.Spec.Containers...) {
		for name := range kept {
			if _, ok := c.Resources.Limits[name]; !ok {
				delete(kept, name)
			}
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return kept
}

// addMissing takes over cpu and memory, the resources that a pod can state as a whole.
func addMissing(to, from corev1.ResourceList) {
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		q, ok := from[name]
		if _, has := to[name]; ok && !has {
			to[name] = q.DeepCopy()
		}
	}
}

// containersTogether sums what the containers and sidecars have at the same time; an init container that alone has more
// (with the sidecars started before it) raises the sum to that.
func containersTogether(p *corev1.Pod, of func(corev1.ResourceRequirements) corev1.ResourceList) corev1.ResourceList {
	sum, sidecars, peak := corev1.ResourceList{}, corev1.ResourceList{}, corev1.ResourceList{}
	for _, c := range p.Spec.Containers {
		addAmounts(sum, of(c.Resources))
	}
	names := sidecarNames(p)
	for _, c := range p.Spec.InitContainers {
		if names[c.Name] {
			addAmounts(sidecars, of(c.Resources))
			addAmounts(sum, of(c.Resources))
			continue
		}
		alone := sidecars.DeepCopy()
		addAmounts(alone, of(c.Resources))
		raiseAmounts(peak, alone)
	}
	raiseAmounts(sum, peak)
	return sum
}

func addAmounts(sum, list corev1.ResourceList) {
	for name, q := range list {
		total := resource.Quantity{Format: q.Format}
		if before, ok := sum[name]; ok {
			total = before.DeepCopy()
		}
		total.Add(q)
		sum[name] = total
	}
}

func raiseAmounts(sum, list corev1.ResourceList) {
	for name, q := range list {
		if before, ok := sum[name]; !ok || before.Cmp(q) < 0 {
			sum[name] = q.DeepCopy()
		}
	}
}
