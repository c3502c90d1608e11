package kinds_test

import (
	"slices"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// What is said of a write that is good all the same; old is empty at a create.
func TestKind_Warn(t *testing.T) {
	const (
		zone     = `deprecated since v1.17; use "topology.kubernetes.io/zone" instead`
		secrets  = "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes"
		reserved = `metadata.name: names ending with ".static.k8s.io" are reserved for static manifest-based configurations and cannot be managed via the API`
		reviews  = `{webhooks: [{rules: [{apiGroups: [authentication.k8s.io], resources: [tokenreviews, tokenreviews]}, {apiGroups: ["*"], resources: [tokenreviews]}]}]}`
	)
	for _, tt := range []struct {
		name, kind, old, text string
		want                  []string
	}{
		{"selector", "RuntimeClass", "", `{scheduling: {nodeSelector: {failure-domain.beta.kubernetes.io/zone: a, kubernetes.io/os: linux}}}`,
			[]string{"scheduling.nodeSelector: " + zone}},
		{"none", "RuntimeClass", "", `{handler: a}`, nil},
		{"topology", "StorageClass", "", `{allowedTopologies: [{matchLabelExpressions: [{key: topology.kubernetes.io/zone}, {key: failure-domain.beta.kubernetes.io/zone}]}]}`,
			[]string{"allowedTopologies[0].matchLabelExpressions[1].key: " + zone}},
		{"topology", "CSIStorageCapacity", "", `{nodeTopology: {matchExpressions: [{key: failure-domain.beta.kubernetes.io/zone}], matchLabels: {failure-domain.beta.kubernetes.io/zone: a}}}`,
			[]string{"nodeTopology.matchExpressions[0].key: failure-domain.beta.kubernetes.io/zone is " + zone,
				"nodeTopology.matchLabels.failure-domain.beta.kubernetes.io/zone: " + zone}},
		{"everywhere", "CSIStorageCapacity", "", `{}`, nil},
		{"tokens", "CSIDriver", "", `{spec: {tokenRequests: [{audience: a}]}}`, []string{secrets}},
		{"tokens in secrets", "CSIDriver", "", `{spec: {tokenRequests: [{audience: a}], serviceAccountTokenInSecrets: false}}`, nil},
		{"same tokens", "CSIDriver", `{spec: {tokenRequests: [{audience: a}]}}`, `{spec: {tokenRequests: [{audience: a}]}}`, nil},
		{"other tokens", "CSIDriver", `{spec: {tokenRequests: [{audience: a}]}}`, `{spec: {tokenRequests: [{audience: b}]}}`, []string{secrets}},
		{"names", "EndpointSlice", "", `{addressType: FQDN, endpoints: [{addresses: [a.example.com]}]}`, []string{"spec.addressType: FQDN endpoints are deprecated"}},
		{"same names", "EndpointSlice", `{addressType: FQDN}`, `{addressType: FQDN}`, nil},
		{"zeros", "EndpointSlice", "", `{addressType: IPv4, endpoints: [{addresses: [10.0.0.1, 010.0.0.1]}]}`,
			[]string{`endpoints[0].addresses[1]: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"`}},
		{"zeros of a controller", "EndpointSlice", "", `{metadata: {labels: {endpointslice.kubernetes.io/managed-by: endpointslice-controller.k8s.io}},
			addressType: IPv4, endpoints: [{addresses: [010.0.0.1]}]}`, nil},
		{"ranges", "NetworkPolicy", "", `{spec: {ingress: [{from: [{}, {ipBlock: {cidr: 10.0.0.1/8, except: [10.1.0.0/16]}}]}], egress: [{to: [{ipBlock: {cidr: "FD00::/8"}}]}]}}`,
			[]string{`spec.ingress[0].from[1].ipBlock.cidr: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)`,
				`spec.egress[0].to[0].ipBlock.cidr: IPv6 CIDR value "FD00::/8" should be in RFC 5952 canonical format ("fd00::/8")`}},
		{"annotation", "Ingress", "", `{metadata: {annotations: {kubernetes.io/ingress.class: a}}}`,
			[]string{`annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`}},
		{"old annotation", "Ingress", `{}`, `{metadata: {annotations: {kubernetes.io/ingress.class: a}}}`, nil},
		{"reviews", "MutatingWebhookConfiguration", "", reviews,
			[]string{"webhooks[0].rules[0]: tokenreviews.authentication.k8s.io is excluded from admission webhooks; this rule will have no effect"}},
		{"reserved", "ValidatingWebhookConfiguration", `{}`, `{metadata: {name: a.static.k8s.io}}`, []string{reserved}},
		{"reserved", "MutatingAdmissionPolicyBinding", `{}`, `{metadata: {name: a.static.k8s.io}}`, []string{reserved}},
	} {
		t.Run(tt.kind+"/"+tt.name, func(t *testing.T) {
			k := mustKind(t, tt.kind)
			var old runtime.Object
			if tt.old != "" {
				old = mustParse[runtime.Object](t, k, tt.old)
			}
			if got := k.Warn(mustParse[runtime.Object](t, k, tt.text), old); !slices.Equal(got, tt.want) {
				t.Errorf("got\n%q\nwant\n%q", got, tt.want)
			}
		})
	}
}

// A new object may not have a name that is reserved for files.
func TestStaticName(t *testing.T) {
	for _, kind := range []string{"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"} {
		runEntryTests(t, []entryTest{{"static", kind, `{metadata: {name: a.static.k8s.io}}`, []string{
			`metadata.name: Invalid value: "a.static.k8s.io": names ending with ".static.k8s.io" are reserved for static manifest-based configurations and cannot be managed via the API`}}})
	}
}

// The generation of a CSIDriver counts changes, and a new one has none.
func TestCSIDriver_generation(t *testing.T) {
	k := mustKind(t, "CSIDriver")
	old := mustParse[*storagev1.CSIDriver](t, k, `{spec: {}}`)
	expectErrors(t, enter(k, old), nil)
	if old.Generation != 0 {
		t.Errorf("a new one has generation %d", old.Generation)
	}
	changed := mustParse[*storagev1.CSIDriver](t, k, `{spec: {podInfoOnMount: true}}`)
	expectErrors(t, replace(k, changed, old), nil)
	if changed.Generation != 1 {
		t.Errorf("a changed one has generation %d", changed.Generation)
	}
}

// A status forgets the devices that were given back, and keeps those that were never the claim's.
func TestResourceClaim_released(t *testing.T) {
	k := mustKind(t, "ResourceClaim")
	const devices = `devices: [{driver: d, pool: p, device: one}, {driver: d, pool: p, device: two}]`
	old := mustParse[*resourcev1.ResourceClaim](t, k, `{status: {allocation: {devices: {results: [{driver: d, pool: p, device: one}]}}, `+devices+`}}`)
	c := mustParse[*resourcev1.ResourceClaim](t, k, `{status: {`+devices+`}}`)
	k.PrepareForStatusUpdate(c, old)
	if len(c.Status.Devices) != 1 || c.Status.Devices[0].Device != "two" {
		t.Errorf("kept %v", c.Status.Devices)
	}
}

// A taint that gets another effect is as old as that change, unless the client says otherwise.
func TestDeviceTaintRule_effect(t *testing.T) {
	k := mustKind(t, "DeviceTaintRule")
	const was = `timeAdded: "2026-01-02T11:55:00Z"`
	old := mustParse[*resourcev1.DeviceTaintRule](t, k, `{spec: {taint: {key: a, effect: NoSchedule, `+was+`}}}`)
	for _, tt := range []struct {
		name, text string
		kept       bool
	}{
		{"same effect", `{spec: {taint: {key: b, effect: NoSchedule, ` + was + `}}}`, true},
		{"other effect", `{spec: {taint: {key: a, effect: NoExecute, ` + was + `}}}`, false},
	} {
		r := mustParse[*resourcev1.DeviceTaintRule](t, k, tt.text)
		k.PrepareForUpdate(r, old)
		if r.Spec.Taint.TimeAdded.Equal(old.Spec.Taint.TimeAdded) != tt.kept {
			t.Errorf("%s: added %v", tt.name, r.Spec.Taint.TimeAdded)
		}
	}
}
