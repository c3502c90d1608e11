package course

import (
	"crypto/sha256"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"

	"kubarium/server/nodes/script"
)

// A kind is that of a container.
type kind int

const (
	initial   kind = iota // it ends before the next one begins
	sidecar               // an init container that goes on
	main                  //
	ephemeral             // it came later, and is not started again
)

// A state is what a container does.
type state int

const (
	waits   state = iota // for its turn
	pulls                // its image
	refused              // its image could not be pulled, see life.reason
	creates              //
	runs                 //
	ended                //
	backOff              // it is started again at life.until
)

// A life is that of one container.
type life struct {
	kind   kind
	spec   *corev1.Container
	script script.Script

	state   state
	until   time.Time // when it goes on by itself; zero for never
	since   time.Time // its start, while it runs
	pulling time.Time // since when it pulls
	reason  string    // why it waits: ErrImagePull, ImagePullBackOff, CrashLoopBackOff, CreateContainerConfigError
	message string

	starts         int32                            // how often it was started
	pullWait, wait time.Duration                    // the last back-off
	done           *corev1.ContainerStateTerminated // how it ended the last time; nil if it did not
	before         *corev1.ContainerStateTerminated // how it ended before this run
}

// advance takes the container over the end of its state, if that has come. may says that its turn has come.
func (l *life) advance(c *Course, may bool) bool {
	due := !l.until.IsZero() && !c.now.Before(l.until)
	switch l.state {
	case waits:
		if !may {
			return false
		}
		l.pull(c, later(c.mounted, c.now))
	case pulls:
		if !due {
			return false
		}
		l.pulled(c)
	case refused:
		if !due || !may {
			return false
		}
		if l.reason == "ErrImagePull" {
			l.reason, l.message = "ImagePullBackOff", fmt.Sprintf("Back-off pulling image %q: ErrImagePull: %s", l.spec.Image, l.script.PullError)
			c.say(l.spec.Name, "BackOff", fmt.Sprintf("Back-off pulling image %q", l.spec.Image))
			c.warn(l.spec.Name, "Failed", "Error: ImagePullBackOff")
			l.until = c.now.Add(l.pullWait)
			return true
		}
		l.pull(c, c.now)
	case creates:
		if !due && l.reason == "" {
			return false
		}
		if why := c.env.Unset[l.spec.Name]; why != "" {
			if l.message != why {
				c.warn(l.spec.Name, "Failed", "Error: "+why)
			}
			l.reason, l.message, l.until = "CreateContainerConfigError", why, time.Time{}
			return false
		}
		l.start(c)
	case runs:
		if !due {
			return false
		}
		l.exit(c)
	case ended:
		if !may || !l.restarts(c.pod) {
			return false
		}
		l.restart(c)
	case backOff:
		if !due || !may {
			return false
		}
		l.pull(c, c.now)
	}
	return true
}

// pull begins to pull the image, or to create the container if the node has it.
func (l *life) pull(c *Course, at time.Time) {
	l.reason, l.message = "", ""
	if l.script.PullError == "" && c.env.Images.Has(l.spec.Image) && l.spec.ImagePullPolicy != corev1.PullAlways {
		c.say(l.spec.Name, "Pulled", fmt.Sprintf("Container image %q already present on machine and can be accessed by the pod", l.spec.Image))
		l.create(at)
		return
	}
	c.say(l.spec.Name, "Pulling", fmt.Sprintf("Pulling image %q", l.spec.Image))
	l.state, l.pulling = pulls, at
	l.until = at.Add(leastPull + time.Duration(share(string(c.pod.UID)+l.spec.Name)*float64(pullSpread)))
}

func (l *life) pulled(c *Course) {
	if why := l.script.PullError; why != "" {
		c.warn(l.spec.Name, "Failed", fmt.Sprintf("Failed to pull image %q: %s", l.spec.Image, why))
		c.warn(l.spec.Name, "Failed", "Error: ErrImagePull")
		l.pullWait = longer(l.pullWait)
		l.state, l.reason, l.message, l.until = refused, "ErrImagePull", why, c.now.Add(time.Second)
		return
	}
	c.env.Images.Add(l.spec.Image)
	took := l.until.Sub(l.pulling).Truncate(time.Millisecond)
	size := 10<<20 + int64(share(l.spec.Image)*float64(200<<20))
	c.say(l.spec.Name, "Pulled", fmt.Sprintf("Successfully pulled image %q in %v (%v including waiting). Image size: %d bytes.", l.spec.Image, took, took, size))
	l.create(l.until)
}

func (l *life) create(at time.Time) {
	l.state, l.until = creates, at.Add(createTime+l.script.StartAfter)
}

func (l *life) start(c *Course) {
	c.say(l.spec.Name, "Created", "Container created")
	c.say(l.spec.Name, "Started", "Container started")
	l.before, l.done = l.done, nil
	l.since = l.until
	if l.reason != "" { // it has waited for its environment
		l.since = c.now
	}
	l.state, l.until, l.reason, l.message = runs, time.Time{}, "", ""
	l.starts++
	if l.exits(c.pod) {
		l.until = l.since.Add(or(l.script.ExitAfter, workTime))
	}
	if l.script.NeverReady && l.spec.ReadinessProbe != nil {
		c.warn(l.spec.Name, "Unhealthy", "Readiness probe failed: "+script.Prefix+"ready is false")
	}
}

// exits reports whether the container ends by itself.
func (l *life) exits(pod *corev1.Pod) bool {
	return l.script.Exits || l.kind == initial || l.kind == main && finite(pod)
}

