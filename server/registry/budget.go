package registry

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/storage"
)

// budgets is the storage resource of PodDisruptionBudget.
const budgets = "poddisruptionbudgets.policy"

// askBudget asks the budget that protects a pod, which the target names, and counts the disruption in its status.
// budget is its name, "" if there is none. unready says that the pod was let go because it is not ready, so that
// nothing was counted.
func (r *Registry) askBudget(ctx context.Context, t Target, pod *corev1.Pod, dryRun bool) (budget string, unready bool, err error) {
	found, err := r.budgetsOf(ctx, pod)
	switch {
	case err != nil:
		return "", false, err
	case len(found) == 0:
		return "", false, nil
	case len(found) > 1:
		return "", false, &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusInternalServerError,
			Message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
		}}
	}
	b := found[0]
	if !isReady(pod) && letsUnreadyGo(b) {
		return b.Name, true, nil
	}
	if dryRun {
		return b.Name, false, checkBudget(b)
	}
	return b.Name, false, r.countDisruption(ctx, t.Since, b, pod.Name)
}

// budgetsOf lists the budgets whose selector takes a pod. An empty selector takes none. A budget that no longer
// decodes fails it, as a list.
func (r *Registry) budgetsOf(ctx context.Context, pod *corev1.Pod) ([]*policyv1.PodDisruptionBudget, error) {
	all, err := allServed[*policyv1.PodDisruptionBudget](ctx, r, budgets, pod.Namespace+"/")
	if err != nil {
		return nil, err
	}
	var found []*policyv1.PodDisruptionBudget
	for _, b := range all {
		if ctx.Err() != nil {
			return found, ctx.Err()
		}
		s, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
		if err == nil && !s.Empty() && s.Matches(labels.Set(pod.Labels)) {
			found = append(found, b)
		}
	}
	return found, nil
}

func isReady(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// letsUnreadyGo reports whether a pod that is not ready may go uncounted: always, or while enough others are well.
func letsUnreadyGo(b *policyv1.PodDisruptionBudget) bool {
	if p := b.Spec.UnhealthyPodEvictionPolicy; p != nil && *p == policyv1.AlwaysAllow {
		return true
	}
	return b.Status.CurrentHealthy >= b.Status.DesiredHealthy && b.Status.DesiredHealthy > 0
}

// budgetWriter owns what evictions write: to kube-apiserver they are a request to itself.
const budgetWriter = "kube-apiserver"

// countDisruption takes one disruption off a budget that has one left, and notes for whom.
func (r *Registry) countDisruption(ctx context.Context, since storage.Revision, b *policyv1.PodDisruptionBudget, pod string) error {
	t := Target{Kind: r.Catalogue.Stored(budgets), Subresource: "status", Namespace: b.Namespace, Name: b.Name, Since: since}
	_, _, err := r.change(ctx, edit{Target: t, make: func(old runtime.Object) (runtime.Object, error) {
		served, err := t.Kind.Served(old.DeepCopyObject())
		if err != nil {
			return nil, err
		}
		now := served.(*policyv1.PodDisruptionBudget)
		if err := checkBudget(now); err != nil {
			return nil, err
		}
		now.Status.DisruptionsAllowed--
		if now.Status.DisruptionsAllowed == 0 {
			meta.SetStatusCondition(&now.Status.Conditions, metav1.Condition{
				Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse, Reason: policyv1.InsufficientPodsReason,
				ObservedGeneration: now.Status.ObservedGeneration,
			})
		}
		if now.Status.DisruptedPods == nil {
			now.Status.DisruptedPods = map[string]metav1.Time{}
		}
		now.Status.DisruptedPods[pod] = metav1.NewTime(r.Now().UTC())
		next, err := t.Kind.Internal(now)
		if err != nil {
			return nil, err
		}
		return r.Managers.Update(t.Kind, t.Subresource, old, next, budgetWriter), nil
	}})
	return err
}

// maxDisrupted is how many evictions may wait for the budget's controller to notice them.
const maxDisrupted = 2000

// checkBudget says why a budget lets no pod go, nil if it does.
func checkBudget(b *policyv1.PodDisruptionBudget) error {
	switch s := b.Status; {
	case s.ObservedGeneration < b.Generation:
		return stillProcessed(b.Name)
	case s.DisruptionsAllowed < 0:
		return forbiddenBudget(b.Name, "pdb disruptions allowed is negative", "pdb disruptions allowed is negative")
	case len(s.DisruptedPods) > maxDisrupted:
		return forbiddenBudget(b.Name, "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
			"too many pending evictions not confirmed by PDB controller")
	case s.DisruptionsAllowed == 0:
		return violated(exhausted(b), 0)
	}
	return nil
}

// exhausted says why a budget has nothing left. Its counts mean nothing if its controller could not make them.
func exhausted(b *policyv1.PodDisruptionBudget) string {
	c := meta.FindStatusCondition(b.Status.Conditions, policyv1.DisruptionAllowedCondition)
	told := c != nil && c.Status == metav1.ConditionFalse && c.Message != ""
	switch {
	case told && c.Reason == policyv1.SyncFailedReason:
		return fmt.Sprintf("The disruption budget %s does not allow evicting pods currently because it failed sync: %s", b.Name, c.Message)
	case b.Status.CurrentHealthy <= b.Status.DesiredHealthy:
		return fmt.Sprintf("The disruption budget %s needs %d healthy pods and has %d currently", b.Name, b.Status.DesiredHealthy, b.Status.CurrentHealthy)
	case told:
		return fmt.Sprintf("The disruption budget %s does not allow evicting pods currently (%s): %s", b.Name, c.Reason, c.Message)
	}
	return fmt.Sprintf("The disruption budget %s does not allow evicting pods currently", b.Name)
}

// stillProcessed is the 429 of a budget whose status is not that of its spec: it may have something left in a while.
func stillProcessed(budget string) error {
	return violated(fmt.Sprintf("The disruption budget %s is still being processed by the server.", budget), 10)
}

// violated is the 429 of an eviction that a budget forbids. retry is after how many seconds to try again, 0 for
// whenever the client likes.
func violated(cause string, retry int) error {
	err := apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", retry)
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{Type: policyv1.DisruptionBudgetCause, Message: cause})
	return err
}

// forbiddenBudget is the 403 of a budget whose status cannot be.
func forbiddenBudget(name, reason, cause string) error {
	err := apierrors.NewForbidden(schema.GroupResource{Group: policyv1.GroupName, Resource: "poddisruptionbudget"}, name, fmt.Errorf("%s", reason))
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{
		Type: policyv1.DisruptionBudgetCause, Message: fmt.Sprintf("The disruption budget %s does not allow evicting pods currently: %s", name, cause),
	})
	return err
}
