package kinds

import "k8s.io/apimachinery/pkg/runtime"

// Bookmark is the empty object that a bookmark in a watch shows. kube-apiserver makes it of its internal types, in which a
// few values cannot be missing.
func (k *Kind) Bookmark() runtime.Object {
	obj, err := k.Served(k.NewInternal())
	if err != nil { // nothing can be wrong with an empty object
		obj = k.New()
	}
	obj.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
	return obj
}
