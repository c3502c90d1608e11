package course

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
)

// status is that of the Pod now. Fields that others have written stay.
func (c *Course) status() corev1.PodStatus {
	s := *c.pod.Status.DeepCopy()
	s.ObservedGeneration = c.pod.Generation
	if s.StartTime == nil {
		s.StartTime = &metav1.Time{Time: c.now}
	}
	s.HostIP, s.HostIPs = c.env.HostIP, []corev1.HostIP{{IP: c.env.HostIP}}
	s.InitContainerStatuses, s.ContainerStatuses, s.EphemeralContainerStatuses = nil, nil, nil
	begun := c.Begun() && !c.now.Before(c.mounted)
	if begun && c.env.PodIP != "" {
		s.PodIP, s.PodIPs = c.env.PodIP, []corev1.PodIP{{IP: c.env.PodIP}}
	}
	for _, l := range c.lives {
		into := &s.ContainerStatuses
		switch l.kind {
		case initial, sidecar:
			into = &s.InitContainerStatuses
		case ephemeral:
			into = &s.EphemeralContainerStatuses
		}
		*into = append(*into, l.status(c))
	}
	s.Phase = c.phase()
	if c.failed != "" && c.stopped() {
		s.Phase, s.Reason, s.Message = corev1.PodFailed, c.failed, "Pod was active on the node longer than the specified deadline"
	}
	c.condition(&s, corev1.PodScheduled, true, "", "")
	c.condition(&s, "PodReadyToStartContainers", begun && !podutil.IsPodPhaseTerminal(s.Phase), "", "")
	done, incomplete := s.Phase == corev1.PodSucceeded, c.uninitialized()
	c.condition(&s, corev1.PodInitialized, done || incomplete == nil,
		pick(done, "PodCompleted", "ContainersNotInitialized"), listed("containers with incomplete status", incomplete))
	reason, message := c.unready(s.Phase)
	c.condition(&s, corev1.ContainersReady, reason == "", reason, message)
	if reason == "" {
		if message = closedGates(c.pod, &s); message != "" {
			reason = "ReadinessGatesNotReady"
		}
	}
	c.condition(&s, corev1.PodReady, reason == "", reason, message)
	return s
}

// status is that of a container.
func (l *life) status(c *Course) corev1.ContainerStatus {
	s := corev1.ContainerStatus{Name: l.spec.Name, Image: l.spec.Image, RestartCount: max(0, l.starts-1)}
	started := false
	switch {
	case l.state == runs:
		s.State.Running = &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(l.since)}
		started = !c.now.Before(l.startedAt())
		at := l.readyAt()
		s.Ready = l.kind != initial && started && !at.IsZero() && !c.now.Before(at)
	case l.state == ended || l.done != nil && l.reason == "":
		s.State.Terminated = l.done
		s.Ready = l.kind == initial && l.code() == 0
	case l.reason != "":
		s.State.Waiting = &corev1.ContainerStateWaiting{Reason: l.reason, Message: l.message}
	case l.kind == main && len(c.pod.Spec.InitContainers) > 0:
		s.State.Waiting = &corev1.ContainerStateWaiting{Reason: "PodInitializing"}
	default:
		s.State.Waiting = &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}
	}
	if l.state == ended && l.done == nil { // the Pod ended before it began
		s.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}}
	}
	if l.kind != ephemeral {
		s.Started = &started
	}
	if l.starts > 0 {
		s.ContainerID, s.ImageID = l.id(c.pod), l.imageID()
	}
	switch {
	case s.State.Terminated != nil:
		s.LastTerminationState.Terminated = l.before
	case l.done != nil:
		s.LastTerminationState.Terminated = l.done
	default:
		s.LastTerminationState.Terminated = l.before
	}
	return s
}

