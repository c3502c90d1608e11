package controllers

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// remaining counts what is still in a namespace that is being deleted.
type remaining struct {
	objects    map[string]int // by resource: "configmaps.", "deployments.apps"
	finalizers map[string]int // objects by the finalizer that holds them
}

func newRemaining() remaining {
	return remaining{objects: map[string]int{}, finalizers: map[string]int{}}
}

func (r remaining) add(c collection, items []metav1.PartialObjectMetadata) {
	if len(items) == 0 {
		return
	}
	group, _, found := strings.Cut(c.version, "/")
	if !found {
		group = "" // the core group's apiVersion is its version alone
	}
	r.objects[c.resource+"."+group] += len(items)
	for _, o := range items {
		for _, f := range o.Finalizers {
			r.finalizers[f]++
		}
	}
}

// conditions tell people what the namespace waits for, in the words of the official namespace controller.
func (r remaining) conditions() []corev1.NamespaceCondition {
	type is = corev1.NamespaceCondition
	all := []is{
		{Type: corev1.NamespaceDeletionDiscoveryFailure, Reason: "ResourcesDiscovered", Message: "All resources successfully discovered"},
		{Type: corev1.NamespaceDeletionGVParsingFailure, Reason: "ParsedGroupVersions", Message: "All legacy kube types successfully parsed"},
		{Type: corev1.NamespaceDeletionContentFailure, Reason: "ContentDeleted", Message: "All content successfully deleted, may be waiting on finalization"},
		{Type: corev1.NamespaceContentRemaining, Reason: "ContentRemoved", Message: "All content successfully removed"},
		{Type: corev1.NamespaceFinalizersRemaining, Reason: "ContentHasNoFinalizers", Message: "All content-preserving finalizers finished"},
	}
	for i := range all {
		all[i].Status = corev1.ConditionFalse
	}
	if len(r.objects) > 0 {
		all[3].Status, all[3].Reason = corev1.ConditionTrue, "SomeResourcesRemain"
		all[3].Message = "Some resources are remaining: " + counts(r.objects, "%s has %d resource instances")
	}
	if len(r.finalizers) > 0 {
		all[4].Status, all[4].Reason = corev1.ConditionTrue, "SomeFinalizersRemain"
		all[4].Message = "Some content in the namespace has finalizers remaining: " + counts(r.finalizers, "%s in %d resource instances")
	}
	return all
}

// counts lists names and numbers, sorted.
func counts(m map[string]int, format string) string {
	var parts []string
	for name, n := range m {
		parts = append(parts, fmt.Sprintf(format, name, n))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// tell writes what is left into the namespace's status, unless it says so already, or nobody waits for that any more.
func (e *emptier) tell(ctx context.Context, name string, uid types.UID, r remaining) (gone bool, err error) {
	ns, err := e.terminating(ctx, name, uid)
	if ns == nil || err != nil {
		return err == nil, err
	}
	changed := false
	for _, c := range r.conditions() {
		changed = setCondition(&ns.Status, c) || changed
	}
	if !changed {
		return false, nil
	}
	return false, e.do(ctx, http.MethodPut, "/api/v1/namespaces/"+name+"/status", ns, nil)
}

// setCondition puts a condition into a status and tells whether that changed it. The time is that of the status's last
// change.
func setCondition(s *corev1.NamespaceStatus, c corev1.NamespaceCondition) bool {
	c.LastTransitionTime = metav1.NewTime(time.Now().UTC().Truncate(time.Second))
	i := slices.IndexFunc(s.Conditions, func(o corev1.NamespaceCondition) bool { return o.Type == c.Type })
	if i < 0 {
		s.Conditions = append(s.Conditions, c)
		return true
	}
	was := s.Conditions[i]
	if was.Status == c.Status {
		c.LastTransitionTime = was.LastTransitionTime
	}
	s.Conditions[i] = c
	return was.Status != c.Status || was.Reason != c.Reason || was.Message != c.Message
}
