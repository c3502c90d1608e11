package flow_test

import (
	"testing"

	"kubarium/flow"
)

// Steps of workloads are shown though Kubarium's own controllers take them; their other traffic is not.
func TestFlow_Works(t *testing.T) {
	for _, c := range []struct {
		agent, verb, resource, sub string
		want                       bool
	}{
		{"kubarium-controller/replicaset-controller", "create", "pods", "", true},
		{"kubarium-controller/kube-scheduler", "create", "pods", "binding", true},
		{"kubarium-controller/deployment-controller", "update", "replicasets", "", true},
		{"kubarium-controller/kubelet-node-1", "delete", "pods", "", true},
		{"kubarium-controller/replicaset-controller", "update", "replicasets", "status", false},
		{"kubarium-controller/kubelet-node-1", "patch", "pods", "status", false},
		{"kubarium-controller/kubelet-node-1", "create", "events", "", false},
		{"kubarium-controller/kubelet-node-1", "update", "leases", "", false},
		{"kubarium-controller/shared-informers", "watch", "pods", "", false},
		{"kubectl/v1.37", "create", "pods", "", false},
	} {
		f := &flow.Flow{Client: flow.Client{UserAgent: c.agent}, Target: flow.Target{Verb: c.verb, Resource: c.resource, Subresource: c.sub}}
		if f.Works() != c.want {
			t.Errorf("%+v", c)
		}
	}
}
