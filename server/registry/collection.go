package registry

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DeleteCollection deletes every object that a list with these options names, and returns that list. An object that
// another client has deleted since is not an error.
func (r *Registry) DeleteCollection(ctx context.Context, t Target, lo metainternal.ListOptions, o metav1.DeleteOptions, by Asker) (List, error) {
	if lo.Limit == 0 && lo.Continue == "" && lo.ResourceVersionMatch == "" && lo.ResourceVersion != "" && lo.ResourceVersion != "0" {
		lo.ResourceVersionMatch = metav1.ResourceVersionMatchExact // kube-apiserver lists page by page, which reads this very version
	}
	list := r.List
	if newMatcher(lo).all() {
		list = r.list // page by page, as kube-apiserver does it, needs no watch cache
	}
	l, err := list(ctx, t, lo)
	if err != nil {
		return List{}, err
	}
	for _, obj := range l.Objects {
		one := deletion(t, o, by)
		one.Namespace, one.Name = obj.Key.Split()
		one.collection = true
		if _, err := r.delete(ctx, one, o); err != nil && !apierrors.IsNotFound(err) {
			return List{}, err
		}
	}
	return l, nil
}
