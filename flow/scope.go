package flow

import "strings"

// Collection reports whether a request is for a collection of objects, not for a single one: to list, watch or delete.
func (t Target) Collection() bool {
	return t.Name == "" && t.Resource != "" && (t.Verb == "list" || t.Verb == "watch" || t.Verb == "deletecollection")
}

// AllNamespaces reports whether a request is for the objects in all namespaces. The path of a custom resource does not
// show whether it is namespaced: for those it is false.
func (t Target) AllNamespaces() bool {
	return t.Collection() && t.Namespace == "" && namespaced[t.Resource+"."+t.Group]
}

// namespaced are Kubernetes' own resources that are namespaced and can be listed.
var namespaced = scopeSet("configmaps. endpoints. events. limitranges. persistentvolumeclaims. pods. podtemplates. " +
	"replicationcontrollers. resourcequotas. secrets. serviceaccounts. services. " +
	"controllerrevisions.apps daemonsets.apps deployments.apps replicasets.apps statefulsets.apps " +
	"horizontalpodautoscalers.autoscaling cronjobs.batch jobs.batch podcertificaterequests.certificates.k8s.io " +
	"leases.coordination.k8s.io leasecandidates.coordination.k8s.io endpointslices.discovery.k8s.io " +
	"events.events.k8s.io ingresses.networking.k8s.io networkpolicies.networking.k8s.io poddisruptionbudgets.policy " +
	"roles.rbac.authorization.k8s.io rolebindings.rbac.authorization.k8s.io " +
	"resourceclaims.resource.k8s.io resourceclaimtemplates.resource.k8s.io " +
	"podgroups.scheduling.k8s.io workloads.scheduling.k8s.io csistoragecapacities.storage.k8s.io")

func scopeSet(names string) map[string]bool {
	out := map[string]bool{}
	for _, n := range strings.Fields(names) {
		out[n] = true
	}
	return out
}

// Review reports whether a request asks about identities or permissions: it is a create that stores nothing.
func (t Target) Review() bool {
	return t.Group == "authorization.k8s.io" || t.Group == "authentication.k8s.io"
}
