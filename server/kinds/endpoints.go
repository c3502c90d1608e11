package kinds

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// endpoints is the row of Endpoints.
func endpoints() *Kind {
	return &Kind{
		GroupVersionKind:    corev1.SchemeGroupVersion.WithKind("Endpoints"),
		Resource:            "endpoints",
		Singular:            "endpoints",
		ShortNames:          []string{"ep"},
		Namespaced:          true,
		New:                 func() runtime.Object { return &corev1.Endpoints{} },
		NewList:             func() runtime.Object { return &corev1.EndpointsList{} },
		CreateOnUpdate:      true,
		UnconditionalUpdate: true,
		Deprecation:         "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
		Default:             defaultEndpoints,
		Validate:            validateEndpoints,
		Warn:                warnEndpoints,
		Printer: table.Printer{
			Columns: []metav1.TableColumnDefinition{
				nameColumn(), column("Endpoints", corev1.Endpoints{}.SwaggerDoc()["subsets"]), ageColumn(),
			},
			Cells: func(obj runtime.Object, now time.Time) []any {
				e := obj.(*corev1.Endpoints)
				return []any{e.Name, endpointsCell(e), age(e.CreationTimestamp, now)}
			},
		},
	}
}

func defaultEndpoints(obj runtime.Object) {
	for _, subset := range obj.(*corev1.Endpoints).Subsets {
		for i := range subset.Ports {
			orValue(&subset.Ports[i].Protocol, corev1.ProtocolTCP)
		}
	}
}

// mostEndpointsShown is how many addresses a row has room for.
const mostEndpointsShown = 3

// endpointsCell lists the first addresses that are ready, with their ports, and says how many more there are.
func endpointsCell(e *corev1.Endpoints) string {
	if len(e.Subsets) == 0 {
		return none
	}
	var all []string
	for _, subset := range e.Subsets {
		if len(subset.Ports) == 0 {
			for _, a := range subset.Addresses {
				all = append(all, a.IP)
			}
		}
		for _, port := range subset.Ports {
			for _, a := range subset.Addresses {
				all = append(all, net.JoinHostPort(a.IP, strconv.Itoa(int(port.Port))))
			}
		}
	}
	if len(all) > mostEndpointsShown {
		return fmt.Sprintf("%s + %d more...", strings.Join(all[:mostEndpointsShown], ","), len(all)-mostEndpointsShown)
	}
	return strings.Join(all, ",")
}

func validateEndpoints(obj runtime.Object) field.ErrorList {
	var errs field.ErrorList
	for i, subset := range obj.(*corev1.Endpoints).Subsets {
		path := field.NewPath("subsets").Index(i)
		if len(subset.Addresses)+len(subset.NotReadyAddresses) == 0 {
			errs = append(errs, field.Required(path, "must specify `addresses` or `notReadyAddresses`"))
		}
		for j := range subset.Addresses {
			errs = append(errs, validateEndpointAddress(&subset.Addresses[j], path.Child("addresses").Index(j))...)
		}
		for j := range subset.NotReadyAddresses {
			errs = append(errs, validateEndpointAddress(&subset.NotReadyAddresses[j], path.Child("notReadyAddresses").Index(j))...)
		}
		for j := range subset.Ports {
			errs = append(errs, validateEndpointPort(&subset.Ports[j], len(subset.Ports) > 1, path.Child("ports").Index(j))...)
		}
	}
	return errs
}

func validateEndpointAddress(a *corev1.EndpointAddress, path *field.Path) field.ErrorList {
	errs := validation.IsValidIPForLegacyField(path.Child("ip"), a.IP, false, nil)
	if a.Hostname != "" {
		errs = append(errs, named(path.Child("hostname"), a.Hostname, validation.IsDNS1123Label(a.Hostname))...)
	}
	if a.NodeName != nil {
		errs = append(errs, named(path.Child("nodeName"), *a.NodeName, apivalidation.NameIsDNSSubdomain(*a.NodeName, false))...)
	}
	return append(errs, validateReachableIP(a.IP, path.Child("ip"))...)
}

// validateEndpointPort checks a port, which must have a name if others are beside it.
func validateEndpointPort(p *corev1.EndpointPort, beside bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if p.Name != "" {
		errs = append(errs, named(path.Child("name"), p.Name, validation.IsDNS1123Label(p.Name))...)
	} else if beside {
		errs = append(errs, field.Required(path.Child("name"), ""))
	}
	errs = append(errs, numbered(path.Child("port"), int64(p.Port), validation.IsValidPortNum(int(p.Port)))...)
	errs = append(errs, oneOf(path.Child("protocol"), p.Protocol, corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP)...)
	if p.AppProtocol != nil {
		errs = append(errs, named(path.Child("appProtocol"), *p.AppProtocol, validation.IsQualifiedName(*p.AppProtocol))...)
	}
	return errs
}
