package kinds

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Bookmark is the empty object that a bookmark in a watch shows. kube-apiserver makes it of its internal types, in which a
// few values can not be missing.
func (k *Kind) Bookmark() runtime.Object {
	obj := k.New()
	obj.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
	switch o := obj.(type) {
	case *appsv1.Deployment:
		o.Spec.Replicas = new(int32)
	case *appsv1.ReplicaSet:
		o.Spec.Replicas = new(int32)
	case *appsv1.StatefulSet:
		o.Spec.Replicas = new(int32)
	case *appsv1.DaemonSet:
		metav1.SetMetaDataAnnotation(&o.ObjectMeta, appsv1.DeprecatedTemplateGeneration, "0")
	}
	return obj
}
