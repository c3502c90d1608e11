package nodes_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/server/nodes/script"
	"kubarium/server/nodes/volumes"
)

// mustStart starts a server with nodes and without controllers.
func mustStart(t testing.TB, db string, count int) (*program.Program, kubernetes.Interface) {
	t.Helper()
	c := program.Config{Listen: "127.0.0.1:0", DB: db, History: time.Minute, Sync: "off", Nodes: count}
	c.Admission.Disable = []string{"ServiceAccount"}
	p := programtest.MustStartConfig(t, c)
	api := kubernetes.NewForConfigOrDie(&rest.Config{Host: p.URL, QPS: -1})
	programtest.Eventually(t, "the nodes", func() bool {
		list, err := api.CoreV1().Nodes().List(context.Background(), metav1.ListOptions{})
		return err == nil && len(list.Items) == count
	})
	return p, api
}

// mustPod makes a Pod on a node.
func mustPod(t testing.TB, api kubernetes.Interface, name, node string, change func(*corev1.Pod)) {
	t.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{}}}
	pod.Spec.NodeName, pod.Spec.Containers = node, []corev1.Container{{Name: "c", Image: "i"}}
	if change != nil {
		change(pod)
	}
	if _, err := api.CoreV1().Pods("default").Create(context.Background(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func phase(api kubernetes.Interface, name string) corev1.PodPhase {
	pod, err := api.CoreV1().Pods("default").Get(context.Background(), name, metav1.GetOptions{})
	if err != nil {
		return ""
	}
	return pod.Status.Phase
}

// Nodes and their Pods go on after a restart; those that are too many go, with their Leases and Pods, and at last the class.
func TestRun_Restarts(t *testing.T) {
	t.Parallel()
	db, ctx := filepath.Join(t.TempDir(), "k.db"), t.Context()
	p, api := mustStart(t, db, 2)
	mustPod(t, api, "stays", "node-1", nil)
	mustPod(t, api, "goes", "node-2", nil)
	programtest.Eventually(t, "both run", func() bool {
		return phase(api, "stays") == corev1.PodRunning && phase(api, "goes") == corev1.PodRunning
	})
	lease := func(api kubernetes.Interface, name string) bool {
		_, err := api.CoordinationV1().Leases(corev1.NamespaceNodeLease).Get(ctx, name, metav1.GetOptions{})
		return err == nil
	}
	programtest.Eventually(t, "their Leases", func() bool { return lease(api, "node-1") && lease(api, "node-2") })
	before, err := api.CoreV1().Pods("default").Get(ctx, "stays", metav1.GetOptions{})
	if err != nil || p.Close() != nil {
		t.Fatal(err)
	}

	p, api = mustStart(t, db, 1)
	programtest.Eventually(t, "the other node is gone", func() bool { return !lease(api, "node-2") && phase(api, "goes") == "" })
	mustPod(t, api, "new", "node-1", nil)
	programtest.Eventually(t, "a new Pod runs", func() bool { return phase(api, "new") == corev1.PodRunning })
	after, err := api.CoreV1().Pods("default").Get(ctx, "stays", metav1.GetOptions{})
	if err != nil || after.ResourceVersion != before.ResourceVersion {
		t.Errorf("a Pod that ran is written again: %+v, then %+v", before.Status, after.Status)
	}
	if other, _ := api.CoreV1().Pods("default").Get(ctx, "new", metav1.GetOptions{}); other.Status.PodIP == after.Status.PodIP {
		t.Errorf("both Pods have %s", other.Status.PodIP)
	}
	if p.Close() != nil {
		t.Fatal("close")
	}

	_, api = mustStart(t, db, 0)
	programtest.Eventually(t, "nothing is left", func() bool {
		_, err := api.StorageV1().StorageClasses().Get(ctx, volumes.Class, metav1.GetOptions{})
		return apierrors.IsNotFound(err) && !lease(api, "node-1") && phase(api, "stays") == ""
	})
}

// A Node of the user's is left alone, and one that was deleted does not come back.
func TestRun_Others(t *testing.T) {
	t.Parallel()
	db, ctx := filepath.Join(t.TempDir(), "k.db"), t.Context()
	p, api := mustStart(t, db, 0)
	if _, err := api.CoreV1().Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}}, metav1.CreateOptions{}); err != nil || p.Close() != nil {
		t.Fatal(err)
	}
	_, api = mustStart(t, db, 2)
	n, err := api.CoreV1().Nodes().Get(ctx, "node-1", metav1.GetOptions{})
	if err != nil || script.IsSimulated(n) || len(n.Status.Conditions) > 0 {
		t.Errorf("%+v %v", n, err)
	}
	if err := api.CoreV1().Nodes().Delete(ctx, "node-2", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond) // in which its kubelet sees it
	mustPod(t, api, "lost", "node-2", nil)
	mustPod(t, api, "others", "node-1", nil)
	time.Sleep(300 * time.Millisecond) // in which a kubelet would begin
	if phase(api, "lost") != corev1.PodPending || phase(api, "others") != corev1.PodPending {
		t.Errorf("%s %s", phase(api, "lost"), phase(api, "others"))
	}
}

