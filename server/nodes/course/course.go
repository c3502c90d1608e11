// Package course decides how a Pod goes on a simulated node: pure functions of the Pod, its annotations (package script) and the
// time. States, reasons, messages and back-off are those of the kubelet of Kubernetes 1.37 (pkg/kubelet/kuberuntime, images, status).
package course

import (
	"hash/fnv"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"

	"kubarium/server/nodes/script"
)

// How long things take.
const (
	mountTime  = 80 * time.Millisecond  // from the binding to a Pod with its volumes and its address
	leastPull  = 200 * time.Millisecond // of an image that the node does not have
	pullSpread = 500 * time.Millisecond
	createTime = 50 * time.Millisecond  // of a container
	probeTime  = 300 * time.Millisecond // from the initial delay of a probe to its first success
	workTime   = time.Second            // of a container that ends by itself
	stopTime   = 300 * time.Millisecond // from SIGTERM to the end of a container
	firstWait  = 10 * time.Second       // back-off, of pulls and of containers that ended; it doubles
	longWait   = 300 * time.Second
)

// An Env is what a Pod finds on its node.
type Env struct {
	HostIP, PodIP string
	Images        Images
	Unmounted     string            // why a volume cannot be mounted yet; "" if all can
	Unset         map[string]string // why the environment of a container cannot be made yet, by the container's name
}

// Images are those that a node has.
type Images interface {
	Has(image string) bool
	Add(image string)
}

// An Event is one that a kubelet reports about a Pod.
type Event struct {
	Type      string // Normal or Warning
	Reason    string
	Message   string
	Container string // "" for the Pod
}

// A Report is how a Pod is at a time.
type Report struct {
	Status corev1.PodStatus
	Events []Event
	Next   time.Time // when it goes on by itself; zero if it waits for others
	Gone   bool      // it has ended, and is to be deleted for good
}

// A Course is the life of one Pod on its node, step by step. It is not safe for several goroutines.
type Course struct {
	pod      *corev1.Pod
	env      Env
	now      time.Time
	mounted  time.Time // when its containers can begin; zero as long as volumes are missing
	lives    []*life   // in the order of the spec: init containers, containers, ephemeral ones
	stopping time.Time // since when containers end because the Pod does; zero if it goes on
	failed   string    // the reason of a Pod that its node has ended
	events   []Event
}

// New returns the Course of a Pod that is bound to a node. A Pod that has a status of its containers goes on from there.
func New(pod *corev1.Pod, now time.Time) *Course {
	c := &Course{pod: pod, now: now}
	if len(pod.Status.ContainerStatuses) > 0 || len(pod.Status.InitContainerStatuses) > 0 {
		c.mounted = now
	}
	return c
}

// Begun reports whether all that the Pod needs was there.
func (c *Course) Begun() bool { return !c.mounted.IsZero() }

// Step takes the Pod to a time, which never goes back.
func (c *Course) Step(pod *corev1.Pod, env Env, now time.Time) Report {
	c.pod, c.env, c.now, c.events = pod, env, now, nil
	if podutil.IsPodPhaseTerminal(pod.Status.Phase) && pod.DeletionTimestamp == nil {
		return Report{Status: pod.Status}
	}
	c.meet()
	c.mount()
	c.end()
	if c.Begun() && !now.Before(c.mounted) {
		for c.advance() {
		}
	}
	r := Report{Status: c.status(), Next: c.next()}
	r.Events = c.events
	r.Gone = pod.DeletionTimestamp != nil && c.stopped()
	return r
}

