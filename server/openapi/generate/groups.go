package main

import "k8s.io/apimachinery/pkg/runtime/schema"

// A group is a group version with the resources that its document describes.
type group struct {
	schema.GroupVersion
	resources []resource
}

// A resource is a row: what kube-apiserver serves of it.
type resource struct {
	name, singular, kind string
	namespaced           bool
	subresources         []subresource // subresources to get, update and patch
	makes                []subresource // subresources, or the resource itself if its name is "", that can only be created
	connects             []subresource // subresources that lead to a kubelet or a pod
	single               bool          // deletecollection is not served
	readOnly             bool          // only get and list are served
}

// A subresource has a name; kind is empty where it shows the resource's own kind.
type subresource struct {
	name    string
	kind    schema.GroupVersionKind
	methods []string // of a connection
	below   bool     // a connection also answers all paths below its own
}

var (
	status          = subresource{name: "status"}
	scale           = subresource{name: "scale", kind: schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}}
	only            = []subresource{{}}
	connection      = []string{"GET", "POST"}
	anyMethod       = []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}
	podSubresources = []subresource{
		{name: "attach", kind: core("PodAttachOptions"), methods: connection},
		{name: "exec", kind: core("PodExecOptions"), methods: connection},
		{name: "portforward", kind: core("PodPortForwardOptions"), methods: connection},
		{name: "proxy", kind: core("PodProxyOptions"), methods: anyMethod, below: true},
		{name: "log"},
	}
	binding    = subresource{name: "binding", kind: core("Binding")}
	eviction   = subresource{name: "eviction", kind: schema.GroupVersionKind{Group: "policy", Version: "v1", Kind: "Eviction"}}
	token      = subresource{name: "token", kind: schema.GroupVersionKind{Group: "authentication.k8s.io", Version: "v1", Kind: "TokenRequest"}}
	ephemeral  = subresource{name: "ephemeralcontainers"}
	resize     = subresource{name: "resize"}
	approval   = subresource{name: "approval"}
	finalize   = subresource{name: "finalize"}
	withStatus = []subresource{status}
	withScale  = []subresource{status, scale}
)

func core(kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Version: "v1", Kind: kind}
}

func proxy(kind string) []subresource {
	return []subresource{{name: "proxy", kind: core(kind), methods: anyMethod, below: true}}
}

func gv(group, version string) schema.GroupVersion {
	return schema.GroupVersion{Group: group, Version: version}
}

