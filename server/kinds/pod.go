package kinds

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/table"
)

// pod is the row of Pod.
func pod() *Kind {
	return &Kind{
		GroupVersionKind:       corev1.SchemeGroupVersion.WithKind("Pod"),
		Resource:               "pods",
		Singular:               "pod",
		ShortNames:             []string{"po"},
		Categories:             []string{"all"},
		ReturnDeleted:          true,
		Namespaced:             true,
		New:                    func() runtime.Object { return &corev1.Pod{} },
		NewList:                func() runtime.Object { return &corev1.PodList{} },
		UnconditionalUpdate:    true,
		Status:                 true,
		Generation:             true,
		Default:                defaultPod,
		PrepareForCreate:       preparePod,
		PrepareForStatusUpdate: preparePodStatus,
		Validate:               validatePod,
		ValidateCreate:         validatePodCreate,
		ValidateUpdate:         validatePodUpdate,
		ValidateStatusUpdate:   validatePodStatusUpdate,
		Fields:                 podFields,
		FieldNames: []string{ // of status.podIPs Kubernetes knows the name alone
			"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork",
			"spec.host", "status.phase", "status.podIP", "status.podIPs", "status.nominatedNodeName",
		},
		FieldAliases: map[string]string{"spec.host": "spec.nodeName"}, // as old clients call it
		GracePeriod:  podGracePeriod,
		Warn:         warnPod,
		Printer:      table.Printer{Columns: podColumns(), Cells: podCells},
	}
}

// preparePod gives a new pod the status in which every pod starts; a scheduling gate is told in it at once.
func preparePod(obj runtime.Object) {
	p := obj.(*corev1.Pod)
	p.Status = corev1.PodStatus{Phase: corev1.PodPending, QOSClass: podQOSClass(p)}
	if len(p.Spec.SchedulingGates) == 0 {
		return
	}
	p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{
		Type:    corev1.PodScheduled,
		Status:  corev1.ConditionFalse,
		Reason:  corev1.PodReasonSchedulingGated,
		Message: "Scheduling is blocked due to non-empty scheduling gates",

		LastTransitionTime: metav1.Now().Rfc3339Copy(),
	})
}

// preparePodStatus keeps what a writer of the status may leave out or must not touch.
func preparePodStatus(obj, old runtime.Object) {
	p, was := obj.(*corev1.Pod), old.(*corev1.Pod)
	p.OwnerReferences = was.OwnerReferences
	p.DeletionTimestamp = was.DeletionTimestamp
	if p.Status.QOSClass == "" {
		p.Status.QOSClass = was.Status.QOSClass
	}
	if p.Status.ObservedGeneration == 0 {
		p.Status.ObservedGeneration = was.Status.ObservedGeneration
	}
	keepObservedGenerations(p.Status.Conditions, was.Status.Conditions)
}

// keepObservedGenerations helps clients that do not know the field: a condition that they send back without it keeps it.
func keepObservedGenerations(conditions, was []corev1.PodCondition) {
	for i := range conditions {
		if conditions[i].ObservedGeneration != 0 {
			continue
		}
		for _, c := range was {
			if c.Type == conditions[i].Type {
				conditions[i].ObservedGeneration = c.ObservedGeneration
			}
		}
	}
}

func podFields(obj runtime.Object) fields.Set {
	p := obj.(*corev1.Pod)
	ip := ""
	if len(p.Status.PodIPs) > 0 {
		ip = p.Status.PodIPs[0].IP
	}
	return fields.Set{
		"spec.nodeName":            p.Spec.NodeName,
		"spec.restartPolicy":       string(p.Spec.RestartPolicy),
		"spec.schedulerName":       p.Spec.SchedulerName,
		"spec.serviceAccountName":  p.Spec.ServiceAccountName,
		"spec.hostNetwork":         strconv.FormatBool(p.Spec.HostNetwork),
		"status.phase":             string(p.Status.Phase),
		"status.podIP":             ip,
		"status.nominatedNodeName": p.Status.NominatedNodeName,
	}
}

// podGracePeriod gives a pod the time it was wished or asks for itself. One that no node runs, or that has ended, needs
// none. A negative time means as little as possible, yet not the force that zero would be.
func podGracePeriod(obj runtime.Object, wish *int64) *int64 {
	p := obj.(*corev1.Pod)
	period := int64(0)
	switch {
	case p.Spec.NodeName == "", p.Status.Phase == corev1.PodFailed, p.Status.Phase == corev1.PodSucceeded:
	case wish != nil:
		period = *wish
	case p.Spec.TerminationGracePeriodSeconds != nil:
		period = *p.Spec.TerminationGracePeriodSeconds
	}
	if period < 0 {
		period = 1
	}
	return &period
}
