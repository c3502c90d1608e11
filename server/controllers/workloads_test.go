package controllers_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/app/debug"
	"kubarium/app/program/programtest"
	"kubarium/server/controllers"
	"kubarium/server/loopback"
)

const (
	podsPath = "/api/v1/namespaces/default/pods"
	appsPath = "/apis/apps/v1/namespaces/default/"
	template = `"selector":{"matchLabels":{"app":"%[1]s"}},"template":{"metadata":{"labels":{"app":"%[1]s"}},"spec":{"containers":[{"name":"c","image":"%[2]s"}]}}`
)

// ready are the names of the Pods of an app that are ready, sorted.
func (c cluster) ready(t *testing.T, app string) (names []string) {
	t.Helper()
	var list corev1.PodList
	c.mustGet(t, podsPath+"?labelSelector=app%3D"+app, &list)
	for _, p := range list.Items {
		for _, cond := range p.Status.Conditions {
			if cond.Type == corev1.PodReady && cond.Status == corev1.ConditionTrue && p.DeletionTimestamp == nil {
				names = append(names, p.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// agents are the clients that have asked the server, of Kubarium's own.
func (c cluster) agents() map[string]bool {
	all := map[string]bool{}
	flows, _ := c.log.Since(0, 1<<20)
	for _, f := range flows {
		if name, own := strings.CutPrefix(f.Client.UserAgent, "kubarium-controller/"); own {
			all[name] = true
		}
	}
	return all
}

// Each workload becomes running Pods on a simulated node, by its own controller under its own name.
func TestWorkloads(t *testing.T) {
	t.Parallel()
	c := mustStartNodes(t, controllers.All(), 2)
	c.mustCreate(t, appsPath+"deployments", fmt.Sprintf(`{"metadata":{"name":"web"},"spec":{"replicas":3,`+template+`}}`, "web", "nginx:1"))
	c.mustCreate(t, appsPath+"statefulsets", fmt.Sprintf(`{"metadata":{"name":"db"},"spec":{"serviceName":"db","replicas":2,`+template+`}}`, "db", "pg"))
	c.mustCreate(t, appsPath+"daemonsets", fmt.Sprintf(`{"metadata":{"name":"agent"},"spec":{`+template+`}}`, "agent", "agent"))
	c.mustCreate(t, "/apis/batch/v1/namespaces/default/jobs", `{"metadata":{"name":"once"},"spec":{"completions":2,"ttlSecondsAfterFinished":600,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}`)
	c.mustCreate(t, "/api/v1/namespaces/default/replicationcontrollers", `{"metadata":{"name":"old"},"spec":{"replicas":1,"selector":{"app":"old"},"template":{"metadata":{"labels":{"app":"old"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`)
	c.mustCreate(t, "/api/v1/namespaces/default/services", `{"metadata":{"name":"web"},"spec":{"selector":{"app":"web"},"ports":[{"port":80}]}}`)
	c.mustCreate(t, "/apis/policy/v1/namespaces/default/poddisruptionbudgets", `{"metadata":{"name":"web"},"spec":{"minAvailable":2,"selector":{"matchLabels":{"app":"web"}}}}`)

	eventually(t, "three Pods of the Deployment", func() bool { return len(c.ready(t, "web")) == 3 })
	eventually(t, "the Pods of the StatefulSet", func() bool { return slices.Equal(c.ready(t, "db"), []string{"db-0", "db-1"}) })
	eventually(t, "a Pod on each node", func() bool { return len(c.ready(t, "agent")) == 2 })
	eventually(t, "the ReplicationController's Pod", func() bool { return len(c.ready(t, "old")) == 1 })
	eventually(t, "the Job", func() bool {
		var j batchv1.Job
		c.mustGet(t, "/apis/batch/v1/namespaces/default/jobs/once", &j)
		return j.Status.Succeeded == 2 && j.Status.CompletionTime != nil
	})
	eventually(t, "the slices", func() bool {
		var l discoveryv1.EndpointSliceList
		c.mustGet(t, "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dweb", &l)
		return len(l.Items) == 1 && len(l.Items[0].Endpoints) == 3
	})
	eventually(t, "the Endpoints", func() bool {
		var e corev1.Endpoints
		code, _ := c.call(t, "GET", "/api/v1/namespaces/default/endpoints/web", "")
		if code != 200 {
			return false
		}
		c.mustGet(t, "/api/v1/namespaces/default/endpoints/web", &e)
		return len(e.Subsets) == 1 && len(e.Subsets[0].Addresses) == 3
	})
	eventually(t, "the budget", func() bool {
		var b policyv1.PodDisruptionBudget
		c.mustGet(t, "/apis/policy/v1/namespaces/default/poddisruptionbudgets/web", &b)
		return b.Status.DisruptionsAllowed == 1
	})
	var d appsv1.Deployment
	c.mustGet(t, appsPath+"deployments/web", &d)
	before := c.ready(t, "web")
	c.call(t, "PATCH", appsPath+"deployments/web", `{"spec":{"template":{"metadata":{"labels":{"colour":"green"}}}}}`)
	eventually(t, "three other Pods", func() bool {
		now := c.ready(t, "web")
		return len(now) == 3 && !slices.ContainsFunc(now, func(n string) bool { return slices.Contains(before, n) })
	})
	agents := c.agents()
	for _, name := range []string{"deployment-controller", "replicaset-controller", "statefulset-controller", "daemonset-controller", "job-controller", "endpoints-controller",
		"endpointslice-controller", "disruption-controller", "replicationcontroller-controller", "node-lifecycle-controller", "kube-scheduler", "shared-informers", "kubelet-node-1", "kubelets"} {
		if !agents[name] {
			t.Errorf("%s has asked nothing", name)
		}
	}
}

// Where a Node is gone, its Pods go too; a taint evicts those that do not tolerate it.
func TestWorkloads_Evicted(t *testing.T) {
	t.Parallel()
	c := mustStartNodes(t, controllers.All(), 1)
	eventually(t, "a Node", func() bool { return c.code(t, "/api/v1/nodes/node-1") == 200 })
	c.mustCreate(t, podsPath, `{"metadata":{"name":"web","labels":{"app":"web"}},"spec":{"terminationGracePeriodSeconds":1,"containers":[{"name":"c","image":"i"}]}}`)
	eventually(t, "the Pod", func() bool { return len(c.ready(t, "web")) == 1 })
	if code, text := c.call(t, "PATCH", "/api/v1/nodes/node-1", `{"spec":{"taints":[{"key":"k","effect":"NoExecute"}]}}`); code != 200 {
		t.Fatal(string(text))
	}
	eventually(t, "the Pod is evicted", func() bool { return c.code(t, podsPath+"/web") == http.StatusNotFound })
}

// A VolumeAttributesClass, which admission gives a finalizer, can be deleted when no claim or volume names it.
func TestWorkloads_AttributesClass(t *testing.T) {
	t.Parallel()
	c := mustStartNodes(t, controllers.All(), 1)
	const classes, volumes = "/apis/storage.k8s.io/v1/volumeattributesclasses", "/api/v1/persistentvolumes"
	c.mustCreate(t, classes, `{"metadata":{"name":"gold"},"driverName":"example.com","parameters":{"speed":"high"}}`)
	c.mustCreate(t, volumes, `{"metadata":{"name":"v"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"volumeAttributesClassName":"gold","csi":{"driver":"example.com","volumeHandle":"v"}}}`)
	c.call(t, "DELETE", classes+"/gold", "")
	var class metav1.PartialObjectMetadata
	c.mustGet(t, classes+"/gold", &class)
	if class.DeletionTimestamp == nil || !slices.Contains(class.Finalizers, "kubernetes.io/vac-protection") {
		t.Fatalf("a class that a volume names: %v %v", class.DeletionTimestamp, class.Finalizers)
	}
	c.call(t, "DELETE", volumes+"/v", "")
	eventually(t, "the class is gone", func() bool { return c.code(t, classes+"/gold") == http.StatusNotFound })
}

// After a restore of the store the informers list again: controllers and scheduler know what is stored then, and go on.
func TestWorkloads_Restored(t *testing.T) {
	t.Parallel()
	c := mustStartNodes(t, controllers.All(), 1)
	deploy := func(name string) {
		c.mustCreate(t, appsPath+"deployments", fmt.Sprintf(`{"metadata":{"name":"%[1]s"},"spec":{`+template+`}}`, name, "nginx"))
		eventually(t, name, func() bool { return len(c.ready(t, name)) == 1 })
	}
	deploy("web")
	before := c.ready(t, "web")
	programtest.MustSave(t, c.Program, "s")
	deploy("late")
	c.call(t, "PATCH", appsPath+"deployments/web", `{"spec":{"template":{"metadata":{"labels":{"colour":"green"}}}}}`)
	eventually(t, "another Pod", func() bool { now := c.ready(t, "web"); return len(now) == 1 && now[0] != before[0] })
	programtest.MustRestore(t, c.Program, "s")
	deploy("next")
	c.call(t, "PATCH", appsPath+"deployments/web", `{"spec":{"replicas":2}}`)
	eventually(t, "a second Pod", func() bool { return len(c.ready(t, "web")) == 2 })
	if now := c.ready(t, "web"); !slices.Contains(now, before[0]) {
		t.Errorf("%s are not those of the snapshot and one more", now)
	}
	if n := c.count(t, podsPath+"?labelSelector=app%3Dlate"); n != 0 {
		t.Errorf("%d Pods of a Deployment that the restore removed", n)
	}
}

// Without nodes nothing of it runs, except what is named.
func TestWorkloads_Off(t *testing.T) {
	t.Parallel()
	c := mustStart(t)
	eventually(t, "the other controllers", func() bool { return c.code(t, accountPath) == 200 })
	c.mustCreate(t, appsPath+"deployments", fmt.Sprintf(`{"metadata":{"name":"web"},"spec":{`+template+`}}`, "web", "nginx"))
	var named controllers.List
	if err := named.Set("deployment"); err != nil {
		t.Fatal(err)
	}
	n := mustStartWith(t, named)
	n.mustCreate(t, appsPath+"deployments", fmt.Sprintf(`{"metadata":{"name":"web"},"spec":{`+template+`}}`, "web", "nginx"))
	eventually(t, "a ReplicaSet by the one that is named", func() bool { return n.count(t, appsPath+"replicasets") == 1 })
	if c.count(t, appsPath+"replicasets") != 0 {
		t.Error("a ReplicaSet without nodes")
	}
	agents := c.agents()
	for _, name := range []string{"shared-informers", "kube-scheduler", "deployment-controller", "kubelets"} {
		if agents[name] {
			t.Errorf("%s has asked without nodes", name)
		}
	}
	if n.count(t, podsPath) != 0 {
		t.Error("a Pod though only deployment-controller runs")
	}
}

func (c cluster) count(t *testing.T, path string) int {
	t.Helper()
	var list struct{ Items []any }
	c.mustGet(t, path, &list)
	return len(list.Items)
}

// A paused controller does nothing until each of its pauses has ended; the others go on.
func TestSwitch(t *testing.T) {
	t.Parallel()
	c := mustStartNodes(t, controllers.All(), 1)
	const name = "deployment-controller"
	eventually(t, "it runs", func() bool {
		return slices.Contains(c.Controllers(), debug.Controller{Name: name, Runs: true})
	})
	if _, _, err := c.PauseControllers([]string{"nobody"}); err == nil {
		t.Error("an unknown controller was paused")
	}
	paused, first, err := c.PauseControllers([]string{name, "garbage-collector-controller", name})
	if err != nil || !slices.Equal(paused, []string{name, "garbage-collector-controller"}) {
		t.Fatal(paused, err)
	}
	again, second, _ := c.PauseControllers([]string{name})
	if !slices.Equal(again, []string{name}) {
		t.Error(again)
	}
	c.mustCreate(t, appsPath+"deployments", fmt.Sprintf(`{"metadata":{"name":"web"},"spec":{`+template+`}}`, "web", "nginx"))
	c.mustCreate(t, appsPath+"replicasets", fmt.Sprintf(`{"metadata":{"name":"own"},"spec":{`+template+`}}`, "own", "nginx"))
	eventually(t, "the replicaset-controller goes on", func() bool { return len(c.ready(t, "own")) == 1 })
	first()
	first()
	time.Sleep(50 * time.Millisecond) // in which it would begin
	if c.count(t, appsPath+"replicasets") != 1 {
		t.Error("it did not pause, or began too early")
	}
	second()
	eventually(t, "it begins again", func() bool { return len(c.ready(t, "web")) == 1 })
	_, third, _ := c.PauseControllers([]string{name})
	third()
	c.call(t, "PATCH", appsPath+"deployments/web", `{"spec":{"replicas":2}}`)
	eventually(t, "and again", func() bool { return len(c.ready(t, "web")) == 2 })
}

// A controller that is made while an informer runs gets its events when it is complete, and none after its end.
func TestShared_Early(t *testing.T) {
	t.Parallel()
	c := mustStartWith(t, controllers.List{})
	before, complete, ended, err := controllers.Early(t.Context(), loopback.Server{URL: c.url})
	if err != nil || before != 0 || complete != 1 || ended != 0 {
		t.Errorf("%d before, %d when complete, %d after the end: %v", before, complete, ended, err)
	}
}
