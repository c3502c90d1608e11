package kinds

import (
	"slices"

	schedulingv1 "k8s.io/kubernetes/pkg/apis/scheduling/v1"
	"k8s.io/kubernetes/pkg/registry/scheduling/priorityclass"
)

// priorityClassRow is the row of PriorityClass. The system classes stay.
func priorityClassRow() *Kind {
	k := row{
		gvk: gvk("scheduling.k8s.io", "v1", "PriorityClass"), resource: "priorityclasses", singular: "priorityclass",
		shortNames: []string{"pc"},
		strategy:   priorityclass.Strategy,
	}.kind()
	k.Kept = func(name string) string {
		if slices.Contains(schedulingv1.SystemPriorityClassNames(), name) {
			return "this is a system priority class and cannot be deleted"
		}
		return ""
	}
	return k
}
