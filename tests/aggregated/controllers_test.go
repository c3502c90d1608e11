package aggregated_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/app/program"
	"kubarium/server/controllers"
)

// A cluster is a Kubarium with controllers, which forwards requests to a sample-apiserver.
type cluster struct {
	t      *testing.T
	url    string
	sample *sample
}

const (
	apiServices = "/apis/apiregistration.k8s.io/v1/apiservices"
	apiService  = apiServices + "/v1alpha1.wardle.example.com"
	flunders    = "/apis/wardle.example.com/v1alpha1/namespaces/%s/flunders"
	configMaps  = "/api/v1/namespaces/%s/configmaps"
)

// startCluster starts both. The sample-apiserver uses the plain port, and is found by a URL.
func startCluster(t *testing.T) *cluster {
	t.Helper()
	if peer != "" {
		t.Skip("a kube-apiserver alone has no controllers")
	}
	config := program.Config{Listen: "127.0.0.1:0", DB: filepath.Join(t.TempDir(), "controllers.db"), Sync: "normal",
		History: time.Hour, Controllers: controllers.All()}
	c := &cluster{t: t, url: start(t, config).URL}
	c.sample = newSample(t)
	c.sample.run(t, c.url, "")
	c.create("/api/v1/namespaces", `{"metadata":{"name":"wardle"}}`)
	c.create(fmt.Sprintf("/api/v1/namespaces/%s/services", "wardle"),
		`{"metadata":{"name":"sample-api"},"spec":{"type":"ExternalName","externalName":"localhost"}}`)
	c.create(apiServices, fmt.Sprintf(`{"metadata":{"name":"v1alpha1.wardle.example.com"},"spec":{"group":"wardle.example.com","version":"v1alpha1",
		"groupPriorityMinimum":2000,"versionPriority":200,"insecureSkipTLSVerify":true,"service":{"namespace":"wardle","name":"sample-api","port":%s}}}`, c.sample.port))
	c.await("flunders are served", func() bool { return c.code(fmt.Sprintf(flunders, "default")) == 200 })
	return c
}

// call sends a request and returns the answer's code and body.
func (c *cluster) call(method, path, body string) (int, []byte) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Content-Type", map[bool]string{true: "application/merge-patch+json",
		false: "application/json"}[method == http.MethodPatch])
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp.StatusCode, text
}

func (c *cluster) code(path string) int {
	c.t.Helper()
	code, _ := c.call(http.MethodGet, path, "")
	return code
}

// create creates an object and returns its uid.
func (c *cluster) create(path, body string) string {
	c.t.Helper()
	code, text := c.call(http.MethodPost, path, body)
	var object metav1.PartialObjectMetadata
	if err := json.Unmarshal(text, &object); err != nil || code != http.StatusCreated {
		c.t.Fatalf("POST %s: %d %s", path, code, text)
	}
	return string(object.UID)
}

// delete deletes an object.
func (c *cluster) delete(path string) {
	c.t.Helper()
	if code, text := c.call(http.MethodDelete, path, ""); code > 299 {
		c.t.Fatalf("DELETE %s: %d %s", path, code, text)
	}
}

// read reads an object.
func (c *cluster) read(path string, into any) {
	c.t.Helper()
	code, text := c.call(http.MethodGet, path, "")
	if err := json.Unmarshal(text, into); err != nil || code != http.StatusOK {
		c.t.Fatalf("GET %s: %d %s", path, code, text)
	}
}

// await waits until a condition holds. The limit is for slow machines.
func (c *cluster) await(what string, so func() bool) {
	c.t.Helper()
	for end := time.Now().Add(2 * time.Minute); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatalf("%s: not within two minutes", what)
		}
	}
}

// gone waits until an object is gone.
func (c *cluster) gone(path string) {
	c.t.Helper()
	c.await(path+" goes", func() bool { return c.code(path) == 404 })
}

// object is an object of a namespace with owners.
func object(kind, name string, owners ...string) string {
	version := map[string]string{"Flunder": "wardle.example.com/v1alpha1", "ConfigMap": "v1"}[kind]
	return fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":%q,"ownerReferences":[%s]}}`, version, kind, name,
		strings.Join(owners, ","))
}

