package kinds_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
)

// entryTest is an object that enters, and the reasons why it may not.
type entryTest struct {
	name, kind, text string
	want             []string
}

func runEntryTests(t *testing.T, tests []entryTest) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.kind+"/"+tt.name, func(t *testing.T) {
			k := mustKind(t, tt.kind)
			expectErrors(t, enter(k, mustParse[runtime.Object](t, k, tt.text)), tt.want)
		})
	}
}

// changeTest is an update of old, and the reasons why it may not be.
type changeTest struct {
	name, kind, old, text string
	want                  []string
}

func runChangeTests(t *testing.T, tests []changeTest) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.kind+"/"+tt.name, func(t *testing.T) {
			k := mustKind(t, tt.kind)
			old := mustParse[runtime.Object](t, k, tt.old)
			expectErrors(t, enter(k, old), nil)
			expectErrors(t, replace(k, mustParse[runtime.Object](t, k, tt.text), old), tt.want)
		})
	}
}

// defaultTest is an object and what the defaults make of it, once and twice.
type defaultTest struct{ name, kind, text, want string }

func runDefaultTests(t *testing.T, tests []defaultTest) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.kind+"/"+tt.name, func(t *testing.T) {
			k := mustKind(t, tt.kind)
			got, want := mustParse[runtime.Object](t, k, tt.text), mustParse[runtime.Object](t, k, tt.want)
			for range 2 {
				k.Default(got)
				if !equality.Semantic.DeepEqual(got, want) {
					t.Fatalf("got\n%+v\nwant\n%+v", got, want)
				}
			}
		})
	}
}

// cellTest is an object created five minutes ago, unless it says otherwise, and its row.
type cellTest struct {
	name, kind, text string
	want             []any
}

func runCellTests(t *testing.T, tests []cellTest) {
	t.Helper()
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	for _, tt := range tests {
		t.Run(tt.kind+"/"+tt.name, func(t *testing.T) {
			k := mustKind(t, tt.kind)
			obj := mustParse[runtime.Object](t, k, tt.text)
			if got := k.Printer.Cells(obj, now); !slices.Equal(got, tt.want) {
				t.Errorf("got\n%#v\nwant\n%#v", got, tt.want)
			}
		})
	}
}

// rowTest is what a kind is called and which doors it has.
type rowTest struct {
	kind, resource, shorts                                               string
	namespaced, createOnUpdate, unconditional, status, counted, returned bool
}

// The names and doors of the rows that have a file of tests of their own.
func TestBuiltIn_Rows(t *testing.T) {
	rows := []rowTest{
		{"Role", "roles.rbac.authorization.k8s.io", "", true, true, true, false, false, false},
		{"RoleBinding", "rolebindings.rbac.authorization.k8s.io", "", true, true, true, false, false, false},
		{"ClusterRole", "clusterroles.rbac.authorization.k8s.io", "", false, true, true, false, false, false},
		{"ClusterRoleBinding", "clusterrolebindings.rbac.authorization.k8s.io", "", false, true, true, false, false, false},
		{"Ingress", "ingresses.networking.k8s.io", "ing", true, false, true, true, true, false},
		{"IngressClass", "ingressclasses.networking.k8s.io", "", false, false, true, false, true, false},
		{"NetworkPolicy", "networkpolicies.networking.k8s.io", "netpol", true, false, true, false, true, false},
		{"IPAddress", "ipaddresses.networking.k8s.io", "ip", false, false, true, false, false, false},
		{"ServiceCIDR", "servicecidrs.networking.k8s.io", "", false, false, true, true, false, false},
		{"StorageClass", "storageclasses.storage.k8s.io", "sc", false, false, true, false, false, true},
		{"VolumeAttributesClass", "volumeattributesclasses.storage.k8s.io", "vac", false, false, true, false, false, true},
		{"CSIDriver", "csidrivers.storage.k8s.io", "", false, false, false, false, false, true},
		{"CSIStorageCapacity", "csistoragecapacities.storage.k8s.io", "", true, false, false, false, false, false},
		{"EndpointSlice", "endpointslices.discovery.k8s.io", "", true, false, true, false, false, false},
		{"RuntimeClass", "runtimeclasses.node.k8s.io", "", false, true, false, false, false, false},
		{"FlowSchema", "flowschemas.flowcontrol.apiserver.k8s.io", "", false, false, true, true, true, false},
		{"PriorityLevelConfiguration", "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io", "", false, false, true, true, true, false},
		{"CSINode", "csinodes.storage.k8s.io", "", false, false, false, true, false, true},
		{"VolumeAttachment", "volumeattachments.storage.k8s.io", "", false, false, false, true, false, true},
		{"DeviceClass", "deviceclasses.resource.k8s.io", "", false, false, true, false, true, true},
		{"DeviceTaintRule", "devicetaintrules.resource.k8s.io", "", false, false, false, true, true, false},
		{"ResourceClaim", "resourceclaims.resource.k8s.io", "", true, false, true, true, false, true},
		{"ResourceClaimTemplate", "resourceclaimtemplates.resource.k8s.io", "", true, false, true, false, false, true},
		{"ResourceSlice", "resourceslices.resource.k8s.io", "", false, false, true, false, true, true},
	}
	for _, want := range rows {
		k := mustKind(t, want.kind)
		got := rowTest{k.Kind, k.StorageResource(), strings.Join(k.ShortNames, ","), k.Namespaced, k.CreateOnUpdate,
			k.UnconditionalUpdate, k.Status, k.Generation, k.ReturnDeleted}
		if got != want {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
}
