package planted

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// remove deletes a Site and waits until it and what belongs to it is gone, or until it is seen that something stays.
func (st *stage) remove(ctx context.Context, name string, stays func() bool) error {
	if err := st.person.sites.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	all := func() bool {
		for _, kind := range []string{"Site", "Deployment", "Service"} {
			if !st.control.gone(st.key(kind, name))() {
				return false
			}
		}
		return st.control.rests()
	}
	return st.control.until(ctx, all, stays)
}