// A Pod waits for the Secret of a volume and for a ConfigMap of its environment, and says so.
func TestRun_Waits(t *testing.T) {
	t.Parallel()
	_, api := mustStart(t, ":memory:", 1)
	ctx := t.Context()
	mustPod(t, api, "mounts", "node-1", func(p *corev1.Pod) {
		p.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "s"}}}}
	})
	mustPod(t, api, "reads", "node-1", func(p *corev1.Pod) {
		p.Annotations[script.Prefix+"nonsense"] = "1"
		p.Spec.Containers[0].EnvFrom = []corev1.EnvFromSource{{ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "m"}}}}
	})
	event := func(what string) func() bool {
		return func() bool {
			list, err := api.CoreV1().Events("default").List(ctx, metav1.ListOptions{})
			if err != nil {
				return false
			}
			for _, e := range list.Items {
				if strings.Contains(e.InvolvedObject.Name+" "+e.Reason+" "+e.Message, what) {
					return true
				}
			}
			return false
		}
	}
	programtest.Eventually(t, "the volume", event(`mounts FailedMount MountVolume.SetUp failed for volume "v" : secret "s" not found`))
	programtest.Eventually(t, "the environment", event(`reads Failed Error: configmap "m" not found`))
	programtest.Eventually(t, "the annotation", event(`reads InvalidAnnotation annotation simulate.kubarium.dev/nonsense: "nonsense" is none of`))
	pod, _ := api.CoreV1().Pods("default").Get(ctx, "reads", metav1.GetOptions{})
	if w := pod.Status.ContainerStatuses[0].State.Waiting; w == nil || w.Reason != "CreateContainerConfigError" {
		t.Errorf("%+v", pod.Status)
	}
	if _, err := api.CoreV1().Secrets("default").Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := api.CoreV1().ConfigMaps("default").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "m"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	programtest.Eventually(t, "both run", func() bool {
		return phase(api, "mounts") == corev1.PodRunning && phase(api, "reads") == corev1.PodRunning
	})
}

// A Pod that is deleted ends as on a kubelet: within its grace, and then it is gone; one with a finalizer stays without running.
func TestRun_Deleted(t *testing.T) {
	t.Parallel()
	_, api := mustStart(t, ":memory:", 1)
	ctx := t.Context()
	mustPod(t, api, "web", "node-1", nil)
	mustPod(t, api, "held", "node-1", func(p *corev1.Pod) { p.Finalizers = []string{"example.com/hold"} })
	programtest.Eventually(t, "both run", func() bool { return phase(api, "web") == corev1.PodRunning && phase(api, "held") == corev1.PodRunning })
	for _, name := range []string{"web", "held"} {
		if err := api.CoreV1().Pods("default").Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	programtest.Eventually(t, "it is gone", func() bool { return phase(api, "web") == "" })
	programtest.Eventually(t, "it has ended", func() bool { return phase(api, "held") == corev1.PodSucceeded })
	if _, err := api.CoreV1().Pods("default").Patch(ctx, "held", "application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	programtest.Eventually(t, "it is gone too", func() bool { return phase(api, "held") == "" })
}

// BenchmarkRun measures how long a thousand Pods take to run on ten nodes.
func BenchmarkRun(b *testing.B) {
	const pods = 1000
	for b.Loop() {
		b.StopTimer()
		_, api := mustStart(b, ":memory:", 10)
		b.StartTimer()
		for i := range pods {
			mustPod(b, api, fmt.Sprint("p", i), fmt.Sprintf("node-%d", i%10+1), nil)
		}
		programtest.Eventually(b, "all run", func() bool {
			list, err := api.CoreV1().Pods("default").List(context.Background(), metav1.ListOptions{FieldSelector: "status.phase=Running", ResourceVersion: "0"})
			return err == nil && len(list.Items) == pods
		})
	}
}

// A node refuses Pods bound to it for which it has no room or which it must not run, as a kubelet does, and what a Pod had
// is free when that has ended.
func TestRun_Admits(t *testing.T) {
	t.Parallel()
	_, api := mustStart(t, ":memory:", 1)
	asks := func(name corev1.ResourceName, amount string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			list := corev1.ResourceList{name: resource.MustParse(amount)}
			p.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: list, Limits: list}
		}
	}
	mustPod(t, api, "first", "node-1", func(p *corev1.Pod) {
		asks(corev1.ResourceCPU, "5")(p)
		p.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: 80}}
	})
	programtest.Eventually(t, "the first runs", func() bool { return phase(api, "first") == corev1.PodRunning })
	for _, c := range []struct {
		name            string
		change          func(*corev1.Pod)
		reason, message string // "" if it runs
	}{
		{"cpu", asks(corev1.ResourceCPU, "4"), "OutOfcpu",
			"Pod was rejected: Node didn't have enough resource: cpu, requested: 4000, used: 5000, capacity: 8000"},
		{"affinity", func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"disk": "ssd"} }, "NodeAffinity",
			"Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"},
		{"port", func(p *corev1.Pod) {
			p.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 81, HostPort: 80}}
		}, "NodePorts", "Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports"},
		{"small", asks(corev1.ResourceCPU, "3"), "", ""},
		{"unknown", asks("example.com/widget", "1"), "", ""}, // the cluster's, not the node's
	} {
		mustPod(t, api, c.name, "node-1", c.change)
		programtest.Eventually(t, c.name, func() bool {
			p, err := api.CoreV1().Pods("default").Get(t.Context(), c.name, metav1.GetOptions{})
			if err != nil || c.reason == "" {
				return err == nil && p.Status.Phase == corev1.PodRunning
			}
			if p.Status.Phase == corev1.PodRunning {
				t.Fatalf("%s runs", c.name)
			}
			return p.Status.Phase == corev1.PodFailed && p.Status.Reason == c.reason && p.Status.Message == c.message
		})
	}
	now := int64(0)
	if err := api.CoreV1().Pods("default").Delete(t.Context(), "first", metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
		t.Fatal(err)
	}
	programtest.Eventually(t, "the first is gone", func() bool { return phase(api, "first") == "" })
	mustPod(t, api, "next", "node-1", asks(corev1.ResourceCPU, "5"))
	programtest.Eventually(t, "the next runs", func() bool { return phase(api, "next") == corev1.PodRunning })
}
