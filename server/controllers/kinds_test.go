package controllers_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

const (
	definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	widgetsPath     = "/apis/shop.example.com/v1/namespaces/default/widgets"
	configMapsPath  = "/api/v1/namespaces/default/configmaps"

	widgetDefinition = `{"metadata":{"name":"widgets.shop.example.com"},"spec":{"group":"shop.example.com","scope":"Namespaced",
		"names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
		"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`
)

// mustDefine defines the kind Widget and waits until it is served.
func (c cluster) mustDefine(t *testing.T) {
	t.Helper()
	c.mustCreate(t, definitionsPath, widgetDefinition)
	eventually(t, "widgets are served", func() bool { return c.code(t, widgetsPath) == 200 })
}

func widget(name, owners string) string {
	return fmt.Sprintf(`{"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":%q,"ownerReferences":[%s]}}`, name, owners)
}

// Kinds that are defined while the collector runs are collected, and are owners, as the built-in ones are; also after
// their definition was gone for a while.
func TestRun_GarbageOfDefinedKinds(t *testing.T) {
	c := mustStart(t)
	for range 2 {
		c.mustDefine(t)
		uid := c.mustCreate(t, configMapsPath, `{"metadata":{"name":"owner"}}`)
		c.mustCreate(t, widgetsPath, widget("owned", fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":%q}`, uid)))
		uid = c.mustCreate(t, widgetsPath, widget("owning", ""))
		c.mustCreate(t, configMapsPath, fmt.Sprintf(`{"metadata":{"name":"child","ownerReferences":[{"apiVersion":"shop.example.com/v1","kind":"Widget","name":"owning","uid":%q}]}}`, uid))

		c.call(t, "DELETE", configMapsPath+"/owner", "")
		eventually(t, "the owned widget goes", func() bool { return c.code(t, widgetsPath+"/owned") == 404 })
		if code := c.code(t, configMapsPath+"/child"); code != 200 {
			t.Errorf("the child of a widget that is there: %d", code)
		}
		c.call(t, "DELETE", widgetsPath+"/owning", "")
		eventually(t, "the widget's child goes", func() bool { return c.code(t, configMapsPath+"/child") == 404 })

		c.call(t, "DELETE", definitionsPath+"/widgets.shop.example.com", "")
		eventually(t, "the definition goes", func() bool { return c.code(t, definitionsPath+"/widgets.shop.example.com") == 404 })
	}
}

// A namespace is emptied of kinds that were defined after the start.
func TestRun_NamespaceOfDefinedKinds(t *testing.T) {
	c := mustStart(t)
	c.mustDefine(t)
	c.mustCreate(t, "/api/v1/namespaces", `{"metadata":{"name":"shop"}}`)
	c.mustCreate(t, "/apis/shop.example.com/v1/namespaces/shop/widgets", widget("last", ""))
	c.call(t, "DELETE", "/api/v1/namespaces/shop", "")
	eventually(t, "the namespace goes", func() bool { return c.code(t, "/api/v1/namespaces/shop") == 404 })
	if code := c.code(t, "/apis/shop.example.com/v1/namespaces/shop/widgets/last"); code != 404 {
		t.Errorf("a widget without its namespace: %d", code)
	}
}

// A quota counts objects of a defined kind that is called like a built-in one, whatever they look like.
func TestRun_QuotaOfDefinedKind(t *testing.T) {
	c := mustStart(t)
	c.mustCreate(t, definitionsPath, `{"metadata":{"name":"services.serving.example.com"},"spec":{"group":"serving.example.com","scope":"Namespaced",
		"names":{"plural":"services","kind":"Service"},"versions":[{"name":"v1","served":true,"storage":true,
		"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`)
	const services = "/apis/serving.example.com/v1/namespaces/default/services"
	eventually(t, "services are served", func() bool { return c.code(t, services) == 200 })
	c.mustCreate(t, services, `{"apiVersion":"serving.example.com/v1","kind":"Service","metadata":{"name":"web"},"spec":{"ports":"many"}}`)
	const quotas = "/api/v1/namespaces/default/resourcequotas"
	c.mustCreate(t, quotas, `{"metadata":{"name":"few"},"spec":{"hard":{"count/services.serving.example.com":"5"}}}`)
	eventually(t, "one is counted", func() bool {
		var q corev1.ResourceQuota
		c.mustGet(t, quotas+"/few", &q)
		used := q.Status.Used["count/services.serving.example.com"]
		return used.Value() == 1
	})
}
