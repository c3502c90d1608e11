package kinds

import (
	"maps"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// PodDoor returns the row of Pod behind one of those subresources that write other parts of it than the main door does:
// "ephemeralcontainers" and "resize"; nil for any other. The rows are the same at each call.
func PodDoor(subresource string) *Kind { return podDoors()[subresource] }

var podDoors = sync.OnceValue(func() map[string]*Kind {
	return map[string]*Kind{"ephemeralcontainers": podEphemeralContainers(), "resize": podResize()}
})

// podResize is the row of a pod behind its subresource resize, which changes what containers may use and nothing else.
func podResize() *Kind {
	k := pod()
	k.PrepareForUpdate = keepAllButResources
	k.ValidateUpdate = validateResize
	return k
}

// keepAllButResources leaves a pod whose containers were added, removed or renamed as it is: the check will say so.
func keepAllButResources(obj, old runtime.Object) {
	p, was := obj.(*corev1.Pod), old.(*corev1.Pod)
	if len(renamed(p.Spec.Containers, was.Spec.Containers)) > 0 || len(renamed(p.Spec.InitContainers, was.Spec.InitContainers)) > 0 {
		return
	}
	now := p.Spec
	p.Spec = *was.Spec.DeepCopy()
	p.Spec.Resources = now.Resources
	takeResources(p.Spec.Containers, now.Containers)
	takeResources(p.Spec.InitContainers, now.InitContainers)
	metav1.ResetObjectMetaForStatus(&p.ObjectMeta, &was.ObjectMeta)
}

func takeResources(into, from []corev1.Container) {
	for i := range into {
		into[i].Resources, into[i].ResizePolicy = from[i].Resources, from[i].ResizePolicy
	}
}

// renamed lists the places where the names of containers differ; where their number does, it is one place, -1.
func renamed(now, was []corev1.Container) []int {
	if len(now) != len(was) {
		return []int{-1}
	}
	var places []int
	for i := range now {
		if now[i].Name != was[i].Name {
			places = append(places, i)
		}
	}
	return places
}

// validateResize lets cpu and memory change, as long as the pod keeps its place among others.
func validateResize(obj, old runtime.Object) field.ErrorList {
	p, was := obj.(*corev1.Pod), old.(*corev1.Pod)
	path := field.NewPath("spec")
	switch {
	case isStatic(was):
		return field.ErrorList{field.Forbidden(field.NewPath(""), "static pods cannot be resized")}
	case was.Spec.OS != nil && was.Spec.OS.Name == corev1.Windows:
		return field.ErrorList{field.Forbidden(field.NewPath(""), "windows pods cannot be resized")}
	}
	if errs := validateSameContainers(p, was, path); len(errs) > 0 {
		return errs
	}
	var errs field.ErrorList
	if class := podQOSClass(p); was.Status.QOSClass != class {
		errs = append(errs, field.Invalid(path, p.Status.QOSClass, "Pod QOS Class may not change as a result of resizing"))
	}
	if !nodeResizes(was) {
		errs = append(errs, field.Forbidden(path, "Pod running on node without support for resize"))
	}
	for i := range p.Spec.Containers {
		errs = append(errs, validateResized(&p.Spec.Containers[i], &was.Spec.Containers[i], path, path.Child("containers").Index(i))...)
	}
	for i := range p.Spec.InitContainers {
		errs = append(errs, validateResizedInit(&p.Spec.InitContainers[i], &was.Spec.InitContainers[i], path, path.Child("initContainers").Index(i))...)
	}
	return errs
}

func validateSameContainers(p, was *corev1.Pod, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	check := func(name string, now, was []corev1.Container) {
		for _, i := range renamed(now, was) {
			if i < 0 {
				errs = append(errs, field.Forbidden(path.Child(name), name+" may not be added or removed on resize"))
				continue
			}
			errs = append(errs, field.Forbidden(path.Child(name).Index(i).Child("name"), name+" may not be renamed or reordered on resize"))
		}
	}
	check("containers", p.Spec.Containers, was.Spec.Containers)
	check("initContainers", p.Spec.InitContainers, was.Spec.InitContainers)
	return errs
}

// nodeResizes tells whether a pod's node, if it runs there already, reports what containers were given: one that does
// not is too old to give them anything else.
func nodeResizes(p *corev1.Pod) bool {
	if p.Status.Phase != corev1.PodRunning {
		return true
	}
	for _, c := range p.Status.ContainerStatuses {
		if c.State.Running != nil && c.Resources == nil {
			return false
		}
	}
	return true
}

func validateResizedInit(c, was *corev1.Container, spec, path *field.Path) field.ErrorList {
	if was.RestartPolicy != nil && *was.RestartPolicy == corev1.ContainerRestartPolicyAlways {
		return validateResized(c, was, spec, path)
	}
	if equality.Semantic.DeepEqual(c.Resources, was.Resources) {
		return nil
	}
	return field.ErrorList{field.Forbidden(path.Child("resources"), "resources for non-sidecar init containers are immutable")}
}

// validateResized checks one container: nothing that was stated is taken away, and only cpu and memory change.
func validateResized(c, was *corev1.Container, spec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	at := path.Child("resources")
	if lost(c.Resources.Requests, was.Resources.Requests) {
		errs = append(errs, field.Forbidden(at.Child("requests"), "resource requests cannot be removed"))
	}
	if lost(c.Resources.Limits, was.Resources.Limits) {
		errs = append(errs, field.Forbidden(at.Child("limits"), "resource limits cannot be removed"))
	}
	if !equality.Semantic.DeepEqual(withoutComputing(c.Resources), withoutComputing(was.Resources)) {
		errs = append(errs, field.Forbidden(spec, "only cpu and memory resources are mutable"))
	}
	return errs
}

func lost(now, was corev1.ResourceList) bool {
	for name := range was {
		if _, ok := now[name]; !ok {
			return true
		}
	}
	return false
}

// withoutComputing is what resources say beside cpu and memory.
func withoutComputing(r corev1.ResourceRequirements) corev1.ResourceRequirements {
	rest := func(list corev1.ResourceList) corev1.ResourceList {
		others := maps.Clone(list)
		delete(others, corev1.ResourceCPU)
		delete(others, corev1.ResourceMemory)
		if len(others) == 0 {
			return nil
		}
		return others
	}
	return corev1.ResourceRequirements{Requests: rest(r.Requests), Limits: rest(r.Limits), Claims: r.Claims}
}
