// Package kubelet answers what kube-apiserver hands on to a kubelet, for Pods on simulated nodes: their annotations say what a
// container has written and what a command in it answers (package script). Where they do not, nothing runs, and that is said.
package kubelet

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"kubarium/server/nodes/script"
)

// A Container is one of a Pod on a simulated node.
type Container struct {
	Pod  *corev1.Pod
	Name string // "" for the Pod as a whole
}

// nothing says that there is nothing to see.
func (c Container) nothing() string {
	if c.Name == "" {
		return fmt.Sprintf("pod %s/%s is simulated by Kubarium: nothing runs in it", c.Pod.Namespace, c.Pod.Name)
	}
	return fmt.Sprintf("container %s of pod %s/%s is simulated by Kubarium: nothing runs in it", c.Name, c.Pod.Namespace, c.Pod.Name)
}

func (c Container) script() script.Script { return script.Of(c.Pod, c.Name) }

// status is that of the container; nil if the Pod has none of it yet.
func (c Container) status() *corev1.ContainerStatus {
	for _, list := range [][]corev1.ContainerStatus{c.Pod.Status.InitContainerStatuses, c.Pod.Status.ContainerStatuses, c.Pod.Status.EphemeralContainerStatuses} {
		for i := range list {
			if list[i].Name == c.Name {
				return &list[i]
			}
		}
	}
	return nil
}

// Logs is what the container has written, by the options of a kubelet's query. Errors are a kubelet's.
func (c Container) Logs(q url.Values) ([]byte, error) {
	started, err := c.started(q.Get("previous") == "true")
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	text := c.nothing()
	if logs := c.script().Logs; logs != nil {
		text = *logs
	}
	if since(q, time.Now()).After(started) || text == "" {
		return []byte{}, nil
	}
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n")+"\n", "\n")
	lines = lines[:len(lines)-1]
	if n, err := strconv.Atoi(q.Get("tailLines")); err == nil {
		lines = lines[max(0, len(lines)-n):]
	}
	var out bytes.Buffer
	for _, line := range lines {
		if q.Get("timestamps") == "true" {
			out.WriteString(started.UTC().Format(time.RFC3339Nano) + " ")
		}
		out.WriteString(line)
	}
	if n, err := strconv.Atoi(q.Get("limitBytes")); err == nil {
		out.Truncate(min(n, out.Len()))
	}
	return out.Bytes(), nil
}

// since is the time before which lines are left out.
func since(q url.Values, now time.Time) time.Time {
	if n, err := strconv.Atoi(q.Get("sinceSeconds")); err == nil {
		return now.Add(-time.Duration(n) * time.Second)
	}
	at, _ := time.Parse(time.RFC3339, q.Get("sinceTime")) // the API server has checked it; zero for none
	return at
}

// started is when the run began whose logs are asked for: the present one, else the last one. Errors are in the kubelet's
// words (pkg/kubelet, validateContainerLogStatus).
func (c Container) started(previous bool) (time.Time, error) {
	s := c.status()
	switch {
	case s == nil:
		return time.Time{}, fmt.Errorf("container %q in pod %q is not available", c.Name, c.Pod.Name)
	case previous && s.LastTerminationState.Terminated == nil:
		return time.Time{}, fmt.Errorf("previous terminated container %q in pod %q not found", c.Name, c.Pod.Name)
	case previous:
		return s.LastTerminationState.Terminated.StartedAt.Time, nil
	case s.State.Running != nil:
		return s.State.Running.StartedAt.Time, nil
	case s.State.Terminated != nil:
		return s.State.Terminated.StartedAt.Time, nil
	case s.LastTerminationState.Terminated != nil:
		return s.LastTerminationState.Terminated.StartedAt.Time, nil
	}
	why := s.State.Waiting.Reason
	switch why {
	case "ErrImagePull":
		why = "image can't be pulled"
	case "ImagePullBackOff":
		why = "trying and failing to pull image"
	}
	return time.Time{}, fmt.Errorf("container %q in pod %q is waiting to start: %s", c.Name, c.Pod.Name, why)
}

// Runs reports whether the container runs.
func (c Container) Runs() bool {
	s := c.status()
	return s != nil && s.State.Running != nil
}

// followEvery is how often a log that is followed looks whether its container still runs.
const followEvery = 250 * time.Millisecond

// Follow writes logs, and returns when the container has ended, or the client is gone. again reads the container as it is; it
// fails when the Pod is gone.
func Follow(ctx context.Context, w http.ResponseWriter, logs []byte, again func() (Container, error)) {
	w.Header().Set("Content-Type", "text/plain")
	if _, err := w.Write(logs); err != nil || http.NewResponseController(w).Flush() != nil {
		return
	}
	ticks := time.NewTicker(followEvery)
	defer ticks.Stop()
	for {
		if c, err := again(); err != nil || !c.Runs() {
			return
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// Refusal is the answer to what cannot be done in the container: a command without an answer, a port.
func (c Container) Refusal() error { return apierrors.NewBadRequest(c.nothing()) }

// Answer is what a command in the container answers; for attach it is what the container has written. It is nil where the
// annotations say nothing. Errors are a kubelet's: the container must run.
func (c Container) Answer(subresource string) (*script.Exec, error) {
	if !c.Runs() {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("container not found (%q)", c.Name))
	}
	s := c.script()
	switch {
	case subresource == "exec":
		return s.Exec, nil
	case subresource == "attach" && s.Logs != nil:
		return &script.Exec{Text: *s.Logs}, nil
	}
	return nil, nil
}
