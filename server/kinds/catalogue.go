package kinds

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingadmissionpolicy"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingadmissionpolicybinding"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingwebhookconfiguration"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingadmissionpolicybinding"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingwebhookconfiguration"
	"k8s.io/kubernetes/pkg/registry/apps/controllerrevision"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/certificates/certificates"
	"k8s.io/kubernetes/pkg/registry/certificates/clustertrustbundle"
	"k8s.io/kubernetes/pkg/registry/coordination/lease"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/event"
	"k8s.io/kubernetes/pkg/registry/core/limitrange"
	"k8s.io/kubernetes/pkg/registry/core/node"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolume"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/podtemplate"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
	"k8s.io/kubernetes/pkg/registry/core/resourcequota"
	"k8s.io/kubernetes/pkg/registry/core/secret"
	"k8s.io/kubernetes/pkg/registry/core/serviceaccount"
	"k8s.io/kubernetes/pkg/registry/discovery/endpointslice"
	"k8s.io/kubernetes/pkg/registry/flowcontrol/flowschema"
	"k8s.io/kubernetes/pkg/registry/flowcontrol/prioritylevelconfiguration"
	"k8s.io/kubernetes/pkg/registry/networking/ingress"
	"k8s.io/kubernetes/pkg/registry/networking/ingressclass"
	"k8s.io/kubernetes/pkg/registry/networking/ipaddress"
	"k8s.io/kubernetes/pkg/registry/networking/networkpolicy"
	"k8s.io/kubernetes/pkg/registry/networking/servicecidr"
	"k8s.io/kubernetes/pkg/registry/node/runtimeclass"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrole"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrolebinding"
	"k8s.io/kubernetes/pkg/registry/rbac/role"
	"k8s.io/kubernetes/pkg/registry/rbac/rolebinding"
	"k8s.io/kubernetes/pkg/registry/resource/deviceclass"
	"k8s.io/kubernetes/pkg/registry/resource/devicetaintrule"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaimtemplate"
	"k8s.io/kubernetes/pkg/registry/resource/resourceslice"
	"k8s.io/kubernetes/pkg/registry/storage/csidriver"
	"k8s.io/kubernetes/pkg/registry/storage/csinode"
	"k8s.io/kubernetes/pkg/registry/storage/csistoragecapacity"
	"k8s.io/kubernetes/pkg/registry/storage/storageclass"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattachment"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattributesclass"
	"k8s.io/kubernetes/pkg/registry/storagemigration/storagemigration"
)

