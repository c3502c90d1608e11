package kinds

import (
	"context"
	"slices"
	"strings"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/operation"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// resourceClaim is the row of ResourceClaim. What is claimed does not change any more; its status is the scheduler's.
func resourceClaim() *Kind {
	return &Kind{
		GroupVersionKind:       resourcev1.SchemeGroupVersion.WithKind("ResourceClaim"),
		Resource:               "resourceclaims",
		Singular:               "resourceclaim",
		Namespaced:             true,
		New:                    func() runtime.Object { return &resourcev1.ResourceClaim{} },
		NewList:                func() runtime.Object { return &resourcev1.ResourceClaimList{} },
		UnconditionalUpdate:    true,
		ReturnDeleted:          true,
		Status:                 true,
		StatusAlone:            true,
		Default:                func(obj runtime.Object) { defaultDeviceRequests(&obj.(*resourcev1.ResourceClaim).Spec) },
		ValidateCreate:         validateResourceClaim,
		ValidateUpdate:         validateResourceClaimUpdate,
		ValidateStatusUpdate:   validateResourceClaimStatus,
		PrepareForStatusUpdate: dropReleasedDevices,
		Printer: table.Printer{Columns: []metav1.TableColumnDefinition{
			nameColumn(), column("State", "A summary of the current state (allocated, pending, reserved, etc.)."), ageColumn(),
		}, Cells: resourceClaimCells},
	}
}

// resourceClaimTemplate is the row of ResourceClaimTemplate, from which claims of Pods are made.
func resourceClaimTemplate() *Kind {
	return &Kind{
		GroupVersionKind:    resourcev1.SchemeGroupVersion.WithKind("ResourceClaimTemplate"),
		Resource:            "resourceclaimtemplates",
		Singular:            "resourceclaimtemplate",
		Namespaced:          true,
		New:                 func() runtime.Object { return &resourcev1.ResourceClaimTemplate{} },
		NewList:             func() runtime.Object { return &resourcev1.ResourceClaimTemplateList{} },
		UnconditionalUpdate: true,
		ReturnDeleted:       true,
		Default:             func(obj runtime.Object) { defaultDeviceRequests(&obj.(*resourcev1.ResourceClaimTemplate).Spec.Spec) },
		ValidateCreate: func(obj runtime.Object) field.ErrorList {
			s := &obj.(*resourcev1.ResourceClaimTemplate).Spec
			at := field.NewPath("spec")
			errs := apivalidation.ValidateAnnotations(s.Annotations, at.Child("metadata", "annotations"))
			errs = append(errs, metav1validation.ValidateLabels(s.Labels, at.Child("metadata", "labels"))...)
			errs = append(errs, published(resourcev1.Validate_ResourceClaimTemplateSpec(context.Background(), creation(), at, s, nil))...)
			return append(errs, validateDeviceClaim(&s.Spec.Devices, at.Child("spec", "devices"))...)
		},
		ValidateUpdate: func(obj, old runtime.Object) field.ErrorList {
			return frozen(field.NewPath("spec"), obj.(*resourcev1.ResourceClaimTemplate).Spec, old.(*resourcev1.ResourceClaimTemplate).Spec)
		},
		Printer: namedPrinter(),
	}
}

// dropReleasedDevices forgets what was told of devices that the claim had and has no longer.
func dropReleasedDevices(obj, old runtime.Object) {
	s, was := &obj.(*resourcev1.ResourceClaim).Status, &old.(*resourcev1.ResourceClaim).Status
	has, had := allocatedDevices(s.Allocation), allocatedDevices(was.Allocation)
	s.Devices = slices.DeleteFunc(s.Devices, func(d resourcev1.AllocatedDeviceStatus) bool {
		share := ""
		if d.ShareID != nil {
			share = *d.ShareID
		}
		id := deviceID{d.Driver, d.Pool, d.Device, share}
		return had[id] && !has[id]
	})
	if len(s.Devices) == 0 {
		s.Devices = nil
	}
}

// A deviceID names a device, or one share of it, among all of the cluster.
type deviceID struct{ driver, pool, device, share string }

func allocatedDevices(a *resourcev1.AllocationResult) map[deviceID]bool {
	ids := map[deviceID]bool{}
	if a == nil {
		return ids
	}
	for _, r := range a.Devices.Results {
		share := ""
		if r.ShareID != nil {
			share = string(*r.ShareID)
		}
		ids[deviceID{r.Driver, r.Pool, r.Device, share}] = true
	}
	return ids
}

// namedPrinter shows a name and an age, as Kubernetes does where it has no columns for a kind.
func namedPrinter() table.Printer {
	return table.Printer{Columns: []metav1.TableColumnDefinition{nameColumn(), ageColumn()}, Cells: func(obj runtime.Object, now time.Time) []any {
		m := obj.(metav1.Object)
		return []any{m.GetName(), age(m.GetCreationTimestamp(), now)}
	}}
}

// alphaFeatures are the feature gates that published checks ask for. They are off, as in a cluster that sets none.
var alphaFeatures = map[string]bool{"DRAPartitionableDevicesType": false}

// creation and change are what the published checks are asked about.
func creation() operation.Operation {
	return operation.Operation{Type: operation.Create, Options: alphaFeatures}
}

func change() operation.Operation {
	return operation.Operation{Type: operation.Update, Options: alphaFeatures}
}

// published drops what the checks that k8s.io/api brings find but do not enforce yet.
func published(errs field.ErrorList) field.ErrorList {
	return slices.DeleteFunc(errs, func(e *field.Error) bool { return e.IsAlpha() })
}

func defaultDeviceRequests(s *resourcev1.ResourceClaimSpec) {
	for i := range s.Devices.Requests {
		r := &s.Devices.Requests[i]
		if e := r.Exactly; e != nil {
			defaultAllocation(&e.AllocationMode, &e.Count)
			defaultTolerations(e.Tolerations)
		}
		for j := range r.FirstAvailable {
			defaultAllocation(&r.FirstAvailable[j].AllocationMode, &r.FirstAvailable[j].Count)
			defaultTolerations(r.FirstAvailable[j].Tolerations)
		}
	}
}

func defaultAllocation(mode *resourcev1.DeviceAllocationMode, count *int64) {
	orValue(mode, resourcev1.DeviceAllocationModeExactCount)
	if *mode == resourcev1.DeviceAllocationModeExactCount {
		orValue(count, 1)
	}
}

func defaultTolerations(tolerations []resourcev1.DeviceToleration) {
	for i := range tolerations {
		orValue(&tolerations[i].Operator, resourcev1.DeviceTolerationOpEqual)
	}
}

func validateResourceClaim(obj runtime.Object) field.ErrorList {
	s := &obj.(*resourcev1.ResourceClaim).Spec
	at := field.NewPath("spec")
	errs := published(resourcev1.Validate_ResourceClaimSpec(context.Background(), creation(), at, s, nil))
	return append(errs, validateDeviceClaim(&s.Devices, at.Child("devices"))...)
}

func validateResourceClaimUpdate(obj, old runtime.Object) field.ErrorList {
	return frozen(field.NewPath("spec"), obj.(*resourcev1.ResourceClaim).Spec, old.(*resourcev1.ResourceClaim).Spec)
}

func validateResourceClaimStatus(obj, old runtime.Object) field.ErrorList {
	s, was := &obj.(*resourcev1.ResourceClaim).Status, &old.(*resourcev1.ResourceClaim).Status
	at := field.NewPath("status")
	errs := published(resourcev1.Validate_ResourceClaimStatus(context.Background(), change(), at, s, was))
	return append(errs, validateReservations(s, was, obj.(*resourcev1.ResourceClaim).DeletionTimestamp != nil, at.Child("reservedFor"))...)
}

func resourceClaimCells(obj runtime.Object, now time.Time) []any {
	c := obj.(*resourcev1.ResourceClaim)
	var state []string
	if c.DeletionTimestamp != nil {
		state = append(state, "deleted")
	}
	switch {
	case c.Status.Allocation == nil && c.DeletionTimestamp == nil:
		state = append(state, "pending")
	case c.Status.Allocation != nil && len(c.Status.ReservedFor) > 0:
		state = append(state, "allocated", "reserved")
	case c.Status.Allocation != nil:
		state = append(state, "allocated")
	}
	return []any{c.Name, strings.Join(state, ","), age(c.CreationTimestamp, now)}
}
