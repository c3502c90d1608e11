package kinds

import (
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What kubectl tells of the columns about the containers of a template.
const (
	templateContainers = "Names of each container in the template."
	templateImages     = "Images referenced by each container in the template."
)

// templateColumns are the wide columns of the kinds that hold a template of pods.
func templateColumns(selector string) []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		wideColumn("Containers", templateContainers),
		wideColumn("Images", templateImages),
		wideColumn("Selector", selector),
	}
}

// replicasOr1 reads a number of replicas whose default is one.
func replicasOr1(replicas *int32) int32 {
	if replicas == nil {
		return 1
	}
	return *replicas
}

// scaleOf views an object with replicas as its subresource scale; selector chooses its pods.
func scaleOf(meta *metav1.ObjectMeta, want *int32, have int32, selector *metav1.LabelSelector) (*autoscalingv1.Scale, error) {
	s, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		return nil, err
	}
	return &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{
			Name:              meta.Name,
			Namespace:         meta.Namespace,
			UID:               meta.UID,
			ResourceVersion:   meta.ResourceVersion,
			CreationTimestamp: meta.CreationTimestamp,
		},
		Spec:   autoscalingv1.ScaleSpec{Replicas: replicasOr1(want)},
		Status: autoscalingv1.ScaleStatus{Replicas: have, Selector: s.String()},
	}, nil
}
