package kinds

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"kubarium/server/table"
)

// statefulSet is the row of StatefulSet.
func statefulSet() *Kind {
	return &Kind{
		GroupVersionKind:     appsv1.SchemeGroupVersion.WithKind("StatefulSet"),
		Resource:             "statefulsets",
		Singular:             "statefulset",
		ShortNames:           []string{"sts"},
		Categories:           []string{"all"},
		Namespaced:           true,
		New:                  func() runtime.Object { return &appsv1.StatefulSet{} },
		NewList:              func() runtime.Object { return &appsv1.StatefulSetList{} },
		UnconditionalUpdate:  true,
		Status:               true,
		Generation:           true,
		Scale:                statefulSetScale(),
		Default:              defaultStatefulSet,
		ValidateName:         dnsLabelName,
		Validate:             validateStatefulSet,
		ValidateCreate:       validateStatefulSetCreate,
		ValidateUpdate:       validateStatefulSetUpdate,
		ValidateStatusUpdate: validateStatefulSetStatusUpdate,
		Warn:                 warnStatefulSet,
		Printer:              table.Printer{Columns: statefulSetColumns(), Cells: statefulSetCells},
	}
}

func statefulSetScale() *Scale {
	return &Scale{
		Get: func(obj runtime.Object) (*autoscalingv1.Scale, error) {
			s := obj.(*appsv1.StatefulSet)
			return scaleOf(&s.ObjectMeta, s.Spec.Replicas, s.Status.Replicas, s.Spec.Selector)
		},
		Set: func(obj runtime.Object, replicas int32) error {
			obj.(*appsv1.StatefulSet).Spec.Replicas = &replicas
			return nil
		},
		SpecPath:     ".spec.replicas",
		StatusPath:   ".status.replicas",
		SelectorPath: ".status.selector",
	}
}

func defaultStatefulSet(obj runtime.Object) {
	spec := &obj.(*appsv1.StatefulSet).Spec
	defaultPodSpec(&spec.Template.Spec)
	orValue(&spec.PodManagementPolicy, appsv1.OrderedReadyPodManagement)
	orDefault(&spec.Replicas, 1)
	orDefault(&spec.RevisionHistoryLimit, 10)
	if spec.PersistentVolumeClaimRetentionPolicy == nil {
		spec.PersistentVolumeClaimRetentionPolicy = &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{}
	}
	orValue(&spec.PersistentVolumeClaimRetentionPolicy.WhenDeleted, appsv1.RetainPersistentVolumeClaimRetentionPolicyType)
	orValue(&spec.PersistentVolumeClaimRetentionPolicy.WhenScaled, appsv1.RetainPersistentVolumeClaimRetentionPolicyType)
	for i := range spec.VolumeClaimTemplates {
		claim := &spec.VolumeClaimTemplates[i]
		claim.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"))
		defaultClaim(claim)
	}
	defaultStatefulSetStrategy(&spec.UpdateStrategy)
}

// defaultStatefulSetStrategy fills the numbers of a rolling update; where the type alone is named, they stay open.
func defaultStatefulSetStrategy(s *appsv1.StatefulSetUpdateStrategy) {
	if s.Type == "" {
		s.Type = appsv1.RollingUpdateStatefulSetStrategyType
		if s.RollingUpdate == nil {
			s.RollingUpdate = &appsv1.RollingUpdateStatefulSetStrategy{}
		}
	}
	if s.Type != appsv1.RollingUpdateStatefulSetStrategyType || s.RollingUpdate == nil {
		return
	}
	orDefault(&s.RollingUpdate.Partition, 0)
	orDefault(&s.RollingUpdate.MaxUnavailable, intstr.FromInt32(1))
}

func statefulSetColumns() []metav1.TableColumnDefinition {
	return append([]metav1.TableColumnDefinition{
		nameColumn(),
		column("Ready", "Number of the pod with ready state"),
		ageColumn(),
	}, templateColumns("")[:2]...)
}

func statefulSetCells(obj runtime.Object, now time.Time) []any {
	s := obj.(*appsv1.StatefulSet)
	names, images := containerCells(s.Spec.Template.Spec.Containers)
	return []any{
		s.Name, fmt.Sprintf("%d/%d", s.Status.ReadyReplicas, replicasOr1(s.Spec.Replicas)), age(s.CreationTimestamp, now),
		names, images,
	}
}
