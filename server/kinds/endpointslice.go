package kinds

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// endpointSlice is the row of EndpointSlice. It has no spec: all but its metadata, and its labels too, are what its
// generation counts.
func endpointSlice() *Kind {
	return &Kind{
		GroupVersionKind:    discoveryv1.SchemeGroupVersion.WithKind("EndpointSlice"),
		Resource:            "endpointslices",
		Singular:            "endpointslice",
		Namespaced:          true,
		New:                 func() runtime.Object { return &discoveryv1.EndpointSlice{} },
		NewList:             func() runtime.Object { return &discoveryv1.EndpointSliceList{} },
		UnconditionalUpdate: true,
		Default:             defaultEndpointSlice,
		PrepareForCreate: func(obj runtime.Object) {
			s := obj.(*discoveryv1.EndpointSlice)
			s.Generation = 1
			dropTopology(s)
		},
		PrepareForUpdate: prepareEndpointSliceUpdate,
		Validate:         validateEndpointSlice,
		Warn:             warnEndpointSlice,
		ValidateUpdate: func(obj, old runtime.Object) field.ErrorList {
			s, was := obj.(*discoveryv1.EndpointSlice), old.(*discoveryv1.EndpointSlice)
			return frozen(field.NewPath("addressType"), s.AddressType, was.AddressType)
		},
		Printer: table.Printer{Columns: endpointSliceColumns(), Cells: endpointSliceCells},
	}
}

func defaultEndpointSlice(obj runtime.Object) {
	ports := obj.(*discoveryv1.EndpointSlice).Ports
	for i := range ports {
		orDefault(&ports[i].Name, "")
		orDefault(&ports[i].Protocol, corev1.ProtocolTCP)
	}
}

func prepareEndpointSliceUpdate(obj, old runtime.Object) {
	s, was := obj.(*discoveryv1.EndpointSlice), old.(*discoveryv1.EndpointSlice)
	same := equality.Semantic.DeepEqual(s.Endpoints, was.Endpoints)
	if !same || s.AddressType != was.AddressType || !equality.Semantic.DeepEqual(s.Ports, was.Ports) ||
		!equality.Semantic.DeepEqual(s.Labels, was.Labels) {
		s.Generation = was.Generation + 1
	}
	if !same {
		dropTopology(s)
	}
}

// dropTopology empties a field that is only there to be read in older versions of the API.
func dropTopology(s *discoveryv1.EndpointSlice) {
	for i := range s.Endpoints {
		s.Endpoints[i].DeprecatedTopology = nil
	}
}

func endpointSliceColumns() []metav1.TableColumnDefinition {
	doc := discoveryv1.EndpointSlice{}.SwaggerDoc()
	return []metav1.TableColumnDefinition{
		nameColumn(),
		column("AddressType", doc["addressType"]),
		column("Ports", doc["ports"]),
		column("Endpoints", doc["endpoints"]),
		ageColumn(),
	}
}

func endpointSliceCells(obj runtime.Object, now time.Time) []any {
	s := obj.(*discoveryv1.EndpointSlice)
	var ports, addresses []string
	for _, p := range s.Ports {
		switch {
		case p.Port != nil:
			ports = append(ports, fmt.Sprint(*p.Port))
		case p.Name != nil:
			ports = append(ports, *p.Name)
		default:
			ports = append(ports, "*")
		}
	}
	for _, e := range s.Endpoints {
		addresses = append(addresses, e.Addresses...)
	}
	return []any{s.Name, string(s.AddressType), firstThree(ports), firstThree(addresses), age(s.CreationTimestamp, now)}
}

// firstThree names the first three of a list and counts the rest.
func firstThree(list []string) string {
	const most = 3
	if len(list) > most {
		return fmt.Sprintf("%s + %d more...", strings.Join(list[:most], ","), len(list)-most)
	}
	return orElse(strings.Join(list, ","), "<unset>")
}
