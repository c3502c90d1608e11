package shop

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// planLabel is that of a clerk.
const planLabel = "example.com/plan"

// hire makes the clerk of a plan, if there is none.
func (k *keeper) hire(ctx context.Context, plan string) error {
	for _, one := range k.clerks.GetStore().List() {
		if one.(*corev1.ServiceAccount).Labels[planLabel] == plan {
			return nil
		}
	}
	name := plan + "-clerk"
	clerk := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{planLabel: plan}}}
	if k.makes(Late) {
		clerk.Name, clerk.GenerateName = "", name+"-"
	}
	_, err := k.accounts.Create(ctx, clerk, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
