package customresource

import (
	"fmt"
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/kinds"
)

// scale is the subresource scale of a custom object, whose replicas are where the definition says.
func scale(s *apiextensionsv1.CustomResourceSubresourceScale) *kinds.Scale {
	k := &kinds.Scale{SpecPath: s.SpecReplicasPath, StatusPath: s.StatusReplicasPath, Unconverted: true}
	if s.LabelSelectorPath != nil {
		k.SelectorPath = *s.LabelSelectorPath
	}
	k.Get = func(obj runtime.Object) (*autoscalingv1.Scale, error) {
		return getScale(k, obj.(*unstructured.Unstructured))
	}
	k.Set = func(obj runtime.Object, replicas int32) error {
		return unstructured.SetNestedField(obj.(*unstructured.Unstructured).Object, int64(replicas), steps(s.SpecReplicasPath)...)
	}
	return k
}

// steps are the names on a simple JSON path: ".spec.replicas".
func steps(path string) []string {
	return strings.Split(strings.TrimPrefix(path, "."), ".")
}

func getScale(k *kinds.Scale, u *unstructured.Unstructured) (*autoscalingv1.Scale, error) {
	wanted, found, err := unstructured.NestedInt64(u.Object, steps(k.SpecPath)...)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, apierrors.NewInternalError(fmt.Errorf("the spec replicas field %q does not exist", k.SpecPath))
	}
	present, _, err := unstructured.NestedInt64(u.Object, steps(k.StatusPath)...)
	if err != nil {
		return nil, err
	}
	selector := ""
	if k.SelectorPath != "" {
		if selector, _, err = unstructured.NestedString(u.Object, steps(k.SelectorPath)...); err != nil {
			return nil, err
		}
	}
	return &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{
			Name: u.GetName(), Namespace: u.GetNamespace(), UID: u.GetUID(),
			ResourceVersion: u.GetResourceVersion(), CreationTimestamp: u.GetCreationTimestamp(),
		},
		Spec:   autoscalingv1.ScaleSpec{Replicas: int32(wanted)},
		Status: autoscalingv1.ScaleStatus{Replicas: int32(present), Selector: selector},
	}, nil
}
