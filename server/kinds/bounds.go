package kinds

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/apps"
	"k8s.io/kubernetes/pkg/apis/batch"
	"k8s.io/kubernetes/pkg/apis/core"
)

// Official checks compare the items of some lists with each other. They cannot be interrupted, so their lists are
// bounded before they begin: the pairs of this many items take a tenth of a second.
const (
	maxCompared = 2000 // items of one list
	maxPorts    = 300  // ports of all containers of a pod, each pair of which may be warned of
)

// boundLists refuses an object whose lists are too long for official checks; nil for one that they can take.
func boundLists(obj runtime.Object) field.ErrorList {
	switch o := obj.(type) {
	case *core.Pod:
		return boundPod(&o.Spec, field.NewPath("spec"))
	case *core.PodTemplate:
		return boundPod(&o.Template.Spec, field.NewPath("template", "spec"))
	case *core.ReplicationController:
		if o.Spec.Template != nil {
			return boundPod(&o.Spec.Template.Spec, templateSpec)
		}
	case *apps.ReplicaSet:
		return boundPod(&o.Spec.Template.Spec, templateSpec)
	case *apps.Deployment:
		return boundPod(&o.Spec.Template.Spec, templateSpec)
	case *apps.DaemonSet:
		return boundPod(&o.Spec.Template.Spec, templateSpec)
	case *apps.StatefulSet:
		return boundPod(&o.Spec.Template.Spec, templateSpec)
	case *batch.Job:
		return boundPod(&o.Spec.Template.Spec, templateSpec)
	case *batch.CronJob:
		return boundPod(&o.Spec.JobTemplate.Spec.Template.Spec, field.NewPath("spec", "jobTemplate", "spec", "template", "spec"))
	case *core.Service:
		return append(bounded(field.NewPath("spec", "externalIPs"), o.Spec.ExternalIPs), bounded(field.NewPath("spec", "ports"), o.Spec.Ports)...)
	case *core.LimitRange:
		return bounded(field.NewPath("spec", "limits"), o.Spec.Limits)
	}
	return nil
}

var templateSpec = field.NewPath("spec", "template", "spec")

func bounded[T any](path *field.Path, list []T) field.ErrorList {
	if len(list) <= maxCompared {
		return nil
	}
	return field.ErrorList{field.TooMany(path, len(list), maxCompared)}
}

// boundPod does the same for the spec of a pod.
func boundPod(s *core.PodSpec, path *field.Path) field.ErrorList {
	ports := 0
	for _, containers := range [][]core.Container{s.Containers, s.InitContainers} {
		for i := range containers {
			ports += len(containers[i].Ports)
		}
	}
	if ports > maxPorts {
		return field.ErrorList{field.TooMany(path.Child("containers"), ports, maxPorts)}
	}
	errs := bounded(path.Child("topologySpreadConstraints"), s.TopologySpreadConstraints)
	for i := range s.Volumes {
		errs = append(errs, boundVolume(&s.Volumes[i], path.Child("volumes").Index(i))...)
	}
	return errs
}

func boundVolume(v *core.Volume, path *field.Path) field.ErrorList {
	switch {
	case v.ConfigMap != nil:
		return bounded(path.Child("configMap", "items"), v.ConfigMap.Items)
	case v.Secret != nil:
		return bounded(path.Child("secret", "items"), v.Secret.Items)
	case v.DownwardAPI != nil:
		return bounded(path.Child("downwardAPI", "items"), v.DownwardAPI.Items)
	case v.Projected == nil:
		return nil
	}
	items, errs := 0, bounded(path.Child("projected", "sources"), v.Projected.Sources)
	for _, s := range v.Projected.Sources {
		if s.ConfigMap != nil {
			items += len(s.ConfigMap.Items)
		}
		if s.Secret != nil {
			items += len(s.Secret.Items)
		}
		if s.DownwardAPI != nil {
			items += len(s.DownwardAPI.Items)
		}
	}
	if items > maxCompared {
		errs = append(errs, field.TooMany(path.Child("projected", "sources"), items, maxCompared))
	}
	return errs
}