// exit ends the container.
func (l *life) exit(c *Course) {
	code := l.script.ExitCode
	if !l.exits(c.pod) || !c.stopping.IsZero() { // SIGTERM ends it
		code = 0
	}
	reason := "Completed"
	if code != 0 {
		reason = "Error"
	}
	l.done = &corev1.ContainerStateTerminated{
		ExitCode: code, Reason: reason, StartedAt: metav1.NewTime(l.since), FinishedAt: metav1.NewTime(l.until), ContainerID: l.id(c.pod),
	}
	l.state, l.until = ended, time.Time{}
}

// restarts reports whether a container that has ended is started again: by its own rules and policy, or else the Pod's.
func (l *life) restarts(pod *corev1.Pod) bool {
	spec := pod.Spec
	if l.kind == initial && spec.RestartPolicy == corev1.RestartPolicyAlways {
		spec.RestartPolicy = corev1.RestartPolicyOnFailure
	}
	return l.kind != ephemeral && podutil.ContainerShouldRestart(*l.spec, spec, l.code())
}

// restart lets the container wait for its next start: the first time it does not wait, and after ten minutes without an end
// neither.
func (l *life) restart(c *Course) {
	now := l.wait
	if l.before != nil && l.done.FinishedAt.Sub(l.before.FinishedAt.Time) > 2*longWait {
		now = 0
	}
	l.wait = longer(now)
	if now == 0 {
		l.pull(c, c.now)
		return
	}
	l.state, l.until, l.reason = backOff, l.done.FinishedAt.Add(now), "CrashLoopBackOff"
	pod := fmt.Sprintf("%s_%s(%s)", c.pod.Name, c.pod.Namespace, c.pod.UID)
	l.message = fmt.Sprintf("back-off %s restarting failed container=%s pod=%s", now, l.spec.Name, pod)
	c.warn(l.spec.Name, "BackOff", fmt.Sprintf("Back-off restarting failed container %s in pod %s", l.spec.Name, pod))
}

// stop ends a container that runs in a moment, and one that does not run at once.
func (l *life) stop(c *Course) {
	switch l.state {
	case runs:
		c.say(l.spec.Name, "Killing", "Stopping container "+l.spec.Name)
		in := stopTime
		if h := l.spec.Lifecycle; h != nil && h.PreStop != nil && h.PreStop.Sleep != nil {
			in += time.Duration(h.PreStop.Sleep.Seconds) * time.Second
		}
		if g := c.pod.DeletionGracePeriodSeconds; g != nil {
			in = min(in, time.Duration(*g)*time.Second)
		}
		l.until = c.now.Add(in)
	case backOff:
		l.state, l.until = ended, time.Time{}
	default:
		l.until = time.Time{}
	}
}

// initialized reports whether the container lets the next ones begin.
func (l *life) initialized(now time.Time) bool {
	switch l.kind {
	case initial:
		return l.state == ended && l.code() == 0
	case sidecar:
		return l.starts > 0 && (l.state != runs || !now.Before(l.startedAt()))
	}
	return true
}

// startedAt is when the startup probe succeeds.
func (l *life) startedAt() time.Time {
	if l.spec.StartupProbe == nil {
		return l.since
	}
	return l.since.Add(first(l.spec.StartupProbe))
}

// readyAt is when the container becomes ready; zero for never.
func (l *life) readyAt() time.Time {
	switch {
	case l.script.NeverReady:
		return time.Time{}
	case l.script.ReadyAfter > 0:
		return later(l.startedAt(), l.since.Add(l.script.ReadyAfter))
	case l.spec.ReadinessProbe != nil:
		return later(l.startedAt(), l.since.Add(first(l.spec.ReadinessProbe)))
	}
	return l.startedAt()
}

// first is when a probe succeeds first, after the start.
func first(p *corev1.Probe) time.Duration {
	return time.Duration(p.InitialDelaySeconds)*time.Second + probeTime
}

// code is the exit code of the last end; -1 if there was none.
func (l *life) code() int32 {
	if l.done == nil {
		return -1
	}
	return l.done.ExitCode
}

// id is that of the container's present or last run.
func (l *life) id(pod *corev1.Pod) string {
	return fmt.Sprintf("simulated://%x", sha256.Sum256(fmt.Appendf(nil, "%s/%s/%d", pod.UID, l.spec.Name, l.starts)))
}

// imageID is the digest of the image; the same image always has the same.
func (l *life) imageID() string {
	return fmt.Sprintf("%s@sha256:%x", l.spec.Image, sha256.Sum256([]byte(l.spec.Image)))
}

// resume goes on where a status says that the container was.
func (l *life) resume(c *Course, s *corev1.ContainerStatus) {
	l.starts = s.RestartCount
	l.done, l.before = s.LastTerminationState.Terminated, s.LastTerminationState.Terminated
	for range s.RestartCount {
		l.wait = longer(l.wait)
	}
	switch {
	case s.State.Running != nil:
		l.state, l.since, l.done = runs, s.State.Running.StartedAt.Time, nil
		l.starts++
		if l.exits(c.pod) {
			l.until = l.since.Add(or(l.script.ExitAfter, workTime))
		}
	case s.State.Terminated != nil:
		l.state, l.done = ended, s.State.Terminated
		l.starts++
	case l.done != nil:
		l.state = ended
		l.starts++
	}
}

// longer is the next back-off.
func longer(d time.Duration) time.Duration { return min(or(2*d, firstWait), longWait) }

// or returns the first time that is not 0.
func or(a, b time.Duration) time.Duration {
	if a > 0 {
		return a
	}
	return b
}

// later returns the later one of two times.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
