package apitest_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/apitest"
)

// With nodes, a Deployment becomes available as on a cluster.
func TestStart_Nodes(t *testing.T) {
	s := apitest.Start(t, apitest.Options{Nodes: 2})
	deployments := mustDial(t, s.Config).Resource(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}).Namespace("default")
	d := object("apps/v1", "Deployment", "web")
	labels := map[string]any{"app": "web"}
	d.Object["spec"] = map[string]any{
		"replicas": int64(2), "selector": map[string]any{"matchLabels": labels},
		"template": map[string]any{"metadata": map[string]any{"labels": labels}, "spec": map[string]any{"containers": []any{map[string]any{"name": "c", "image": "i"}}}},
	}
	mustCreate(t, deployments, d)
	s.Settle(t.Context())
	d, err := deployments.Get(t.Context(), "web", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if n, _, _ := unstructured.NestedInt64(d.Object, "status", "availableReplicas"); n != 2 {
		t.Fatalf("it is not available: %v", d.Object["status"])
	}
}