// BuiltIn lists the built-in kinds in the order in which discovery names them. A row adds to the strategies what
// kube-apiserver's storage of the kind says: its names, and whether a deletion returns the object.
func BuiltIn() []*Kind {
	coreEvent := row{
		gvk: gvk("", "v1", "Event"), resource: "events", singular: "event", shortNames: []string{"ev"},
		strategy: event.Strategy, attributes: event.GetAttrs,
	}.kind()
	coreEvent.Uncached = true
	autoscaler := row{
		gvk: gvk("autoscaling", "v2", "HorizontalPodAutoscaler"), resource: "horizontalpodautoscalers", singular: "horizontalpodautoscaler",
		shortNames: []string{"hpa"}, categories: []string{"all"}, strategy: horizontalpodautoscaler.Strategy, status: horizontalpodautoscaler.StatusStrategy,
	}.kind()
	return []*Kind{
		row{
			gvk: gvk("", "v1", "ConfigMap"), resource: "configmaps", singular: "configmap", shortNames: []string{"cm"},
			strategy: configmap.Strategy,
		}.kind(),
		endpoints(),
		coreEvent,
		row{
			gvk: gvk("", "v1", "LimitRange"), resource: "limitranges", singular: "limitrange", shortNames: []string{"limits"},
			strategy: limitrange.Strategy,
		}.kind(),
		namespaceRow(),
		row{
			gvk: gvk("", "v1", "Node"), resource: "nodes", singular: "node", shortNames: []string{"no"}, key: "minions",
			strategy: node.Strategy, status: node.StatusStrategy, attributes: node.GetAttrs, actions: []Action{proxy("NodeProxyOptions")},
		}.kind(),
		row{
			gvk: gvk("", "v1", "PersistentVolumeClaim"), resource: "persistentvolumeclaims", singular: "persistentvolumeclaim",
			shortNames: []string{"pvc"},
			strategy:   persistentvolumeclaim.Strategy, status: persistentvolumeclaim.StatusStrategy, returnDeleted: true,
		}.kind(),
		row{
			gvk: gvk("", "v1", "PersistentVolume"), resource: "persistentvolumes", singular: "persistentvolume",
			shortNames: []string{"pv"},
			strategy:   persistentvolume.Strategy, status: persistentvolume.StatusStrategy, returnDeleted: true,
		}.kind(),
		podRow(),
		row{
			gvk: gvk("", "v1", "PodTemplate"), resource: "podtemplates", singular: "podtemplate",
			strategy: podtemplate.Strategy, returnDeleted: true,
		}.kind(),
		scaled(row{
			gvk: gvk("", "v1", "ReplicationController"), resource: "replicationcontrollers", singular: "replicationcontroller",
			shortNames: []string{"rc"}, categories: []string{"all"}, key: "controllers",
			strategy: replicationcontroller.Strategy, status: replicationcontroller.StatusStrategy,
			attributes: replicationcontroller.GetAttrs,
		}.kind(), replicationControllerReplicas),
		row{
			gvk: gvk("", "v1", "ResourceQuota"), resource: "resourcequotas", singular: "resourcequota",
			shortNames: []string{"quota"},
			strategy:   resourcequota.Strategy, status: resourcequota.StatusStrategy, returnDeleted: true,
		}.kind(),
		row{
			gvk: gvk("", "v1", "Secret"), resource: "secrets", singular: "secret",
			strategy: secret.Strategy, attributes: secret.GetAttrs,
		}.kind(),
		row{
			gvk: gvk("", "v1", "ServiceAccount"), resource: "serviceaccounts", singular: "serviceaccount",
			shortNames: []string{"sa"},
			strategy:   serviceaccount.Strategy, returnDeleted: true, actions: []Action{tokenAction()},
		}.kind(),
		serviceRow(),
		row{
			gvk: gvk("apps", "v1", "ControllerRevision"), resource: "controllerrevisions", singular: "controllerrevision",
			strategy: controllerrevision.Strategy,
		}.kind(),
		row{
			gvk: gvk("apps", "v1", "DaemonSet"), resource: "daemonsets", singular: "daemonset", shortNames: []string{"ds"},
			categories: []string{"all"},
			strategy:   daemonset.Strategy, status: daemonset.StatusStrategy, hidden: appsv1.DeprecatedTemplateGeneration,
		}.kind(),
		scaled(row{
			gvk: gvk("apps", "v1", "Deployment"), resource: "deployments", singular: "deployment", shortNames: []string{"deploy"},
			categories: []string{"all"},
			strategy:   deployment.Strategy, status: deployment.StatusStrategy, hidden: appsv1.DeprecatedRollbackTo,
		}.kind(), deploymentReplicas),
		scaled(row{
			gvk: gvk("apps", "v1", "ReplicaSet"), resource: "replicasets", singular: "replicaset", shortNames: []string{"rs"},
			categories: []string{"all"},
			strategy:   replicaset.Strategy, status: replicaset.StatusStrategy,
		}.kind(), replicaSetReplicas),
		scaled(row{
			gvk: gvk("apps", "v1", "StatefulSet"), resource: "statefulsets", singular: "statefulset", shortNames: []string{"sts"},
			categories: []string{"all"},
			strategy:   statefulset.Strategy, status: statefulset.StatusStrategy,
		}.kind(), statefulSetReplicas),
		row{
			gvk: gvk("events.k8s.io", "v1", "Event"), resource: "events", singular: "event", shortNames: []string{"ev"},
			strategy: event.Strategy, attributes: event.GetAttrs, storedAs: coreEvent,
		}.kind(),
		priorityClassRow(),
		autoscaler,
		row{
			gvk: gvk("autoscaling", "v1", "HorizontalPodAutoscaler"), resource: "horizontalpodautoscalers", singular: "horizontalpodautoscaler",
			shortNames: []string{"hpa"}, categories: []string{"all"}, strategy: horizontalpodautoscaler.Strategy, status: horizontalpodautoscaler.StatusStrategy, storedAs: autoscaler,
		}.kind(),
		row{
			gvk: gvk("policy", "v1", "PodDisruptionBudget"), resource: "poddisruptionbudgets", singular: "poddisruptionbudget",
			shortNames: []string{"pdb"},
			strategy:   poddisruptionbudget.Strategy, status: poddisruptionbudget.StatusStrategy,
		}.kind(),
		jobRow(),
		row{
			gvk: gvk("batch", "v1", "CronJob"), resource: "cronjobs", singular: "cronjob", shortNames: []string{"cj"},
			categories: []string{"all"},
			strategy:   cronjob.Strategy, status: cronjob.StatusStrategy,
		}.kind(),
		row{
			gvk: gvk("certificates.k8s.io", "v1", "CertificateSigningRequest"), resource: "certificatesigningrequests", singular: "certificatesigningrequest", shortNames: []string{"csr"},
			strategy: certificates.Strategy, status: certificates.StatusStrategy, attributes: certificates.GetAttrs,
			subresources: map[string]rest.RESTUpdateStrategy{"approval": certificates.ApprovalStrategy},
			tableless:    []string{"approval"},
		}.kind(),
		row{
			gvk: gvk("certificates.k8s.io", "v1", "ClusterTrustBundle"), resource: "clustertrustbundles",
			singular: "clustertrustbundle",
			strategy: clustertrustbundle.Strategy, attributes: trustBundleAttributes,
		}.kind(),
		podCertificateRequestRow(),
		row{
			gvk: gvk("coordination.k8s.io", "v1", "Lease"), resource: "leases", singular: "lease",
			strategy: lease.Strategy,
		}.kind(),
		row{
			gvk: gvk("rbac.authorization.k8s.io", "v1", "Role"), resource: "roles", singular: "role",
			strategy: role.Strategy,
		}.kind(),
		row{
			gvk: gvk("rbac.authorization.k8s.io", "v1", "RoleBinding"), resource: "rolebindings", singular: "rolebinding",
			strategy: rolebinding.Strategy,
		}.kind(),
		row{
			gvk: gvk("rbac.authorization.k8s.io", "v1", "ClusterRole"), resource: "clusterroles", singular: "clusterrole",
			strategy: clusterrole.Strategy,
		}.kind(),
		row{
			gvk: gvk("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding"), resource: "clusterrolebindings",
			singular: "clusterrolebinding",
			strategy: clusterrolebinding.Strategy,
		}.kind(),
		row{
			gvk: gvk("storage.k8s.io", "v1", "CSINode"), resource: "csinodes", singular: "csinode",
			strategy: csinode.Strategy, status: csinode.StatusStrategy, returnDeleted: true,
		}.kind(),
		row{
			gvk: gvk("storage.k8s.io", "v1", "VolumeAttachment"), resource: "volumeattachments", singular: "volumeattachment",
			strategy: volumeattachment.Strategy, status: volumeattachment.StatusStrategy, returnDeleted: true,
		}.kind(),
		row{
			gvk: gvk("flowcontrol.apiserver.k8s.io", "v1", "FlowSchema"), resource: "flowschemas", singular: "flowschema",
			strategy: flowschema.Strategy, status: flowschema.StatusStrategy,
		}.kind(),
		row{
			gvk: gvk("flowcontrol.apiserver.k8s.io", "v1", "PriorityLevelConfiguration"), resource: "prioritylevelconfigurations",
			singular: "prioritylevelconfiguration",
			strategy: prioritylevelconfiguration.Strategy, status: prioritylevelconfiguration.StatusStrategy,
		}.kind(),
		row{
			gvk: gvk("discovery.k8s.io", "v1", "EndpointSlice"), resource: "endpointslices", singular: "endpointslice",
			strategy: endpointslice.Strategy,
		}.kind(),
		row{
			gvk: gvk("node.k8s.io", "v1", "RuntimeClass"), resource: "runtimeclasses", singular: "runtimeclass",
			strategy: runtimeclass.Strategy,
		}.kind(),
		row{
			gvk: gvk("storage.k8s.io", "v1", "StorageClass"), resource: "storageclasses", singular: "storageclass",
			shortNames: []string{"sc"},
			strategy:   storageclass.Strategy, returnDeleted: true,
		}.kind(),
		row{
			gvk: gvk("storage.k8s.io", "v1", "VolumeAttributesClass"), resource: "volumeattributesclasses",
			singular: "volumeattributesclass", shortNames: []string{"vac"},
			strategy: volumeattributesclass.Strategy, returnDeleted: true,
		}.kind(),
		row{
			gvk: gvk("storage.k8s.io", "v1", "CSIDriver"), resource: "csidrivers", singular: "csidriver",
			strategy: csidriver.Strategy, returnDeleted: true,
		}.kind(),
		plain(row{
			gvk: gvk("storage.k8s.io", "v1", "CSIStorageCapacity"), resource: "csistoragecapacities",
			singular: "csistoragecapacity",
			strategy: csistoragecapacity.Strategy,
		}.kind()),
		row{
			gvk: gvk("networking.k8s.io", "v1", "Ingress"), resource: "ingresses", singular: "ingress",
			shortNames: []string{"ing"}, key: "ingress",
			strategy: ingress.Strategy, status: ingress.StatusStrategy,
		}.kind(),
		row{
			gvk: gvk("networking.k8s.io", "v1", "IngressClass"), resource: "ingressclasses", singular: "ingressclass",
			strategy: ingressclass.Strategy,
		}.kind(),
		row{
			gvk: gvk("networking.k8s.io", "v1", "NetworkPolicy"), resource: "networkpolicies", singular: "networkpolicy",
			shortNames: []string{"netpol"},
			strategy:   networkpolicy.Strategy,
		}.kind(),
		row{
			gvk: gvk("networking.k8s.io", "v1", "IPAddress"), resource: "ipaddresses", singular: "ipaddress",
			shortNames: []string{"ip"},
			strategy:   ipaddress.Strategy,
		}.kind(),
		row{
			gvk: gvk("networking.k8s.io", "v1", "ServiceCIDR"), resource: "servicecidrs", singular: "servicecidr",
			strategy: servicecidr.Strategy, status: servicecidr.StatusStrategy,
		}.kind(),
		row{
			gvk: gvk("resource.k8s.io", "v1", "DeviceClass"), resource: "deviceclasses", singular: "deviceclass",
			strategy: deviceclass.Strategy, returnDeleted: true,
		}.kind(),
		row{
			gvk: gvk("resource.k8s.io", "v1", "DeviceTaintRule"), resource: "devicetaintrules", singular: "devicetaintrule",
			strategy: devicetaintrule.Strategy, status: devicetaintrule.StatusStrategy, tableless: []string{"status"},
		}.kind(),
		resourceClaimRow(),
		row{
			gvk: gvk("resource.k8s.io", "v1", "ResourceClaimTemplate"), resource: "resourceclaimtemplates",
			singular: "resourceclaimtemplate",
			strategy: resourceclaimtemplate.NewStrategy(namespacesInContext{}), returnDeleted: true,
		}.kind(),
		row{
			gvk: gvk("resource.k8s.io", "v1", "ResourceSlice"), resource: "resourceslices", singular: "resourceslice",
			strategy: resourceslice.Strategy, attributes: resourceslice.GetAttrs, index: "spec.nodeName", returnDeleted: true,
		}.kind(),
		row{
			gvk: gvk("storagemigration.k8s.io", "v1", "StorageVersionMigration"), resource: "storageversionmigrations",
			singular: "storageversionmigration",
			strategy: storagemigration.Strategy, status: storagemigration.StatusStrategy,
		}.kind(),
		apiService(),
		customResourceDefinition(),
		row{
			gvk: gvk("admissionregistration.k8s.io", "v1", "MutatingAdmissionPolicy"), resource: "mutatingadmissionpolicies",
			singular: "mutatingadmissionpolicy", categories: extensions,
			strategy: authorizing{strategy: mutatingadmissionpolicy.NewStrategy(nil, nil), of: mutatingPolicyStrategy},
		}.kind(),
		row{
			gvk:      gvk("admissionregistration.k8s.io", "v1", "MutatingAdmissionPolicyBinding"),
			resource: "mutatingadmissionpolicybindings", singular: "mutatingadmissionpolicybinding", categories: extensions,
			strategy: authorizing{strategy: mutatingadmissionpolicybinding.NewStrategy(nil, nil, nil), of: mutatingBindingStrategy},
		}.kind(),
		row{
			gvk:      gvk("admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration"),
			resource: "mutatingwebhookconfigurations", singular: "mutatingwebhookconfiguration", categories: extensions,
			strategy: mutatingwebhookconfiguration.Strategy,
		}.kind(),
		validatingPolicy(),
		row{
			gvk:      gvk("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicyBinding"),
			resource: "validatingadmissionpolicybindings", singular: "validatingadmissionpolicybinding", categories: extensions,
			strategy: authorizing{strategy: validatingadmissionpolicybinding.NewStrategy(nil, nil, nil), of: validatingBindingStrategy},
		}.kind(),
		row{
			gvk:      gvk("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration"),
			resource: "validatingwebhookconfigurations", singular: "validatingwebhookconfiguration", categories: extensions,
			strategy: validatingwebhookconfiguration.Strategy,
		}.kind(),
	}
}

