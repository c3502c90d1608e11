package kinds

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// dnsLabelName is the rule for names that become part of a pod's host name.
func dnsLabelName(name string, prefix bool) []string {
	return apivalidation.NameIsDNSLabel(name, prefix)
}

func validateStatefulSet(obj runtime.Object) field.ErrorList {
	s := &obj.(*appsv1.StatefulSet).Spec
	path := field.NewPath("spec")
	errs := validatePodManagement(s.PodManagementPolicy, path.Child("podManagementPolicy"))
	errs = append(errs, validateStatefulSetStrategy(&s.UpdateStrategy, path.Child("updateStrategy"))...)
	errs = append(errs, validateRetention(s.PersistentVolumeClaimRetentionPolicy, path.Child("persistentVolumeClaimRetentionPolicy"))...)
	errs = append(errs, notNegative(path.Child("replicas"), replicasOr1(s.Replicas))...)
	errs = append(errs, notNegative(path.Child("minReadySeconds"), s.MinReadySeconds)...)
	if s.Ordinals != nil {
		errs = append(errs, notNegative(path.Child("ordinals.start"), s.Ordinals.Start)...)
	}
	errs = append(errs, validateStatefulSetSelector(s.Selector, path.Child("selector"))...)
	if _, err := metav1.LabelSelectorAsSelector(s.Selector); err != nil {
		errs = append(errs, field.Invalid(path.Child("selector"), s.Selector, ""))
	} else {
		errs = append(errs, validateStatefulSetTemplate(s, path.Child("template"))...)
	}
	return append(errs, validateRunsForGood(&s.Template, "StatefulSet", path.Child("template"))...)
}

func validatePodManagement(p appsv1.PodManagementPolicyType, path *field.Path) field.ErrorList {
	if p == appsv1.OrderedReadyPodManagement || p == appsv1.ParallelPodManagement {
		return nil
	}
	return field.ErrorList{field.Invalid(path, p, "must be 'OrderedReady' or 'Parallel'")}
}

func validateStatefulSetSelector(s *metav1.LabelSelector, path *field.Path) field.ErrorList {
	if s == nil {
		return field.ErrorList{field.Required(path, "")}
	}
	errs := validateSelector(s, path)
	if isEmptySelector(s) {
		errs = append(errs, field.Invalid(path, s, "empty selector is invalid for statefulset"))
	}
	return errs
}

// validateStatefulSetCreate checks what stays as it is in a set, its claims and its service, and is not checked again.
func validateStatefulSetCreate(obj runtime.Object) field.ErrorList {
	var errs field.ErrorList
	path := field.NewPath("spec")
	s := &obj.(*appsv1.StatefulSet).Spec
	for i := range s.VolumeClaimTemplates {
		errs = append(errs, validateClaimSpec(&s.VolumeClaimTemplates[i].Spec, path.Child("volumeClaimTemplates").Index(i).Child("spec"))...)
	}
	if s.ServiceName != "" {
		errs = append(errs, named(path.Child("serviceName"), s.ServiceName, validation.IsDNS1123Label(s.ServiceName))...)
	}
	return errs
}

// validateStatefulSetTemplate checks the template as the pods will be: with a volume for each claim. A claim takes the
// place of a volume of its name.
func validateStatefulSetTemplate(s *appsv1.StatefulSetSpec, path *field.Path) field.ErrorList {
	errs := validateChosen(s.Selector, &s.Template, path)
	template := s.Template
	template.Spec.Volumes = slices.Clone(template.Spec.Volumes)
	for _, claim := range s.VolumeClaimTemplates {
		if slices.ContainsFunc(template.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == claim.Name }) {
			continue
		}
		source := corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name}}
		template.Spec.Volumes = append(template.Spec.Volumes, corev1.Volume{Name: claim.Name, VolumeSource: source})
	}
	return append(errs, validatePodTemplate(&template, path)...)
}

func validateStatefulSetStrategy(s *appsv1.StatefulSetUpdateStrategy, path *field.Path) field.ErrorList {
	switch s.Type {
	case appsv1.OnDeleteStatefulSetStrategyType:
		if s.RollingUpdate == nil {
			return nil
		}
		return field.ErrorList{field.Invalid(path.Child("rollingUpdate"), internalForm(s.RollingUpdate), "only allowed for updateStrategy 'RollingUpdate'")}
	case appsv1.RollingUpdateStatefulSetStrategyType:
		if s.RollingUpdate == nil {
			return nil
		}
		return validateStatefulSetRolling(s.RollingUpdate, path.Child("rollingUpdate"))
	}
	return field.ErrorList{field.Invalid(path, internalForm(*s), "must be 'RollingUpdate' or 'OnDelete'")}
}

