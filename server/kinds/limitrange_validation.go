package kinds

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func validateLimitRange(obj runtime.Object) field.ErrorList {
	seen := map[corev1.LimitType]bool{}
	var errs field.ErrorList
	limits := obj.(*corev1.LimitRange).Spec.Limits
	for i := range limits {
		l, path := &limits[i], field.NewPath("spec", "limits").Index(i)
		errs = append(errs, validateLimitType(l.Type, path.Child("type"))...)
		if seen[l.Type] {
			errs = append(errs, field.Duplicate(path.Child("type"), l.Type))
		}
		seen[l.Type] = true
		errs = append(errs, validateLimitNames(l, path)...)
		for _, name := range limitedResources(l) {
			errs = append(errs, validateLimit(newLimit(l, name), path)...)
		}
	}
	return errs
}

// validateLimitType knows what can be limited; others carry a domain.
func validateLimitType(t corev1.LimitType, path *field.Path) field.ErrorList {
	errs := named(path, string(t), validation.IsQualifiedName(string(t)))
	known := []corev1.LimitType{corev1.LimitTypePod, corev1.LimitTypeContainer, corev1.LimitTypePersistentVolumeClaim}
	if !strings.Contains(string(t), "/") && !slices.Contains(known, t) {
		errs = append(errs, field.Invalid(path, t, "must be a standard limit type or fully qualified"))
	}
	return errs
}

// validateLimitNames checks which resources are limited, and in which way.
func validateLimitNames(l *corev1.LimitRangeItem, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	check := func(list corev1.ResourceList, name string) {
		for _, r := range sortedResources(list) {
			errs = append(errs, validateLimitedResource(l.Type, r, path.Child(name).Key(string(r)))...)
		}
	}
	check(l.Max, "max")
	check(l.Min, "min")
	if l.Type == corev1.LimitTypePod {
		for name, list := range map[string]corev1.ResourceList{"default": l.Default, "defaultRequest": l.DefaultRequest} {
			if len(list) > 0 {
				errs = append(errs, field.Forbidden(path.Child(name), "may not be specified when `type` is 'Pod'"))
			}
		}
	} else {
		check(l.Default, "default")
		check(l.DefaultRequest, "defaultRequest")
	}
	_, least := l.Min[corev1.ResourceStorage]
	_, most := l.Max[corev1.ResourceStorage]
	if l.Type == corev1.LimitTypePersistentVolumeClaim && !least && !most {
		errs = append(errs, field.Required(path.Child("limits"), "either minimum or maximum storage value is required, but neither was provided"))
	}
	check(l.MaxLimitRequestRatio, "maxLimitRequestRatio")
	return errs
}

func validateLimitedResource(t corev1.LimitType, name corev1.ResourceName, path *field.Path) field.ErrorList {
	if t == corev1.LimitTypePod || t == corev1.LimitTypeContainer {
		return validateResourceName(name, path)
	}
	return validateAnyResourceName(name, path)
}

// limitedResources lists the resources of which a limit says anything, in order.
func limitedResources(l *corev1.LimitRangeItem) []corev1.ResourceName {
	all := corev1.ResourceList{}
	for _, list := range []corev1.ResourceList{l.Max, l.Min, l.Default, l.DefaultRequest, l.MaxLimitRequestRatio} {
		fillAmounts(all, list)
	}
	return sortedResources(all)
}

// A limit is what is said of one resource; nil where nothing is.
type limit struct {
	name                                   corev1.ResourceName
	least, most, standard, standardRequest *resource.Quantity
	ratio                                  *resource.Quantity
}

func newLimit(l *corev1.LimitRangeItem, name corev1.ResourceName) limit {
	get := func(list corev1.ResourceList) *resource.Quantity {
		if q, ok := list[name]; ok {
			return &q
		}
		return nil
	}
	r := limit{name: name, least: get(l.Min), most: get(l.Max), ratio: get(l.MaxLimitRequestRatio)}
	if l.Type != corev1.LimitTypePod { // where defaults are forbidden, which was told already
		r.standard, r.standardRequest = get(l.Default), get(l.DefaultRequest)
	}
	return r
}

// validateLimit checks that the amounts of a resource are in order: min, defaultRequest, default, max.
func validateLimit(l limit, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, pair := range []struct {
		low, high         *resource.Quantity
		lowName, highName string
		at                string
		told              *resource.Quantity
	}{
		{l.least, l.most, "min value", "max value", "min", l.least},
		{l.least, l.standardRequest, "min value", "default request value", "defaultRequest", l.standardRequest},
		{l.standardRequest, l.most, "default request value", "max value", "defaultRequest", l.standardRequest},
		{l.standardRequest, l.standard, "default request value", "default limit value", "defaultRequest", l.standardRequest},
		{l.least, l.standard, "min value", "default value", "default", l.least},
		{l.standard, l.most, "default value", "max value", "default", l.most},
	} {
		if pair.low != nil && pair.high != nil && pair.low.Cmp(*pair.high) > 0 {
			errs = append(errs, field.Invalid(path.Child(pair.at).Key(string(l.name)), *pair.told,
				fmt.Sprintf("%s %s is greater than %s %s", pair.lowName, pair.low, pair.highName, pair.high)))
		}
	}
	errs = append(errs, validateLimitRatio(l, path.Child("maxLimitRequestRatio").Key(string(l.name)))...)
	if !mayOvercommit(l.name) && l.standard != nil && l.standardRequest != nil && l.standard.Cmp(*l.standardRequest) != 0 {
		errs = append(errs, field.Invalid(path.Child("defaultRequest").Key(string(l.name)), *l.standardRequest,
			fmt.Sprintf("default value %s must equal to defaultRequest value %s in %s", l.standard, l.standardRequest, l.name)))
	}
	return errs
}

// validateLimitRatio checks by how much a limit may be above its request, which max and min bound as well.
func validateLimitRatio(l limit, path *field.Path) field.ErrorList {
	if l.ratio == nil {
		return nil
	}
	var errs field.ErrorList
	if l.ratio.Cmp(*resource.NewQuantity(1, resource.DecimalSI)) < 0 {
		errs = append(errs, field.Invalid(path, *l.ratio, fmt.Sprintf("ratio %s is less than 1", l.ratio)))
	}
	if l.least == nil || l.most == nil {
		return errs
	}
	bound := l.most.AsApproximateFloat64() / l.least.AsApproximateFloat64()
	if l.ratio.AsApproximateFloat64() > bound {
		errs = append(errs, field.Invalid(path, *l.ratio, fmt.Sprintf("ratio %s is greater than max/min = %f", l.ratio, bound)))
	}
	return errs
}
