package kinds_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"kubarium/server/kinds"
)

// walk updates a pod of spec old to one of spec now through one of its doors, and returns what it became and why not.
func walk(t *testing.T, door, old, now string, change func(p *corev1.Pod)) (*corev1.Pod, string) {
	t.Helper()
	row := kinds.PodDoor(door)
	was, p := mustPod(t, old), mustPod(t, now)
	mustRow(t, "Pod").PrepareForCreate(was)
	if change != nil {
		change(was)
	}
	p.Status = was.Status
	row.PrepareForUpdate(p, was)
	errs := append(row.Validate(p), row.ValidateUpdate(p, was)...)
	var texts []string
	for _, err := range errs {
		texts = append(texts, err.Error())
	}
	return p, strings.Join(texts, "; ")
}

// Ephemeral containers are added and stay as they are; nothing else changes with them.
func TestPodDoor_ephemeralContainers(t *testing.T) {
	const one = plain + ", ephemeralContainers: [{name: e, image: x}]"
	static := func(p *corev1.Pod) { p.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "1"} }
	for _, c := range []struct {
		name, old, now, want string
		change               func(*corev1.Pod)
	}{
		{"one", plain, one, "", nil},
		{"one more", one, plain + ", ephemeralContainers: [{name: f, image: x}, {name: e, image: x}]", "", nil},
		{"one less", one, plain, `spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be removed`, nil},
		{"another image", one, plain + ", ephemeralContainers: [{name: e, image: z}]", `existing ephemeral containers "e" may not be changed`, nil},
		{"a name that is taken", plain, plain + ", ephemeralContainers: [{name: c, image: x}]", `spec.ephemeralContainers[0].name: Duplicate value: "c"`, nil},
		{"a port", plain, plain + ", ephemeralContainers: [{name: e, image: x, ports: [{containerPort: 1}]}]", "spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container", nil},
		{"a target", plain, plain + ", ephemeralContainers: [{name: e, image: x, targetContainerName: c}]", "", nil},
		{"no target", plain, plain + ", ephemeralContainers: [{name: e, image: x, targetContainerName: d}]", `spec.ephemeralContainers[0].targetContainerName: Not found: "d"`, nil},
		{"part of a volume", plain + ", volumes: [{name: v}]", plain + ", volumes: [{name: v}], ephemeralContainers: [{name: e, image: x, volumeMounts: [{name: v, mountPath: /a, subPath: b}]}]", "spec.ephemeralContainers[0].volumeMounts[0].subPath: Forbidden: cannot be set for an Ephemeral Container", nil},
		{"a static pod", plain, one, "static pods do not support ephemeral containers", static},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, got := walk(t, "ephemeralcontainers", c.old, c.now, c.change)
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	p, _ := walk(t, "ephemeralcontainers", plain, "containers: [{name: c, image: other}], ephemeralContainers: [{name: e, image: x}]", nil)
	if p.Spec.Containers[0].Image == "other" || len(p.Spec.EphemeralContainers) != 1 {
		t.Errorf("it became %+v", p.Spec)
	}
}

// A resize changes cpu and memory; nothing else changes with them.
func TestPodDoor_resize(t *testing.T) {
	const some = "containers: [{name: c, image: x, resources: {requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 2}}}]"
	running := func(p *corev1.Pod) {
		p.Status.Phase = corev1.PodRunning
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "c", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
	}
	for _, c := range []struct {
		name, old, now, want string
		change               func(*corev1.Pod)
	}{
		{"more", some, "containers: [{name: c, image: x, resources: {requests: {cpu: 2, memory: 2Gi}, limits: {cpu: 3}}}]", "", nil},
		{"a limit more", some, "containers: [{name: c, image: x, resources: {requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 2, memory: 4Gi}}}]", "", nil},
		{"a limit less", some, "containers: [{name: c, image: x, resources: {requests: {cpu: 1, memory: 1Gi}}}]", "spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed", nil},
		{"a request less", some, "containers: [{name: c, image: x, resources: {requests: {cpu: 1}, limits: {cpu: 2}}}]", "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed", nil},
		{"over the limit", some, "containers: [{name: c, image: x, resources: {requests: {cpu: 3, memory: 1Gi}, limits: {cpu: 2}}}]", "must be less than or equal to cpu limit of 2", nil},
		{"another class", plain, "containers: [{name: c, image: nginx, resources: {requests: {cpu: 1}}}]", `spec: Invalid value: "BestEffort": Pod QOS Class may not change as a result of resizing`, nil},
		{"storage", some, "containers: [{name: c, image: x, resources: {requests: {cpu: 1, memory: 1Gi, ephemeral-storage: 1Gi}, limits: {cpu: 2}}}]", "spec: Forbidden: only cpu and memory resources are mutable", nil},
		{"another name", some, "containers: [{name: d, image: x, resources: {requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 2}}}]", "spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize", nil},
		{"one more", some, some[:len(some)-1] + ", {name: d, image: x}]", "spec.containers: Forbidden: containers may not be added or removed on resize", nil},
		{"an init container", some + ", initContainers: [{name: i, image: x}]", some + ", initContainers: [{name: i, image: x, resources: {requests: {cpu: 1}}}]", "spec.initContainers[0].resources: Forbidden: resources for non-sidecar init containers are immutable", nil},
		{"a sidecar", some + ", initContainers: [{name: i, image: x, restartPolicy: Always}]", some + ", initContainers: [{name: i, image: x, restartPolicy: Always, resources: {requests: {cpu: 1}}}]", "", nil},
		{"windows", some + ", os: {name: windows}", some + ", os: {name: windows}", "windows pods cannot be resized", nil},
		{"an old node", some, some, "spec: Forbidden: Pod running on node without support for resize", running},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, got := walk(t, "resize", c.old, c.now, c.change)
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	p, _ := walk(t, "resize", some, strings.Replace(some, "image: x", "image: y", 1), nil)
	if p.Spec.Containers[0].Image != "x" {
		t.Errorf("it became %+v", p.Spec)
	}
}