func validateStatefulSetRolling(r *appsv1.RollingUpdateStatefulSetStrategy, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if r.Partition != nil {
		errs = notNegative(path.Child("partition"), *r.Partition)
	}
	if r.MaxUnavailable == nil {
		return errs
	}
	at := path.Child("maxUnavailable")
	errs = append(errs, validateShare(r.MaxUnavailable, at)...)
	if amount(r.MaxUnavailable) == 0 {
		errs = append(errs, field.Invalid(at, r.MaxUnavailable, "cannot be 0"))
	}
	return errs
}

func validateRetention(p *appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy, path *field.Path) field.ErrorList {
	if p == nil {
		return nil
	}
	known := []appsv1.PersistentVolumeClaimRetentionPolicyType{
		appsv1.RetainPersistentVolumeClaimRetentionPolicyType, appsv1.DeletePersistentVolumeClaimRetentionPolicyType}
	var errs field.ErrorList
	if !slices.Contains(known, p.WhenDeleted) {
		errs = append(errs, field.NotSupported(path.Child("whenDeleted"), p.WhenDeleted, known))
	}
	if !slices.Contains(known, p.WhenScaled) {
		errs = append(errs, field.NotSupported(path.Child("whenScaled"), p.WhenScaled, known))
	}
	return errs
}

// validateStatefulSetUpdate keeps what the controller can not follow as it was.
func validateStatefulSetUpdate(obj, old runtime.Object) field.ErrorList {
	s, was := &obj.(*appsv1.StatefulSet).Spec, &old.(*appsv1.StatefulSet).Spec
	path := field.NewPath("spec")
	errs := validateSame(s.Selector, was.Selector, path.Child("selector"))
	errs = append(errs, validateSame(untyped(s.VolumeClaimTemplates), untyped(was.VolumeClaimTemplates), path.Child("volumeClaimTemplates"))...)
	errs = append(errs, validateSame(s.ServiceName, was.ServiceName, path.Child("serviceName"))...)
	return append(errs, validateSame(s.PodManagementPolicy, was.PodManagementPolicy, path.Child("podManagementPolicy"))...)
}

// untyped gives claims without what they call themselves, as they are inside of kube-apiserver.
func untyped(claims []corev1.PersistentVolumeClaim) []corev1.PersistentVolumeClaim {
	claims = slices.Clone(claims)
	for i := range claims {
		claims[i].TypeMeta = metav1.TypeMeta{}
	}
	return claims
}

func validateStatefulSetStatusUpdate(obj, old runtime.Object) field.ErrorList {
	s, was := &obj.(*appsv1.StatefulSet).Status, &old.(*appsv1.StatefulSet).Status
	path := field.NewPath("status")
	errs := notNegative(path.Child("replicas"), s.Replicas)
	errs = append(errs, notNegative(path.Child("readyReplicas"), s.ReadyReplicas)...)
	errs = append(errs, notNegative(path.Child("currentReplicas"), s.CurrentReplicas)...)
	errs = append(errs, notNegative(path.Child("updatedReplicas"), s.UpdatedReplicas)...)
	errs = append(errs, notNegative(path.Child("availableReplicas"), s.AvailableReplicas)...)
	errs = append(errs, notNegative(path.Child("observedGeneration"), s.ObservedGeneration)...)
	if s.CollisionCount != nil {
		errs = append(errs, notNegative(path.Child("collisionCount"), *s.CollisionCount)...)
	}
	errs = append(errs, atMost(path.Child("readyReplicas"), s.ReadyReplicas, s.Replicas, moreThanReplicas)...)
	errs = append(errs, atMost(path.Child("currentReplicas"), s.CurrentReplicas, s.Replicas, moreThanReplicas)...)
	errs = append(errs, atMost(path.Child("updatedReplicas"), s.UpdatedReplicas, s.Replicas, moreThanReplicas)...)
	errs = append(errs, atMost(path.Child("availableReplicas"), s.AvailableReplicas, s.Replicas, moreThanReplicas)...)
	errs = append(errs, atMost(path.Child("availableReplicas"), s.AvailableReplicas, s.ReadyReplicas,
		"cannot be greater than status.readyReplicas")...)
	return append(errs, notDecremented(s.CollisionCount, was.CollisionCount, path.Child("collisionCount"))...)
}
