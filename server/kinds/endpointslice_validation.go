package kinds

import (
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// How much one EndpointSlice may hold.
const (
	maxEndpoints      = 1000
	maxAddresses      = 100 // of an endpoint
	maxTopologyLabels = 16  // of an endpoint
	maxEndpointPorts  = 20000
	maxHints          = 8 // zones, and nodes, of an endpoint
)

func validateEndpointSlice(obj runtime.Object) field.ErrorList {
	s := obj.(*discoveryv1.EndpointSlice)
	errs := oneOf(field.NewPath("addressType"), s.AddressType,
		discoveryv1.AddressTypeFQDN, discoveryv1.AddressTypeIPv4, discoveryv1.AddressTypeIPv6)
	endpoints := field.NewPath("endpoints")
	if len(s.Endpoints) > maxEndpoints {
		errs = append(errs, field.TooMany(endpoints, len(s.Endpoints), maxEndpoints))
	} else {
		for i := range s.Endpoints {
			errs = append(errs, validateEndpoint(&s.Endpoints[i], s.AddressType, endpoints.Index(i))...)
		}
	}
	return append(errs, validateEndpointPorts(s.Ports, field.NewPath("ports"))...)
}

func validateEndpoint(e *discoveryv1.Endpoint, t discoveryv1.AddressType, at *field.Path) field.ErrorList {
	errs := validateAddresses(e.Addresses, t, at.Child("addresses"))
	if e.NodeName != nil {
		errs = append(errs, named(at.Child("nodeName"), *e.NodeName, apivalidation.NameIsDNSSubdomain(*e.NodeName, false))...)
	}
	topology := at.Child("deprecatedTopology")
	if len(e.DeprecatedTopology) > maxTopologyLabels {
		errs = append(errs, field.TooMany(topology, len(e.DeprecatedTopology), maxTopologyLabels))
	}
	errs = append(errs, metav1validation.ValidateLabels(e.DeprecatedTopology, topology)...)
	if e.Hostname != nil {
		errs = append(errs, named(at.Child("hostname"), *e.Hostname, validation.IsDNS1123Label(*e.Hostname))...)
	}
	if e.Hints != nil {
		errs = append(errs, validateHints(e.Hints, at.Child("hints"))...)
	}
	return errs
}

func validateAddresses(addresses []string, t discoveryv1.AddressType, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	switch n := len(addresses); {
	case n == 0:
		errs = append(errs, field.Required(at, ""))
	case n > maxAddresses:
		errs = append(errs, field.TooMany(at, n, maxAddresses))
	}
	for i, address := range addresses {
		switch t {
		case discoveryv1.AddressTypeIPv4, discoveryv1.AddressTypeIPv6:
			errs = append(errs, validateEndpointIP(address, t, at, i)...)
		case discoveryv1.AddressTypeFQDN:
			errs = append(errs, validation.IsFullyQualifiedDomainName(at.Index(i), address)...)
		}
	}
	return errs
}

// validateEndpointIP wants an address of the family, and refuses those that mean something else on each machine.
// Another family is told of all addresses.
func validateEndpointIP(address string, t discoveryv1.AddressType, all *field.Path, i int) field.ErrorList {
	at := all.Index(i)
	errs := validation.IsValidIPForLegacyField(at, address, true, nil)
	if t == discoveryv1.AddressTypeIPv6 {
		errs = validation.IsValidIP(at, address)
	}
	if len(errs) > 0 {
		return errs
	}
	if string(familyOf(address)) != string(t) {
		errs = append(errs, field.Invalid(all, address, "must be an "+string(t)+" address"))
	}
	return append(errs, validateReachableIP(address, at)...)
}

func validateHints(h *discoveryv1.EndpointHints, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	zones, nodes := at.Child("forZones"), at.Child("forNodes")
	if len(h.ForZones) > maxHints {
		return field.ErrorList{field.TooMany(zones, len(h.ForZones), maxHints)}
	}
	seen := map[string]bool{}
	for i, zone := range h.ForZones {
		errs = append(errs, once(seen, zone.Name, zones.Index(i).Child("name"))...)
		errs = append(errs, named(zones.Index(i).Child("name"), zone.Name, validation.IsValidLabelValue(zone.Name))...)
	}
	if len(h.ForNodes) > maxHints {
		return append(errs, field.TooMany(nodes, len(h.ForNodes), maxHints))
	}
	seen = map[string]bool{}
	for i, node := range h.ForNodes {
		errs = append(errs, once(seen, node.Name, nodes.Index(i).Child("name"))...)
		errs = append(errs, named(nodes.Index(i).Child("name"), node.Name, apivalidation.NameIsDNSSubdomain(node.Name, false))...)
	}
	return errs
}

// once remembers a name in seen, and reports one that was there.
func once(seen map[string]bool, name string, at *field.Path) field.ErrorList {
	if seen[name] {
		return field.ErrorList{field.Duplicate(at, name)}
	}
	seen[name] = true
	return nil
}

// validateEndpointPorts reads names that the defaults have set.
func validateEndpointPorts(ports []discoveryv1.EndpointPort, at *field.Path) field.ErrorList {
	if len(ports) > maxEndpointPorts {
		return field.ErrorList{field.TooMany(at, len(ports), maxEndpointPorts)}
	}
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, p := range ports {
		name := at.Index(i).Child("name")
		if *p.Name != "" {
			errs = append(errs, named(name, *p.Name, validation.IsDNS1123Label(*p.Name))...)
		}
		errs = append(errs, once(seen, *p.Name, name)...)
		errs = append(errs, among(at.Index(i).Child("protocol"), *p.Protocol,
			corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP)...)
		if p.AppProtocol != nil {
			errs = append(errs, named(at.Index(i).Child("appProtocol"), *p.AppProtocol, validation.IsQualifiedName(*p.AppProtocol))...)
		}
	}
	return errs
}
