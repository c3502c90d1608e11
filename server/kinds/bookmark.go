package kinds

import "k8s.io/apimachinery/pkg/runtime"

// Bookmark is the empty object in a bookmark of a watch. kube-apiserver makes it from its internal types, in which a
// few values cannot be missing.
func (k *Kind) Bookmark() runtime.Object {
	obj, err := k.Served(k.NewInternal())
	if err != nil { // impossible for an empty object
		obj = k.New()
	}
	obj.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
	return obj
}
