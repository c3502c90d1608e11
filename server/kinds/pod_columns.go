package kinds

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
)

func podColumns() []metav1.TableColumnDefinition {
	spec, status := corev1.PodSpec{}.SwaggerDoc(), corev1.PodStatus{}.SwaggerDoc()
	return []metav1.TableColumnDefinition{
		nameColumn(),
		column("Ready", "The aggregate readiness state of this pod for accepting traffic."),
		column("Status", "The aggregate status of the containers in this pod."),
		column("Restarts", "The number of times the containers in this pod have been restarted and when the last container in this pod has restarted."),
		ageColumn(),
		wideColumn("IP", status["podIP"]),
		wideColumn("Node", spec["nodeName"]),
		wideColumn("Nominated Node", status["nominatedNodeName"]),
		wideColumn("Readiness Gates", spec["readinessGates"]),
	}
}

func podCells(obj runtime.Object, now time.Time) []any {
	p := obj.(*corev1.Pod)
	s := summarize(p)
	ip := ""
	if len(p.Status.PodIPs) > 0 {
		ip = p.Status.PodIPs[0].IP
	}
	return []any{
		p.Name, fmt.Sprintf("%d/%d", s.ready, s.total), s.reason, s.restartsCell(now), age(p.CreationTimestamp, now),
		orElse(ip, none), orElse(p.Spec.NodeName, none), orElse(p.Status.NominatedNodeName, none), readinessGatesCell(p),
	}
}

// readinessGatesCell counts the gates whose condition is true.
func readinessGatesCell(p *corev1.Pod) string {
	if len(p.Spec.ReadinessGates) == 0 {
		return none
	}
	open := 0
	for _, gate := range p.Spec.ReadinessGates {
		if podCondition(p, gate.ConditionType) == corev1.ConditionTrue {
			open++
		}
	}
	return fmt.Sprintf("%d/%d", open, len(p.Spec.ReadinessGates))
}

// podCondition returns the status of a condition, empty if the pod does not have it.
func podCondition(p *corev1.Pod, t corev1.PodConditionType) corev1.ConditionStatus {
	for _, c := range p.Status.Conditions {
		if c.Type == t {
			return c.Status
		}
	}
	return ""
}

// A podSummary is what one row can say of all the containers of a pod.
type podSummary struct {
	reason       string
	ready, total int
	restarts     restarts
}

// restarts counts restarts and remembers the end of the latest run before one.
type restarts struct {
	count int
	last  time.Time // zero if nothing ended yet
}

func (r *restarts) add(c *corev1.ContainerStatus) {
	r.count += int(c.RestartCount)
	if t := c.LastTerminationState.Terminated; t != nil && r.last.Before(t.FinishedAt.Time) {
		r.last = t.FinishedAt.Time
	}
}

func (s *podSummary) restartsCell(now time.Time) string {
	if s.restarts.count == 0 || s.restarts.last.IsZero() {
		return strconv.Itoa(s.restarts.count)
	}
	return fmt.Sprintf("%d (%s ago)", s.restarts.count, duration.HumanDuration(now.Sub(s.restarts.last)))
}

// summarize finds the one reason that tells most about a pod: the trouble of a container rather than the phase, that
// of an init container while it is initializing, and a deletion above all.
func summarize(p *corev1.Pod) podSummary {
	s := podSummary{reason: orElse(p.Status.Reason, string(p.Status.Phase)), total: len(p.Spec.Containers)}
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Reason == corev1.PodReasonSchedulingGated {
			s.reason = corev1.PodReasonSchedulingGated
		}
	}
	sidecars := sidecarNames(p)
	s.total += len(sidecars)
	sidecarRestarts, initializing := s.addInit(p, sidecars)
	if !initializing || podCondition(p, corev1.PodInitialized) == corev1.ConditionTrue {
		s.restarts = sidecarRestarts
		s.addContainers(p)
	}
	if p.DeletionTimestamp == nil {
		return s
	}
	switch {
	case p.Status.Reason == "NodeLost":
		s.reason = string(corev1.PodUnknown)
	case p.Status.Phase != corev1.PodFailed && p.Status.Phase != corev1.PodSucceeded:
		s.reason = "Terminating"
	}
	return s
}

// sidecarNames returns the init containers that keep running beside the containers.
func sidecarNames(p *corev1.Pod) map[string]bool {
	names := map[string]bool{}
	for _, c := range p.Spec.InitContainers {
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			names[c.Name] = true
		}
	}
	return names
}

// addInit takes in the init containers up to the first that is not through; initializing says that there is one.
func (s *podSummary) addInit(p *corev1.Pod, sidecars map[string]bool) (ofSidecars restarts, initializing bool) {
	for i := range p.Status.InitContainerStatuses {
		c := &p.Status.InitContainerStatuses[i]
		s.restarts.add(c)
		if sidecars[c.Name] {
			ofSidecars.add(c)
		}
		if t := c.State.Terminated; t != nil && t.ExitCode == 0 {
			continue
		}
		if sidecars[c.Name] && isTrue(c.Started) {
			if c.Ready {
				s.ready++
			}
			continue
		}
		s.reason = initReason(c, i, len(p.Spec.InitContainers))
		return ofSidecars, true
	}
	return ofSidecars, false
}

// initReason tells where the i-th of n init containers stands.
func initReason(c *corev1.ContainerStatus, i, n int) string {
	switch t, w := c.State.Terminated, c.State.Waiting; {
	case t != nil:
		return "Init:" + endReason(t)
	case w != nil && w.Reason != "" && w.Reason != "PodInitializing":
		return "Init:" + w.Reason
	}
	return fmt.Sprintf("Init:%d/%d", i, n)
}

// endReason tells why a container ended.
func endReason(t *corev1.ContainerStateTerminated) string {
	switch {
	case t.Reason != "":
		return t.Reason
	case t.Signal != 0:
		return fmt.Sprintf("Signal:%d", t.Signal)
	}
	return fmt.Sprintf("ExitCode:%d", t.ExitCode)
}

// addContainers takes in the containers, from the last to the first, so that the first one in trouble has the say.
func (s *podSummary) addContainers(p *corev1.Pod) {
	running := false
	for i := len(p.Status.ContainerStatuses) - 1; i >= 0; i-- {
		c := &p.Status.ContainerStatuses[i]
		s.restarts.add(c)
		switch {
		case c.State.Waiting != nil && c.State.Waiting.Reason != "":
			s.reason = c.State.Waiting.Reason
		case c.State.Terminated != nil:
			s.reason = endReason(c.State.Terminated)
		case c.Ready && c.State.Running != nil:
			running = true
			s.ready++
		}
	}
	if s.reason != "Completed" || !running {
		return
	}
	s.reason = "NotReady"
	if podCondition(p, corev1.PodReady) == corev1.ConditionTrue {
		s.reason = "Running"
	}
}

// containerCells lists names and images of containers for the columns of a template.
func containerCells(containers []corev1.Container) (names, images string) {
	var n, i []string
	for _, c := range containers {
		n, i = append(n, c.Name), append(i, c.Image)
	}
	return strings.Join(n, ","), strings.Join(i, ",")
}
