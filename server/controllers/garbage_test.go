package controllers_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// An owner in another namespace does not count, and an Event says so, as in kube-controller-manager.
func TestRun_GarbageOfOtherNamespace(t *testing.T) {
	c := mustStart(t)
	uid := c.mustCreate(t, "/api/v1/namespaces/kube-public/configmaps", `{"metadata":{"name":"owner"}}`)
	c.mustCreate(t, configMapsPath, fmt.Sprintf(
		`{"metadata":{"name":"child","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":%q}]}}`, uid))
	eventually(t, "the child goes", func() bool { return c.code(t, configMapsPath+"/child") == 404 })
	eventually(t, "the event", func() bool {
		var events corev1.EventList
		c.mustGet(t, "/api/v1/namespaces/default/events", &events)
		for _, e := range events.Items {
			if e.Reason == "OwnerRefInvalidNamespace" && e.InvolvedObject.Name == "child" {
				return true
			}
		}
		return false
	})
}