// extensions is the category of kinds that extend the API itself.
var extensions = []string{"api-extensions"}

func gvk(group, version, kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: group, Version: version, Kind: kind}
}

// A row has the parts of a built-in kind.
type row struct {
	gvk                    schema.GroupVersionKind
	resource, singular     string
	shortNames, categories []string
	key                    string // see Kind.Key; "" means the resource
	index                  string // see Kind.Index
	strategy               Strategy
	status                 rest.RESTUpdateStrategy // nil where there is no such subresource
	subresources           map[string]rest.RESTUpdateStrategy
	attributes             func(obj runtime.Object) (labels.Set, fields.Set, error) // nil where only the metadata's fields can be selected
	storedAs               *Kind
	actions                []Action
	tableless              []string
	returnDeleted          bool
	keptAsJSON             bool   // see typedForms
	hidden                 string // see Kind.Hidden
}

// kind makes the row of the catalogue.
func (r row) kind() *Kind {
	k := &Kind{
		GroupVersionKind: r.gvk, Resource: r.resource, Singular: r.singular, ShortNames: r.shortNames, Categories: r.categories,
		Namespaced: r.strategy.NamespaceScoped(), StoredAs: r.storedAs, Key: r.key, Strategy: r.strategy,
		Subresources: map[string]rest.RESTUpdateStrategy{}, Actions: r.actions, ReturnDeletedObject: r.returnDeleted,
		Tableless: r.tableless, Hidden: r.hidden,
	}
	if k.Key == "" {
		k.Key = r.resource
	}
	for name, s := range r.subresources {
		k.Subresources[name] = s
	}
	if r.status != nil {
		k.Subresources["status"] = r.status
	}
	k.Forms = &typedForms{kind: k, attributes: r.attributes, keptAsJSON: r.keptAsJSON}
	k.Printer, k.Bound, k.Index = printed(k), boundLists, r.index
	return k
}
