package registry

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/kinds"
	"kubarium/server/objects"
)

// bindingKind is the row of Binding.
var bindingKind = kinds.Unstored(corev1.SchemeGroupVersion.WithKind("Binding"), "bindings", "binding", true)

// Bind gives a pod its node, as a scheduler does through the subresource binding that t is, or by the older resource
// of bindings, whose objects are named after their pods. A pod is bound once: one that has a node, waits for its
// scheduling gates or is being deleted ends in a 409.
func (r *Registry) Bind(ctx context.Context, t Target, b *corev1.Binding, o WriteOptions) error {
	if err := matchNamespace(t, b); err != nil {
		return err
	}
	if t.Subresource != "" {
		b = r.Managers.Update(bindingKind, t.Subresource, objects.Blank(bindingKind), b, o.Manager).(*corev1.Binding)
	}
	admit, err := r.mutateAction(ctx, t, b, o)
	if err != nil {
		return err
	}
	if t.Name == "" {
		t.Name = b.Name
	}
	if b.Name != t.Name {
		return apierrors.NewBadRequest("name in URL does not match name in Binding object")
	}
	if errs := validateBinding(b); len(errs) > 0 {
		return errs.ToAggregate()
	}
	if err := admit(); err != nil {
		return err
	}
	if err := CheckName(t.Name); err != nil {
		return err
	}
	t.Kind, t.Subresource = r.Catalogue.Stored("pods"), ""
	return r.retry(ctx, t, func() error { return r.bindOnce(ctx, t, b, o) })
}

// bindOnce is one try on the version that is there now.
func (r *Registry) bindOnce(ctx context.Context, t Target, b *corev1.Binding, o WriteOptions) error {
	old, stored, err := r.latest(ctx, t)
	if err != nil {
		return err
	}
	if old == nil {
		return apierrors.NewNotFound(t.resource(), t.Name)
	}
	if err := namesPod(t, b, objects.Meta(old)); err != nil {
		return err
	}
	served, err := t.Kind.Served(old.DeepCopyObject())
	if err != nil {
		return err
	}
	pod := served.(*corev1.Pod)
	if err := unbound(pod); err != nil {
		return apierrors.NewConflict(schema.GroupResource{Resource: "pods/binding"}, t.Name, err)
	}
	pod.Spec.NodeName = b.Target.Name
	if len(b.Annotations) > 0 && pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	maps.Copy(pod.Annotations, b.Annotations)
	r.setScheduled(pod)
	bound, err := t.Kind.Internal(pod)
	if err != nil {
		return err
	}
	_, err = r.storeChanged(ctx, t, o, bound, old, stored, kinds.Allocation{})
	return err
}

// namesPod compares the uid and the resourceVersion that a binding names with those of the pod.
func namesPod(t Target, b *corev1.Binding, pod metav1.Object) error {
	switch {
	case b.UID != "" && b.UID != pod.GetUID():
		return uidConflict(t, b.UID, pod.GetUID())
	case b.ResourceVersion != "" && b.ResourceVersion != pod.GetResourceVersion():
		return storeConflict(t, fmt.Sprintf(
			"Precondition failed: ResourceVersion in precondition: %v, ResourceVersion in object meta: %v",
			b.ResourceVersion, pod.GetResourceVersion()))
	}
	return nil
}

// unbound says why a pod cannot be bound, nil if it can.
func unbound(p *corev1.Pod) error {
	switch {
	case p.DeletionTimestamp != nil:
		return fmt.Errorf("pod %s is being deleted, cannot be assigned to a host", p.Name)
	case p.Spec.NodeName != "":
		return fmt.Errorf("pod %v is already assigned to node %q", p.Name, p.Spec.NodeName)
	case len(p.Spec.SchedulingGates) > 0:
		return fmt.Errorf("pod %v has non-empty .spec.schedulingGates", p.Name)
	}
	return nil
}

// setScheduled makes the condition PodScheduled true.
func (r *Registry) setScheduled(p *corev1.Pod) {
	scheduled := corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(r.Now().UTC())}
	i := slices.IndexFunc(p.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.PodScheduled })
	if i < 0 {
		p.Status.Conditions = append(p.Status.Conditions, scheduled)
		return
	}
	p.Status.Conditions[i] = scheduled
}

func validateBinding(b *corev1.Binding) field.ErrorList {
	var errs field.ErrorList
	target := field.NewPath("target")
	if b.Target.Kind != "" && b.Target.Kind != "Node" {
		errs = append(errs, field.NotSupported(target.Child("kind"), b.Target.Kind, []string{"Node", "<empty>"}))
	}
	if b.Target.Name == "" {
		errs = append(errs, field.Required(target.Child("name"), ""))
	}
	return errs
}