// owner is a reference to an owner, which waits for its dependent.
func owner(kind, name, uid string) string {
	version := map[string]string{"Flunder": "wardle.example.com/v1alpha1", "ConfigMap": "v1"}[kind]
	return fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"name":%q,"uid":%q,"blockOwnerDeletion":true}`, version, kind,
		name, uid)
}

// Garbage is collected across both servers: in the background, in the foreground, and orphans stay.
func TestControllers_garbage(t *testing.T) {
	c := startCluster(t)
	own, other := fmt.Sprintf(configMaps, "default"), fmt.Sprintf(flunders, "default")
	for _, policy := range []metav1.DeletionPropagation{metav1.DeletePropagationBackground,
		metav1.DeletePropagationForeground, metav1.DeletePropagationOrphan} {
		t.Run(string(policy), func(t *testing.T) {
			c := &cluster{t, c.url, c.sample}
			uid := c.create(own, object("ConfigMap", "owner"))
			c.create(other, object("Flunder", "owned", owner("ConfigMap", "owner", uid)))
			uid = c.create(other, object("Flunder", "owner"))
			c.create(own, object("ConfigMap", "owned", owner("Flunder", "owner", uid)))
			for _, path := range []string{own, other} {
				c.delete(path + "/owner?propagationPolicy=" + string(policy))
				c.gone(path + "/owner")
			}
			for _, path := range []string{own + "/owned", other + "/owned"} {
				if policy != metav1.DeletePropagationOrphan {
					c.gone(path)
					continue
				}
				var left metav1.PartialObjectMetadata
				c.read(path, &left)
				if len(left.OwnerReferences) > 0 {
					t.Errorf("%s has the owners %v", path, left.OwnerReferences)
				}
			}
		})
	}
}

// Deleting a namespace deletes its flunders, and a quota counts them.
func TestControllers_namespace(t *testing.T) {
	c := startCluster(t)
	c.create("/api/v1/namespaces", `{"metadata":{"name":"shop"}}`)
	c.create(fmt.Sprintf(flunders, "shop"), object("Flunder", "last"))
	const quotas = "/api/v1/namespaces/shop/resourcequotas"
	c.create(quotas, `{"metadata":{"name":"few"},"spec":{"hard":{"count/flunders.wardle.example.com":"5"}}}`)
	c.await("the flunder is counted", func() bool {
		var q corev1.ResourceQuota
		c.read(quotas+"/few", &q)
		used := q.Status.Used["count/flunders.wardle.example.com"]
		return used.Value() == 1
	})
	c.delete("/api/v1/namespaces/shop")
	c.gone("/api/v1/namespaces/shop")
	var left struct{ Items []any }
	c.read(fmt.Sprintf(flunders, "shop"), &left)
	if len(left.Items) > 0 {
		t.Errorf("%d flunders are left", len(left.Items))
	}
}

// While the other server is away, a namespace says why it stays, its other objects are deleted, garbage collection goes
// on, and no object is collected because its owner cannot be read. Once the server is back, the namespace goes.
func TestControllers_away(t *testing.T) {
	c := startCluster(t)
	own, other := fmt.Sprintf(configMaps, "default"), fmt.Sprintf(flunders, "default")
	c.create("/api/v1/namespaces", `{"metadata":{"name":"shop"}}`)
	c.create(fmt.Sprintf(flunders, "shop"), object("Flunder", "last"))
	c.create(fmt.Sprintf(configMaps, "shop"), object("ConfigMap", "last"))
	uid := c.create(own, object("ConfigMap", "first"))
	c.create(other, object("Flunder", "first", owner("ConfigMap", "first", uid)))
	c.delete(own + "/first")
	c.gone(other + "/first") // the collector knows flunders: of a kind that it has never listed it waits for the list
	uid = c.create(other, object("Flunder", "owner"))
	c.create(own, object("ConfigMap", "stays", owner("Flunder", "owner", uid)))

	c.sample.process.stop()
	if code, text := c.call(http.MethodPatch, apiService,
		`{"metadata":{"annotations":{"look":"again"}}}`); code != 200 {
		t.Fatalf("patch: %d %s", code, text)
	}
	c.await("the server is known to be away", func() bool {
		_, text := c.call(http.MethodGet, apiService, "")
		return strings.Contains(string(text), "FailedDiscoveryCheck")
	})
	c.await("discovery knows it", func() bool { return strings.Contains(c.discovery(), `"freshness":"Stale"`) })

	c.delete("/api/v1/namespaces/shop")
	c.await("the namespace says why it stays",
		func() bool { return c.condition("shop", corev1.NamespaceDeletionDiscoveryFailure) != "" })
	const want = "Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: " +
		"wardle.example.com/v1alpha1: stale GroupVersion discovery: wardle.example.com/v1alpha1"
	if got := c.condition("shop", corev1.NamespaceDeletionDiscoveryFailure); got != want {
		t.Errorf("it says %q", got)
	}
	c.gone(fmt.Sprintf(configMaps, "shop") + "/last")

	uid = c.create(own, object("ConfigMap", "root"))
	c.create(own, object("ConfigMap", "leaf", owner("ConfigMap", "root", uid)))
	c.delete(own + "/root")
	c.gone(own + "/leaf")
	if code := c.code(own + "/stays"); code != 200 {
		t.Errorf("what a flunder owns that cannot be seen: %d", code)
	}

	c.sample.run(t, c.url, "")
	c.gone("/api/v1/namespaces/shop")
	if code := c.code(own + "/stays"); code != 200 {
		t.Errorf("what a flunder owns: %d", code)
	}
	c.delete(other + "/owner")
	c.gone(own + "/stays")
}

// discovery returns the server's aggregated discovery document.
func (c *cluster) discovery() string {
	req, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, c.url+"/apis", nil)
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(text)
}

// condition returns the message of a namespace's condition if it is true, else "".
func (c *cluster) condition(namespace string, kind corev1.NamespaceConditionType) string {
	var ns corev1.Namespace
	c.read("/api/v1/namespaces/"+namespace, &ns)
	for _, condition := range ns.Status.Conditions {
		if condition.Type == kind && condition.Status == corev1.ConditionTrue {
			return condition.Message
		}
	}
	return ""
}
