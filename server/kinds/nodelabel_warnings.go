package kinds

import (
	"maps"
	"slices"

	nodev1 "k8s.io/api/node/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// oldNodeLabels are labels of nodes that should no longer be asked for, and what is said of each.
var oldNodeLabels = map[string]string{
	"beta.kubernetes.io/arch":                       `deprecated since v1.14; use "kubernetes.io/arch" instead`,
	"beta.kubernetes.io/os":                         `deprecated since v1.14; use "kubernetes.io/os" instead`,
	"failure-domain.beta.kubernetes.io/region":      `deprecated since v1.17; use "topology.kubernetes.io/region" instead`,
	"failure-domain.beta.kubernetes.io/zone":        `deprecated since v1.17; use "topology.kubernetes.io/zone" instead`,
	"beta.kubernetes.io/instance-type":              `deprecated since v1.17; use "node.kubernetes.io/instance-type" instead`,
	"app.kubernetes.io/created-by":                  `deprecated since v1.9`,
	"scheduler.alpha.kubernetes.io/preferAvoidPods": `deprecated since v1.22; use Taints and Tolerations instead`,
	"node-role.kubernetes.io/master":                `use "node-role.kubernetes.io/control-plane" instead`,
}

// warnRuntimeClass warns of old labels in the node selector that Pods of the class get.
func warnRuntimeClass(obj, _ runtime.Object) []string {
	s := obj.(*nodev1.RuntimeClass).Scheduling
	if s == nil {
		return nil
	}
	var warnings []string
	for _, key := range slices.Sorted(maps.Keys(s.NodeSelector)) {
		if text, old := oldNodeLabels[key]; old {
			warnings = append(warnings, field.NewPath("scheduling", "nodeSelector").String()+": "+text)
		}
	}
	return warnings
}

// warnStorageClass warns of old labels in the topologies that the class allows.
func warnStorageClass(obj, _ runtime.Object) []string {
	var warnings []string
	for i, term := range obj.(*storagev1.StorageClass).AllowedTopologies {
		at := field.NewPath("allowedTopologies").Index(i).Child("matchLabelExpressions")
		for j, e := range term.MatchLabelExpressions {
			if text, old := oldNodeLabels[e.Key]; old {
				warnings = append(warnings, at.Index(j).Child("key").String()+": "+text)
			}
		}
	}
	return warnings
}

// warnStorageCapacity warns of old labels in the selector of the nodes.
func warnStorageCapacity(obj, _ runtime.Object) []string {
	return warnNodeSelector(obj.(*storagev1.CSIStorageCapacity).NodeTopology, field.NewPath("nodeTopology"))
}

func warnNodeSelector(s *metav1.LabelSelector, at *field.Path) []string {
	if s == nil {
		return nil
	}
	var warnings []string
	for i, e := range s.MatchExpressions {
		if text, old := oldNodeLabels[e.Key]; old {
			warnings = append(warnings, at.Child("matchExpressions").Index(i).Child("key").String()+": "+e.Key+" is "+text)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.MatchLabels)) {
		if text, old := oldNodeLabels[key]; old {
			warnings = append(warnings, at.Child("matchLabels").Child(key).String()+": "+text)
		}
	}
	return warnings
}