// groups is everything that is published: the group versions that are generally available.
var groups = []group{
	{gv("", "v1"), []resource{
		{name: "bindings", singular: "binding", kind: "Binding", namespaced: true, makes: only},
		{name: "componentstatuses", singular: "componentstatus", kind: "ComponentStatus", readOnly: true},
		{name: "configmaps", singular: "configmap", kind: "ConfigMap", namespaced: true},
		{name: "endpoints", singular: "endpoints", kind: "Endpoints", namespaced: true},
		{name: "events", singular: "event", kind: "Event", namespaced: true},
		{name: "limitranges", singular: "limitrange", kind: "LimitRange", namespaced: true},
		{name: "namespaces", singular: "namespace", kind: "Namespace", subresources: []subresource{status, finalize}, single: true},
		{name: "nodes", singular: "node", kind: "Node", subresources: withStatus, connects: proxy("NodeProxyOptions")},
		{name: "persistentvolumeclaims", singular: "persistentvolumeclaim", kind: "PersistentVolumeClaim", namespaced: true, subresources: withStatus},
		{name: "persistentvolumes", singular: "persistentvolume", kind: "PersistentVolume", subresources: withStatus},
		{name: "pods", singular: "pod", kind: "Pod", namespaced: true, subresources: []subresource{status, ephemeral, resize}, makes: []subresource{binding, eviction}, connects: podSubresources},
		{name: "podtemplates", singular: "podtemplate", kind: "PodTemplate", namespaced: true},
		{name: "replicationcontrollers", singular: "replicationcontroller", kind: "ReplicationController", namespaced: true, subresources: withScale},
		{name: "resourcequotas", singular: "resourcequota", kind: "ResourceQuota", namespaced: true, subresources: withStatus},
		{name: "secrets", singular: "secret", kind: "Secret", namespaced: true},
		{name: "serviceaccounts", singular: "serviceaccount", kind: "ServiceAccount", namespaced: true, makes: []subresource{token}},
		{name: "services", singular: "service", kind: "Service", namespaced: true, subresources: withStatus, connects: proxy("ServiceProxyOptions")},
	}},
	{gv("apps", "v1"), []resource{
		{name: "controllerrevisions", singular: "controllerrevision", kind: "ControllerRevision", namespaced: true},
		{name: "daemonsets", singular: "daemonset", kind: "DaemonSet", namespaced: true, subresources: withStatus},
		{name: "deployments", singular: "deployment", kind: "Deployment", namespaced: true, subresources: withScale},
		{name: "replicasets", singular: "replicaset", kind: "ReplicaSet", namespaced: true, subresources: withScale},
		{name: "statefulsets", singular: "statefulset", kind: "StatefulSet", namespaced: true, subresources: withScale},
	}},
	{gv("autoscaling", "v1"), []resource{
		{name: "horizontalpodautoscalers", singular: "horizontalpodautoscaler", kind: "HorizontalPodAutoscaler", namespaced: true, subresources: withStatus},
	}},
	{gv("autoscaling", "v2"), []resource{
		{name: "horizontalpodautoscalers", singular: "horizontalpodautoscaler", kind: "HorizontalPodAutoscaler", namespaced: true, subresources: withStatus},
	}},
	{gv("batch", "v1"), []resource{
		{name: "cronjobs", singular: "cronjob", kind: "CronJob", namespaced: true, subresources: withStatus},
		{name: "jobs", singular: "job", kind: "Job", namespaced: true, subresources: withStatus},
	}},
	{gv("coordination.k8s.io", "v1"), []resource{
		{name: "leases", singular: "lease", kind: "Lease", namespaced: true},
	}},
	{gv("events.k8s.io", "v1"), []resource{
		{name: "events", singular: "event", kind: "Event", namespaced: true},
	}},
	{gv("discovery.k8s.io", "v1"), []resource{
		{name: "endpointslices", singular: "endpointslice", kind: "EndpointSlice", namespaced: true},
	}},
	{gv("networking.k8s.io", "v1"), []resource{
		{name: "ingressclasses", singular: "ingressclass", kind: "IngressClass"},
		{name: "ingresses", singular: "ingress", kind: "Ingress", namespaced: true, subresources: withStatus},
		{name: "ipaddresses", singular: "ipaddress", kind: "IPAddress"},
		{name: "networkpolicies", singular: "networkpolicy", kind: "NetworkPolicy", namespaced: true},
		{name: "servicecidrs", singular: "servicecidr", kind: "ServiceCIDR", subresources: withStatus},
	}},
	{gv("policy", "v1"), []resource{
		{name: "poddisruptionbudgets", singular: "poddisruptionbudget", kind: "PodDisruptionBudget", namespaced: true, subresources: withStatus},
	}},
	{gv("rbac.authorization.k8s.io", "v1"), []resource{
		{name: "clusterrolebindings", singular: "clusterrolebinding", kind: "ClusterRoleBinding"},
		{name: "clusterroles", singular: "clusterrole", kind: "ClusterRole"},
		{name: "rolebindings", singular: "rolebinding", kind: "RoleBinding", namespaced: true},
		{name: "roles", singular: "role", kind: "Role", namespaced: true},
	}},
	{gv("storage.k8s.io", "v1"), []resource{
		{name: "csidrivers", singular: "csidriver", kind: "CSIDriver"},
		{name: "csinodes", singular: "csinode", kind: "CSINode", subresources: withStatus},
		{name: "csistoragecapacities", singular: "csistoragecapacity", kind: "CSIStorageCapacity", namespaced: true},
		{name: "storageclasses", singular: "storageclass", kind: "StorageClass"},
		{name: "volumeattachments", singular: "volumeattachment", kind: "VolumeAttachment", subresources: withStatus},
		{name: "volumeattributesclasses", singular: "volumeattributesclass", kind: "VolumeAttributesClass"},
	}},
	{gv("admissionregistration.k8s.io", "v1"), []resource{
		{name: "mutatingadmissionpolicies", singular: "mutatingadmissionpolicy", kind: "MutatingAdmissionPolicy"},
		{name: "mutatingadmissionpolicybindings", singular: "mutatingadmissionpolicybinding", kind: "MutatingAdmissionPolicyBinding"},
		{name: "mutatingwebhookconfigurations", singular: "mutatingwebhookconfiguration", kind: "MutatingWebhookConfiguration"},
		{name: "validatingadmissionpolicies", singular: "validatingadmissionpolicy", kind: "ValidatingAdmissionPolicy", subresources: withStatus},
		{name: "validatingadmissionpolicybindings", singular: "validatingadmissionpolicybinding", kind: "ValidatingAdmissionPolicyBinding"},
		{name: "validatingwebhookconfigurations", singular: "validatingwebhookconfiguration", kind: "ValidatingWebhookConfiguration"},
	}},
	{gv("certificates.k8s.io", "v1"), []resource{
		{name: "clustertrustbundles", singular: "clustertrustbundle", kind: "ClusterTrustBundle"},
		{name: "podcertificaterequests", singular: "podcertificaterequest", kind: "PodCertificateRequest", namespaced: true, subresources: withStatus},
		{name: "certificatesigningrequests", singular: "certificatesigningrequest", kind: "CertificateSigningRequest", subresources: []subresource{status, approval}},
	}},
	{gv("scheduling.k8s.io", "v1"), []resource{
		{name: "priorityclasses", singular: "priorityclass", kind: "PriorityClass"},
	}},
	{gv("node.k8s.io", "v1"), []resource{
		{name: "runtimeclasses", singular: "runtimeclass", kind: "RuntimeClass"},
	}},
	{gv("flowcontrol.apiserver.k8s.io", "v1"), []resource{
		{name: "flowschemas", singular: "flowschema", kind: "FlowSchema", subresources: withStatus},
		{name: "prioritylevelconfigurations", singular: "prioritylevelconfiguration", kind: "PriorityLevelConfiguration", subresources: withStatus},
	}},
	{gv("resource.k8s.io", "v1"), []resource{
		{name: "deviceclasses", singular: "deviceclass", kind: "DeviceClass"},
		{name: "devicetaintrules", singular: "devicetaintrule", kind: "DeviceTaintRule", subresources: withStatus},
		{name: "resourceclaims", singular: "resourceclaim", kind: "ResourceClaim", namespaced: true, subresources: withStatus},
		{name: "resourceclaimtemplates", singular: "resourceclaimtemplate", kind: "ResourceClaimTemplate", namespaced: true},
		{name: "resourceslices", singular: "resourceslice", kind: "ResourceSlice"},
	}},
	{gv("storagemigration.k8s.io", "v1"), []resource{
		{name: "storageversionmigrations", singular: "storageversionmigration", kind: "StorageVersionMigration", subresources: withStatus},
	}},
	{gv("apiextensions.k8s.io", "v1"), []resource{
		{name: "customresourcedefinitions", singular: "customresourcedefinition", kind: "CustomResourceDefinition", subresources: withStatus},
	}},
	{gv("apiregistration.k8s.io", "v1"), []resource{
		{name: "apiservices", singular: "apiservice", kind: "APIService", subresources: withStatus},
	}},
	{gv("authentication.k8s.io", "v1"), []resource{
		{name: "selfsubjectreviews", singular: "selfsubjectreview", kind: "SelfSubjectReview", makes: only},
		{name: "tokenreviews", singular: "tokenreview", kind: "TokenReview", makes: only},
	}},
	{gv("authorization.k8s.io", "v1"), []resource{
		{name: "localsubjectaccessreviews", singular: "localsubjectaccessreview", kind: "LocalSubjectAccessReview", namespaced: true, makes: only},
		{name: "selfsubjectaccessreviews", singular: "selfsubjectaccessreview", kind: "SelfSubjectAccessReview", makes: only},
		{name: "selfsubjectrulesreviews", singular: "selfsubjectrulesreview", kind: "SelfSubjectRulesReview", makes: only},
		{name: "subjectaccessreviews", singular: "subjectaccessreview", kind: "SubjectAccessReview", makes: only},
	}},
}
