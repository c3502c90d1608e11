package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/kinds"
	"kubarium/server/objects"
)

// evictionKind is the row of Eviction, which is created through the subresource eviction of a pod.
var evictionKind = kinds.Unstored(policyv1.SchemeGroupVersion.WithKind("Eviction"), "pods", "pod", true)

// Evict deletes the pod that t names, if its PodDisruptionBudget lets it go (API-initiated Eviction). A budget that
// is exhausted is a 429. A dry run may be asked for by the request, or by the eviction's own delete options.
func (r *Registry) Evict(ctx context.Context, t Target, e *policyv1.Eviction, o WriteOptions) error {
	if err := matchNamespace(t, e); err != nil {
		return err
	}
	e = r.Managers.Update(evictionKind, t.Subresource, objects.Blank(evictionKind), e, o.Manager).(*policyv1.Eviction)
	admit, err := r.mutateAction(ctx, t, e, o)
	if err != nil {
		return err
	}
	if e.Name != t.Name {
		return apierrors.NewBadRequest("name in URL does not match name in Eviction object")
	}
	var dryRun []string
	if o.DryRun {
		dryRun = []string{metav1.DryRunAll}
	}
	options, err := evictionOptions(e, dryRun)
	if err != nil {
		return err
	}
	if err := admit(); err != nil {
		return err
	}
	t.Subresource = ""
	return r.retry(ctx, t, func() error { return r.evictOnce(ctx, t, options, o.Asker) })
}

// evictionOptions are the options of the deletion.
func evictionOptions(e *policyv1.Eviction, dryRun []string) (metav1.DeleteOptions, error) {
	if e.DeleteOptions == nil {
		return metav1.DeleteOptions{DryRun: dryRun}, nil
	}
	o := *e.DeleteOptions.DeepCopy()
	unsafe := o.IgnoreStoreReadErrorWithClusterBreakingPotential
	switch {
	case unsafe != nil && *unsafe:
		option := field.NewPath("deleteOptions", "ignoreStoreReadErrorWithClusterBreakingPotential")
		kind := policyv1.SchemeGroupVersion.WithKind("Eviction").GroupKind()
		return o, apierrors.NewInvalid(kind, e.Name, field.ErrorList{
			field.Invalid(option, true, "can not be set for pod eviction, try after removing the option"),
		})
	case len(o.DryRun) == 0:
		o.DryRun = dryRun
	case len(dryRun) > 0 && !slices.Equal(dryRun, o.DryRun):
		text := fmt.Sprintf("Non-matching dry-run options in request and content: %v and %v", dryRun, o.DryRun)
		return o, errors.New(text)
	}
	return o, nil
}

// pinned reports whether a deletion is for one version of the object alone.
func pinned(o metav1.DeleteOptions) bool {
	return o.Preconditions != nil && o.Preconditions.ResourceVersion != nil
}

// pin makes it so.
func pin(o metav1.DeleteOptions, version string) metav1.DeleteOptions {
	o = *o.DeepCopy()
	if o.Preconditions == nil {
		o.Preconditions = &metav1.Preconditions{}
	}
	o.Preconditions.ResourceVersion = &version
	return o
}

// evictOnce is one try on the pod as it is now; errOutrun says that it has changed since.
func (r *Registry) evictOnce(ctx context.Context, t Target, o metav1.DeleteOptions, by Asker) error {
	m, err := r.lookUp(ctx, "pods", t.Namespace, t.Name)
	if err != nil {
		return err
	}
	pod := m.(*corev1.Pod)
	if err := checkPreconditions(t, pod, o.Preconditions); err != nil {
		return err
	}
	if errs := validation.ValidateDeleteOptions(&o); len(errs) > 0 {
		return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "DeleteOptions"}, "", errs)
	}
	switch {
	case !disturbsNobody(pod):
		return r.evictProtected(ctx, t, pod, o, by)
	case pod.Status.Phase != corev1.PodPending, pod.DeletionTimestamp != nil, pinned(o):
		return r.disrupt(ctx, t, o, by)
	}
	// A pod that may have become ready since must be looked at again.
	err = r.disrupt(ctx, t, pin(o, pod.ResourceVersion), by)
	if apierrors.IsConflict(err) {
		return errOutrun
	}
	return err
}

// evictProtected evicts a pod that runs, and that a budget may protect.
func (r *Registry) evictProtected(ctx context.Context, t Target, pod *corev1.Pod, o metav1.DeleteOptions, by Asker) error {
	budget, unready, err := r.askBudget(ctx, t, pod, len(o.DryRun) > 0)
	if err != nil {
		return err
	}
	if !unready || pinned(o) {
		return r.disrupt(ctx, t, o, by)
	}
	err = r.disrupt(ctx, t, pin(o, pod.ResourceVersion), by)
	if apierrors.IsConflict(err) {
		return stillProcessed(budget)
	}
	return err
}

// disturbsNobody reports whether a pod does no work that a budget could protect.
func disturbsNobody(p *corev1.Pod) bool {
	phases := []corev1.PodPhase{corev1.PodSucceeded, corev1.PodFailed, corev1.PodPending}
	return p.DeletionTimestamp != nil || slices.Contains(phases, p.Status.Phase)
}

// disrupt says in the pod's status why it goes, and deletes it. Both are parts of the eviction: admission has been
// asked about that.
func (r *Registry) disrupt(ctx context.Context, t Target, o metav1.DeleteOptions, by Asker) error {
	if len(o.DryRun) == 0 {
		version, err := r.markDisrupted(ctx, t, o.Preconditions)
		if err != nil {
			return err
		}
		if pinned(o) {
			o = pin(o, version) // the version that was asked for is older by this very change
		}
	}
	q := deletion(t, o, by)
	q.asked = true
	_, err := r.delete(ctx, q, o)
	return err
}

// markDisrupted sets the condition DisruptionTarget, and returns the pod's resourceVersion after that.
func (r *Registry) markDisrupted(ctx context.Context, t Target, p *metav1.Preconditions) (string, error) {
	t.Subresource = "status"
	rec, _, err := r.change(ctx, edit{Target: t, asked: true, make: func(old runtime.Object) (runtime.Object, error) {
		if err := checkPreconditions(t, objects.Meta(old), p); err != nil {
			return nil, err
		}
		served, err := t.Kind.Served(old.DeepCopyObject())
		if err != nil {
			return nil, err
		}
		pod := served.(*corev1.Pod)
		setCondition(&pod.Status, corev1.PodCondition{
			Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue,
			LastTransitionTime: metav1.NewTime(r.Now().UTC()),
			Reason:             "EvictionByEvictionAPI", Message: "Eviction API: evicting",
		})
		return t.Kind.Internal(pod)
	}})
	return objects.FormatRevision(rec.Revision), err
}

// setCondition adds a condition or replaces the one of its type, which keeps its time if its status stays.
func setCondition(s *corev1.PodStatus, c corev1.PodCondition) {
	i := slices.IndexFunc(s.Conditions, func(have corev1.PodCondition) bool { return have.Type == c.Type })
	if i < 0 {
		s.Conditions = append(s.Conditions, c)
		return
	}
	if s.Conditions[i].Status == c.Status {
		c.LastTransitionTime = s.Conditions[i].LastTransitionTime
	}
	s.Conditions[i] = c
}
