package controllers_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Admission counts an object before it is stored. A count in between, which lacks the object, does not replace that of admission;
// one that is lower for a second does.
func TestRun_QuotaSettles(t *testing.T) {
	c := mustStart(t)
	const quotas = "/api/v1/namespaces/default/resourcequotas"
	c.mustCreate(t, quotas, `{"metadata":{"name":"few"},"spec":{"hard":{"configmaps":"9"}}}`)
	used := func() int64 {
		var q corev1.ResourceQuota
		c.mustGet(t, quotas+"/few", &q)
		used := q.Status.Used["configmaps"]
		return used.Value()
	}
	eventually(t, "the quota is counted", func() bool { return used() > 0 })
	c.mustCreate(t, configMapsPath, `{"metadata":{"name":"x"}}`)
	admitted := time.Now()
	if code, text := c.call(t, "PATCH", quotas+"/few/status", `{"status":{"used":{"configmaps":"7"}}}`); code != 200 {
		t.Fatalf("count five more: %d %s", code, text)
	}
	c.call(t, "DELETE", configMapsPath+"/x", "")
	eventually(t, "what was not stored is not counted", func() bool { return used() < 7 })
	if passed := time.Since(admitted); passed < time.Second {
		t.Errorf("admission's count was replaced after %v", passed)
	}
}