// phase follows from the containers, as the kubelet's getPhase does.
func (c *Course) phase() corev1.PodPhase {
	var begun, going, failed bool
	for _, l := range c.lives {
		switch l.kind {
		case initial:
			switch {
			case l.state == ended && l.code() == 0:
			case l.state == ended && !l.restarts(c.pod):
				return corev1.PodFailed
			default:
				going = true
				if c.stopping.IsZero() {
					return corev1.PodPending
				}
			}
		case main:
			begun = begun || l.starts > 0
			going = going || l.state != ended || c.stopping.IsZero() && l.restarts(c.pod)
			failed = failed || l.code() != 0
		case sidecar:
			going = going || l.state == runs
		}
	}
	switch {
	case !c.stopping.IsZero() && c.stopped():
		return pick(failed || !begun, corev1.PodFailed, corev1.PodSucceeded)
	case !begun:
		return corev1.PodPending
	case going:
		return corev1.PodRunning
	}
	return pick(failed, corev1.PodFailed, corev1.PodSucceeded)
}

// uninitialized are the init containers that keep the others waiting.
func (c *Course) uninitialized() (names []string) {
	for _, l := range c.lives {
		if (l.kind == initial || l.kind == sidecar) && !l.initialized(c.now) {
			names = append(names, l.spec.Name)
		}
	}
	return names
}

// unready is why the containers are not ready; "" if all are.
func (c *Course) unready(phase corev1.PodPhase) (reason, message string) {
	switch phase {
	case corev1.PodSucceeded:
		return "PodCompleted", ""
	case corev1.PodFailed:
		return "PodFailed", ""
	}
	var names []string
	for _, l := range c.lives {
		if (l.kind == main || l.kind == sidecar) && !l.status(c).Ready {
			names = append(names, l.spec.Name)
		}
	}
	if names == nil {
		return "", ""
	}
	return "ContainersNotReady", listed("containers with unready status", names)
}

// closedGates is why readiness gates keep a Pod unready; "" if they do not.
func closedGates(pod *corev1.Pod, s *corev1.PodStatus) string {
	var closed []string
	for _, g := range pod.Spec.ReadinessGates {
		i := slices.IndexFunc(s.Conditions, func(c corev1.PodCondition) bool { return c.Type == g.ConditionType })
		switch {
		case i < 0:
			closed = append(closed, fmt.Sprintf("corresponding condition of pod readiness gate %q does not exist.", g.ConditionType))
		case s.Conditions[i].Status != corev1.ConditionTrue:
			closed = append(closed, fmt.Sprintf("the status of pod readiness gate %q is not \"True\", but %v", g.ConditionType, s.Conditions[i].Status))
		}
	}
	return strings.Join(closed, ", ")
}

// condition sets a condition of the status; a true one has no reason, unless the Pod has ended.
func (c *Course) condition(s *corev1.PodStatus, t corev1.PodConditionType, is bool, reason, message string) {
	n := corev1.PodCondition{Type: t, Status: corev1.ConditionFalse, Reason: reason, Message: message, ObservedGeneration: c.pod.Generation}
	if is {
		n.Status, n.Message = corev1.ConditionTrue, ""
		if reason != "PodCompleted" {
			n.Reason = ""
		}
	}
	n.LastTransitionTime = metav1.NewTime(c.now).Rfc3339Copy()
	i := slices.IndexFunc(s.Conditions, func(o corev1.PodCondition) bool { return o.Type == t })
	if i < 0 {
		s.Conditions = append(s.Conditions, n)
		return
	}
	if s.Conditions[i].Status == n.Status {
		n.LastTransitionTime = s.Conditions[i].LastTransitionTime
	}
	n.LastProbeTime = s.Conditions[i].LastProbeTime
	s.Conditions[i] = n
}

func listed(what string, names []string) string {
	if names == nil {
		return ""
	}
	return fmt.Sprintf("%s: %v", what, names)
}

// pick picks one of two.
func pick[T any](is bool, yes, no T) T {
	if is {
		return yes
	}
	return no
}
