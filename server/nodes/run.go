package nodes

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/reference"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"

	"kubarium/server/nodes/course"
	"kubarium/server/nodes/script"
)

// A run is one Pod on its node. One worker at a time has it.
type run struct {
	uid     types.UID
	node    *node
	course  *course.Course
	gone    bool          // it was deleted for good; a watch may not have brought that yet
	written []byte        // the status that was written last, as JSON: a watch may not have brought it yet
	missing string        // what was reported as missing last
	wait    time.Duration // until what is missing is looked for again
}

func newRun(pod *corev1.Pod, n *node) *run {
	r := &run{uid: pod.UID, node: n, course: course.New(pod, time.Now())}
	for _, wrong := range script.Check(pod) {
		n.record.Event(pod, corev1.EventTypeWarning, "InvalidAnnotation", wrong.Error())
	}
	return r
}

// sync takes the Pod to the present: it writes its status, reports events, and deletes a Pod that has ended for good.
func (r *run) sync(ctx context.Context, pod *corev1.Pod) (again time.Duration, err error) {
	if r.gone {
		return 0, nil
	}
	env := course.Env{HostIP: r.node.host(), PodIP: r.node.address(pod), Images: r.node}
	if pod.DeletionTimestamp == nil && !settled(pod.Status.Phase) {
		if !r.course.Begun() {
			if env.Unmounted, err = r.node.unmounted(ctx, pod); err != nil {
				return 0, err
			}
		}
		if env.Unset, err = r.node.unset(ctx, pod); err != nil {
			return 0, err
		}
	}
	now := time.Now()
	report := r.course.Step(pod, env, now)
	if err := r.write(ctx, pod, &report.Status); err != nil {
		return 0, err
	}
	if podutil.IsPodPhaseTerminal(report.Status.Phase) {
		r.node.leave(r.uid)
	}
	for _, e := range report.Events {
		if e.Reason == "FailedMount" && e.Message == r.missing {
			continue // it is asked for again and again
		}
		if e.Reason == "FailedMount" {
			r.missing = e.Message
		}
		r.report(pod, e)
	}
	if env.Unmounted == "" && len(env.Unset) == 0 {
		r.wait = 0
	}
	switch {
	case report.Gone:
		err := forget(ctx, r.node.api, pod)
		r.gone = err == nil
		return 0, err
	case env.Unmounted != "" || len(env.Unset) > 0:
		r.wait = min(max(firstRetry, 2*r.wait), lastRetry)
		return r.wait, nil
	case report.Next.IsZero():
		return 0, nil
	}
	return max(time.Millisecond, time.Until(report.Next)), nil
}

// refuse writes that the node does not take the Pod.
func (r *run) refuse(ctx context.Context, pod *corev1.Pod, why *course.Refusal) error {
	status := why.Status(pod, time.Now())
	if err := r.write(ctx, pod, &status); err != nil {
		return err
	}
	r.report(pod, course.Event{Type: corev1.EventTypeWarning, Reason: why.Reason, Message: why.Message})
	return nil
}

// settled reports whether a Pod needs nothing more of others.
func settled(p corev1.PodPhase) bool { return p == corev1.PodRunning || podutil.IsPodPhaseTerminal(p) }

// report records an event, of the Pod or of one of its containers.
func (r *run) report(pod *corev1.Pod, e course.Event) {
	ref, err := reference.GetReference(scheme.Scheme, pod)
	if err != nil {
		return
	}
	if e.Container != "" {
		ref.FieldPath = fmt.Sprintf("spec.%s{%s}", listOf(pod, e.Container), e.Container)
	}
	r.node.record.Event(ref, e.Type, e.Reason, e.Message)
}

// listOf is the list of a Pod's spec that has a container.
func listOf(pod *corev1.Pod, container string) string {
	for _, c := range pod.Spec.InitContainers {
		if c.Name == container {
			return "initContainers"
		}
	}
	for _, c := range pod.Spec.EphemeralContainers {
		if c.Name == container {
			return "ephemeralContainers"
		}
	}
	return "containers"
}

// write patches the Pod's status if it is another one. The Pod may be gone.
func (r *run) write(ctx context.Context, pod *corev1.Pod, status *corev1.PodStatus) error {
	before, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": pod.UID}, "status": &pod.Status})
	if err != nil {
		return err
	}
	after, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": pod.UID}, "status": status})
	if err != nil || bytes.Equal(before, after) || bytes.Equal(r.written, after) {
		return err
	}
	patch, err := strategicpatch.CreateTwoWayMergePatch(before, after, &corev1.Pod{})
	if err != nil {
		return err
	}
	patch, err = withUID(patch, pod.UID)
	if err != nil {
		return err
	}
	_, err = r.node.api.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) { // it is gone, or another Pod has its name
		return nil
	}
	if err == nil {
		r.written = after
	}
	return err
}

// withUID makes a patch be refused for another Pod of the same name.
func withUID(patch []byte, uid types.UID) ([]byte, error) {
	var p map[string]any
	if err := json.Unmarshal(patch, &p); err != nil {
		return nil, err
	}
	p["metadata"] = map[string]any{"uid": uid}
	return json.Marshal(p)
}