// meet finds the containers of the spec; ephemeral ones come later than the others.
func (c *Course) meet() {
	find := func(k kind, spec *corev1.Container, before []corev1.ContainerStatus) {
		for _, l := range c.lives {
			if l.spec.Name == spec.Name {
				l.spec, l.script = spec, script.Of(c.pod, spec.Name)
				return
			}
		}
		l := &life{kind: k, spec: spec, script: script.Of(c.pod, spec.Name)}
		for i := range before {
			if before[i].Name == spec.Name {
				l.resume(c, &before[i])
			}
		}
		c.lives = append(c.lives, l)
	}
	for i := range c.pod.Spec.InitContainers {
		spec := &c.pod.Spec.InitContainers[i]
		k := initial
		if p := spec.RestartPolicy; p != nil && *p == corev1.ContainerRestartPolicyAlways {
			k = sidecar
		}
		find(k, spec, c.pod.Status.InitContainerStatuses)
	}
	for i := range c.pod.Spec.Containers {
		find(main, &c.pod.Spec.Containers[i], c.pod.Status.ContainerStatuses)
	}
	for i := range c.pod.Spec.EphemeralContainers {
		spec := corev1.Container(c.pod.Spec.EphemeralContainers[i].EphemeralContainerCommon)
		find(ephemeral, &spec, c.pod.Status.EphemeralContainerStatuses)
	}
}

// mount begins the Pod when its volumes are there.
func (c *Course) mount() {
	if !c.mounted.IsZero() {
		return
	}
	if c.env.Unmounted == "" {
		c.mounted = c.now.Add(mountTime)
	} else {
		c.warn("", "FailedMount", c.env.Unmounted)
	}
}

// end begins the end of a Pod that is deleted, or that has run too long.
func (c *Course) end() {
	if !c.stopping.IsZero() {
		return
	}
	if d := c.pod.Spec.ActiveDeadlineSeconds; d != nil && c.pod.Status.StartTime != nil && !c.now.Before(c.deadline()) {
		c.failed = "DeadlineExceeded"
	}
	if c.pod.DeletionTimestamp == nil && c.failed == "" {
		return
	}
	c.stopping = c.now
	for _, l := range c.lives {
		l.stop(c)
	}
}

// deadline is when a Pod with activeDeadlineSeconds has run too long.
func (c *Course) deadline() time.Time {
	return c.pod.Status.StartTime.Add(time.Duration(*c.pod.Spec.ActiveDeadlineSeconds) * time.Second)
}

// advance lets each container take at most one step, and reports whether any did.
func (c *Course) advance() (moved bool) {
	initialized := true // so far
	for _, l := range c.lives {
		may := initialized && c.stopping.IsZero() && !(l.kind == sidecar && c.workDone())
		if l.advance(c, may) {
			moved = true
		}
		initialized = initialized && l.initialized(c.now)
	}
	if c.stopping.IsZero() && c.workDone() {
		for _, l := range c.lives {
			if l.kind == sidecar && l.state == runs && l.until.IsZero() {
				l.stop(c)
				moved = true
			}
		}
	}
	return moved
}

// workDone reports whether no container will run again except for sidecars.
func (c *Course) workDone() bool {
	for _, l := range c.lives {
		switch {
		case l.kind == initial && l.state == ended && l.code() != 0 && !l.restarts(c.pod):
			return true
		case l.kind == main && (l.state != ended || l.restarts(c.pod)):
			return false
		}
	}
	return true
}

// stopped reports whether nothing of the Pod runs.
func (c *Course) stopped() bool {
	return !c.stopping.IsZero() && !slices.ContainsFunc(c.lives, func(l *life) bool { return l.state == runs })
}

// next is when the Pod goes on by itself.
func (c *Course) next() (at time.Time) {
	sooner := func(t time.Time) {
		if !t.IsZero() && t.After(c.now) && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	sooner(c.mounted)
	for _, l := range c.lives {
		sooner(l.until)
		if l.state == runs {
			sooner(l.startedAt())
			sooner(l.readyAt())
		}
	}
	if c.pod.Spec.ActiveDeadlineSeconds != nil && c.pod.Status.StartTime != nil && c.stopping.IsZero() {
		sooner(c.deadline())
	}
	return at
}

func (c *Course) say(container, reason, message string) {
	c.events = append(c.events, Event{corev1.EventTypeNormal, reason, message, container})
}

func (c *Course) warn(container, reason, message string) {
	c.events = append(c.events, Event{corev1.EventTypeWarning, reason, message, container})
}

// finite reports whether the Pod's containers end though no annotation says so: a Job waits for that.
func finite(pod *corev1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == "Job"
}

// share is a number from 0 to 1 that is always the same for a text.
func share(text string) float64 {
	h := fnv.New32a()
	h.Write([]byte(text))
	return float64(h.Sum32()%1000) / 1000
}
