package customresource

import (
	"fmt"
	"math"
	"strings"
	"sync"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/kinds"
)

// scale is the subresource scale of a custom resource, whose replicas are where the definition says.
func scale(s *apiextensionsv1.CustomResourceSubresourceScale) *kinds.Scale {
	k := &kinds.Scale{SpecPath: s.SpecReplicasPath, StatusPath: s.StatusReplicasPath, ByObject: true, Row: scales()}
	if s.LabelSelectorPath != nil {
		k.SelectorPath = *s.LabelSelectorPath
	}
	k.Get = func(obj runtime.Object) (*autoscalingv1.Scale, error) {
		shown, found, err := getScale(k, obj.(*unstructured.Unstructured))
		if err == nil && !found {
			return nil, apierrors.NewInternalError(fmt.Errorf("the spec replicas field %q does not exist", k.SpecPath))
		}
		return shown, err
	}
	k.Old = func(obj runtime.Object) (*autoscalingv1.Scale, error) {
		shown, found, err := getScale(k, obj.(*unstructured.Unstructured))
		if err == nil && !found {
			shown.Spec.Replicas = unset
		}
		return shown, err
	}
	k.Set = func(obj runtime.Object, replicas int32) error {
		if replicas == unset {
			return apierrors.NewBadRequest(fmt.Sprintf("the spec replicas field %q cannot be empty", k.SpecPath))
		}
		return unstructured.SetNestedField(obj.(*unstructured.Unstructured).Object, int64(replicas), steps(s.SpecReplicasPath)...)
	}
	return k
}

// scales is the row of the Scales of custom resources, which have columns of their own.
var scales = sync.OnceValue(func() *kinds.Kind {
	convert, err := tableconvertor.New([]apiextensionsv1.CustomResourceColumnDefinition{
		{Name: "Desired", Type: "integer", Description: "Number of desired replicas", JSONPath: ".spec.replicas"},
		{Name: "Available", Type: "integer", Description: "Number of actual replicas", JSONPath: ".status.replicas"},
		ageColumn,
	})
	if err != nil {
		panic(err) // impossible: the paths are valid
	}
	columns := toTable(convert, &unstructured.UnstructuredList{}).ColumnDefinitions
	return kinds.Scales(func() []metav1.TableColumnDefinition { return columns })
})

// unset stands for replicas that an object does not have yet, as in kube-apiserver: a patch may show it.
const unset = math.MinInt32

// steps are the names on a simple JSON path: ".spec.replicas".
func steps(path string) []string {
	return strings.Split(strings.TrimPrefix(path, "."), ".")
}

// getScale shows an object as a Scale, and reports whether its replicas are set.
func getScale(k *kinds.Scale, u *unstructured.Unstructured) (shown *autoscalingv1.Scale, found bool, err error) {
	wanted, found, err := unstructured.NestedInt64(u.Object, steps(k.SpecPath)...)
	if err != nil {
		return nil, false, err
	}
	present, _, err := unstructured.NestedInt64(u.Object, steps(k.StatusPath)...)
	if err != nil {
		return nil, false, err
	}
	selector := ""
	if k.SelectorPath != "" {
		if selector, _, err = unstructured.NestedString(u.Object, steps(k.SelectorPath)...); err != nil {
			return nil, false, err
		}
	}
	return &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{
			Name: u.GetName(), Namespace: u.GetNamespace(), UID: u.GetUID(),
			ResourceVersion: u.GetResourceVersion(), CreationTimestamp: u.GetCreationTimestamp(),
		},
		Spec:   autoscalingv1.ScaleSpec{Replicas: int32(wanted)},
		Status: autoscalingv1.ScaleStatus{Replicas: int32(present), Selector: selector},
	}, found, nil
}
