package flow

// Works reports whether a request of Kubarium's own is a step by which workloads come about, change or go: a ReplicaSet,
// Pod, Job, claim or volume is made or deleted, a ReplicaSet scaled, a Pod bound to a node. It is shown as clients' requests
// are. The rest of what controllers and kubelets do is not: what they read, status, Events, Leases.
func (f *Flow) Works() bool {
	t := &f.Target
	if !isOwn(f.Client.UserAgent) {
		return false
	}
	switch t.Resource {
	case "pods":
		return t.Verb == "create" && (t.Subresource == "" || t.Subresource == "binding") || t.Verb == "delete"
	case "replicasets":
		return t.Subresource == "" && (t.Verb == "create" || t.Verb == "update" || t.Verb == "delete")
	case "jobs", "persistentvolumeclaims", "persistentvolumes":
		return t.Subresource == "" && (t.Verb == "create" || t.Verb == "delete")
	}
	return false
}
