package course_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/server/nodes/course"
	"kubarium/server/nodes/script"
)

var start = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// images are those of a node.
type images map[string]bool

func (i images) Has(image string) bool { return i[image] }
func (i images) Add(image string)      { i[image] = true }

// A life is a Pod with its course, and what has been seen of it: a line for each change, with its second.
type life struct {
	pod    *corev1.Pod
	env    course.Env
	course *course.Course
	now    time.Time
	next   time.Time
	gone   bool
	seen   []string
	events []string
}

func podOf(change func(*corev1.Pod)) *life {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default", UID: "u", Generation: 1, Annotations: map[string]string{}}}
	p.Spec.RestartPolicy = corev1.RestartPolicyAlways
	p.Spec.Containers = []corev1.Container{{Name: "c", Image: "nginx"}}
	p.Status.Phase = corev1.PodPending
	if change != nil {
		change(p)
	}
	l := &life{pod: p, now: start, env: course.Env{HostIP: "198.51.100.1", PodIP: "10.244.0.2", Images: images{}}}
	l.course = course.New(p, start)
	l.step()
	return l
}

// step takes the Pod to l.now.
func (l *life) step() {
	r := l.course.Step(l.pod, l.env, l.now)
	l.pod.Status, l.next, l.gone = r.Status, r.Next, r.Gone
	for _, e := range r.Events {
		l.events = append(l.events, e.Reason)
	}
	line := brief(r.Status)
	if n := len(l.seen); n == 0 || !strings.HasSuffix(l.seen[n-1], " "+line) {
		l.seen = append(l.seen, fmt.Sprintf("%.0f %s", l.now.Sub(start).Seconds(), line))
	}
}

// run steps whenever the course goes on by itself, for a time.
func (l *life) run(d time.Duration) *life {
	for end := l.now.Add(d); ; l.step() {
		if l.next.IsZero() || l.next.After(end) {
			l.now = end
			return l
		}
		l.now = l.next
	}
}

// brief is a status in a line: the phase, whether it is ready, and the containers.
func brief(s corev1.PodStatus) string {
	text := string(s.Phase)
	for _, c := range s.Conditions {
		if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
			text += " ready"
		}
	}
	for _, c := range slices.Concat(s.InitContainerStatuses, s.ContainerStatuses) {
		text += " " + c.Name + "="
		switch {
		case c.State.Running != nil:
			text += "runs"
		case c.State.Waiting != nil:
			text += c.State.Waiting.Reason
		case c.State.Terminated != nil:
			text += fmt.Sprintf("%s(%d)", c.State.Terminated.Reason, c.State.Terminated.ExitCode)
		}
		if c.RestartCount > 0 {
			text += fmt.Sprintf("x%d", c.RestartCount)
		}
	}
	return text
}

func annotate(name, v string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Annotations[script.Prefix+name] = v }
}

func all(changes ...func(*corev1.Pod)) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		for _, c := range changes {
			c(p)
		}
	}
}

func never(p *corev1.Pod)     { p.Spec.RestartPolicy = corev1.RestartPolicyNever }
func onFailure(p *corev1.Pod) { p.Spec.RestartPolicy = corev1.RestartPolicyOnFailure }
func ofJob(p *corev1.Pod) {
	yes := true
	p.OwnerReferences = []metav1.OwnerReference{{Kind: "Job", Name: "j", Controller: &yes}}
}

func initOf(name string, change func(*corev1.Container)) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		c := corev1.Container{Name: name, Image: "busybox"}
		if change != nil {
			change(&c)
		}
		p.Spec.InitContainers = append(p.Spec.InitContainers, c)
	}
}

func always(c *corev1.Container) {
	p := corev1.ContainerRestartPolicyAlways
	c.RestartPolicy = &p
}

// How Pods go on by themselves, with the second of each change.
func TestCourse(t *testing.T) {
	for name, c := range map[string]struct {
		pod  func(*corev1.Pod)
		run  time.Duration
		want string
	}{
		"runs": {nil, time.Hour, "0 Pending c=ContainerCreating|1 Running ready c=runs"},
		"init containers in order": {all(initOf("a", nil), initOf("b", nil)), time.Hour,
			"0 Pending a=ContainerCreating b=ContainerCreating c=PodInitializing|1 Pending a=runs b=ContainerCreating c=PodInitializing|" +
				"2 Pending a=Completed(0) b=ContainerCreating c=PodInitializing|2 Pending a=Completed(0) b=runs c=PodInitializing|" +
				"3 Pending a=Completed(0) b=Completed(0) c=PodInitializing|4 Running ready a=Completed(0) b=Completed(0) c=runs"},
		"a failing init container, Never": {all(never, initOf("a", nil), annotate("a.exit-code", "2")), time.Hour,
			"0 Pending a=ContainerCreating c=PodInitializing|1 Pending a=runs c=PodInitializing|2 Failed a=Error(2) c=PodInitializing"},
		"a sidecar and a Job": {all(ofJob, never, initOf("s", always)), time.Hour,
			"0 Pending s=ContainerCreating c=PodInitializing|0 Pending s=runs c=PodInitializing|1 Running ready s=runs c=runs|" +
				"2 Running s=runs c=Completed(0)|2 Succeeded s=Completed(0) c=Completed(0)"},
		"a Job":                   {all(ofJob, onFailure), time.Hour, "0 Pending c=ContainerCreating|1 Running ready c=runs|2 Succeeded c=Completed(0)"},
		"a Job that fails, Never": {all(ofJob, never, annotate("exit-code", "3")), time.Hour, "0 Pending c=ContainerCreating|1 Running ready c=runs|2 Failed c=Error(3)"},
		"exit after a time":       {all(never, annotate("exit-after", "1m")), time.Hour, "0 Pending c=ContainerCreating|1 Running ready c=runs|61 Succeeded c=Completed(0)"},
		"a crash loop": {annotate("exit-code", "1"), 50 * time.Second,
			"0 Pending c=ContainerCreating|1 Running ready c=runs|2 Running c=Error(1)|2 Running ready c=runsx1|" +
				"3 Running c=CrashLoopBackOffx1|13 Running c=Error(1)x1|13 Running ready c=runsx2|14 Running c=CrashLoopBackOffx2|34 Running c=Error(1)x2|34 Running ready c=runsx3|35 Running c=CrashLoopBackOffx3"},
		"a rule of its own": {all(never, annotate("exit-code", "42"), func(p *corev1.Pod) {
			policy := corev1.ContainerRestartPolicyNever
			p.Spec.Containers[0].RestartPolicy = &policy
			p.Spec.Containers[0].RestartPolicyRules = []corev1.ContainerRestartRule{{Action: corev1.ContainerRestartRuleActionRestart,
				ExitCodes: &corev1.ContainerRestartRuleOnExitCodes{Operator: corev1.ContainerRestartRuleOnExitCodesOpIn, Values: []int32{42}}}}
		}), 5 * time.Second, "0 Pending c=ContainerCreating|1 Running ready c=runs|2 Running c=Error(42)|2 Running ready c=runsx1|3 Running c=CrashLoopBackOffx1"},
		"a policy of its own": {all(annotate("exit-code", "1"), func(p *corev1.Pod) {
			policy := corev1.ContainerRestartPolicyNever
			p.Spec.Containers[0].RestartPolicy = &policy
		}), time.Hour, "0 Pending c=ContainerCreating|1 Running ready c=runs|2 Failed c=Error(1)"},
		"an image that cannot be pulled": {annotate("pull-error", "no such image"), 30 * time.Second,
			"0 Pending c=ContainerCreating|1 Pending c=ErrImagePull|2 Pending c=ImagePullBackOff|12 Pending c=ContainerCreating|12 Pending c=ErrImagePull|13 Pending c=ImagePullBackOff"},
		"never ready": {annotate("ready", "false"), time.Hour, "0 Pending c=ContainerCreating|1 Running c=runs"},
		"ready later": {annotate("ready-after", "5s"), time.Hour, "0 Pending c=ContainerCreating|1 Running c=runs|6 Running ready c=runs"},
		"slow start":  {annotate("start-after", "7s"), time.Hour, "0 Pending c=ContainerCreating|8 Running ready c=runs"},
		"probes": {func(p *corev1.Pod) {
			p.Spec.Containers[0].StartupProbe, p.Spec.Containers[0].ReadinessProbe = &corev1.Probe{InitialDelaySeconds: 2}, &corev1.Probe{InitialDelaySeconds: 4}
		}, time.Hour, "0 Pending c=ContainerCreating|1 Running c=runs|5 Running ready c=runs"},
		"a deadline": {func(p *corev1.Pod) { d := int64(9); p.Spec.ActiveDeadlineSeconds = &d }, time.Hour, "0 Pending c=ContainerCreating|1 Running ready c=runs|9 Failed c=Completed(0)"},
		"a readiness gate": {func(p *corev1.Pod) { p.Spec.ReadinessGates = []corev1.PodReadinessGate{{ConditionType: "x"}} }, time.Hour,
			"0 Pending c=ContainerCreating|1 Running c=runs"},
	} {
		l := podOf(c.pod).run(c.run)
		if got := strings.Join(l.seen, "|"); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, c.want)
		}
	}
}

// A Pod that is deleted ends its containers within its grace, and is gone then.
func TestCourse_Deleted(t *testing.T) {
	l := podOf(nil).run(time.Minute)
	grace := int64(30)
	l.pod.DeletionTimestamp, l.pod.DeletionGracePeriodSeconds = &metav1.Time{Time: l.now}, &grace
	if l.step(); l.gone || l.next.IsZero() {
		t.Fatalf("gone at once, or never: %v", l.next)
	}
	if l.run(time.Second); !l.gone || l.seen[len(l.seen)-1] != "60 Succeeded c=Completed(0)" {
		t.Errorf("%v %q", l.gone, l.seen)
	}
	if want := []string{"Pulling", "Pulled", "Created", "Started", "Killing"}; !slices.Equal(l.events, want) {
		t.Errorf("events %q", l.events)
	}
	waits := podOf(annotate("pull-error", "none")).run(5 * time.Second)
	waits.pod.DeletionTimestamp, waits.pod.DeletionGracePeriodSeconds = &metav1.Time{Time: waits.now}, &grace
	if waits.step(); !waits.gone {
		t.Error("a Pod of which nothing runs is not gone at once")
	}
}

// A volume that is missing keeps all containers waiting, and an environment its own one.
func TestCourse_Missing(t *testing.T) {
	l := podOf(nil)
	other := podOf(func(p *corev1.Pod) { p.UID = "other" })
	other.env.Unset = map[string]string{"c": `configmap "x" not found`}
	l.pod.Status = corev1.PodStatus{Phase: corev1.PodPending}
	l.course = course.New(l.pod, start)
	l.env.Unmounted = `MountVolume.SetUp failed for volume "v" : secret "s" not found`
	if l.step(); !l.next.IsZero() || l.course.Begun() || l.events[len(l.events)-1] != "FailedMount" {
		t.Fatalf("%v %q", l.next, l.events)
	}
	l.env.Unmounted = ""
	if l.step(); !l.course.Begun() {
		t.Fatal("it does not begin")
	}
	if l.run(time.Minute); l.pod.Status.Phase != corev1.PodRunning {
		t.Errorf("%q", l.seen)
	}
	if other.run(time.Minute); other.seen[len(other.seen)-1] != "1 Pending c=CreateContainerConfigError" {
		t.Errorf("%q", other.seen)
	}
	other.env.Unset = nil
	if other.step(); other.seen[len(other.seen)-1] != "60 Running ready c=runs" {
		t.Errorf("%q", other.seen)
	}
}

// A course that begins with a status goes on from there: containers are not started again, and back-off has its length.
func TestCourse_Resumes(t *testing.T) {
	l := podOf(annotate("web", "")).run(time.Minute)
	again := course.New(l.pod, l.now)
	if r := again.Step(l.pod, l.env, l.now); len(r.Events) > 0 || brief(r.Status) != "Running ready c=runs" {
		t.Errorf("%s %v", brief(r.Status), r.Events)
	}
	crash := podOf(annotate("exit-code", "1")).run(20 * time.Second) // waits until 34
	crash.course, crash.seen = course.New(crash.pod, crash.now), nil
	crash.step()
	crash.run(30 * time.Second)
	if got := strings.Join(crash.seen, "|"); got != "20 Running c=CrashLoopBackOffx2|34 Running c=Error(1)x2|34 Running ready c=runsx3|35 Running c=CrashLoopBackOffx3" {
		t.Error(got)
	}
}

// Conditions have the kubelet's reasons and messages.
func TestCourse_Conditions(t *testing.T) {
	l := podOf(initOf("a", nil))
	for _, want := range []corev1.PodCondition{
		{Type: corev1.PodInitialized, Status: corev1.ConditionFalse, Reason: "ContainersNotInitialized", Message: "containers with incomplete status: [a]"},
		{Type: corev1.ContainersReady, Status: corev1.ConditionFalse, Reason: "ContainersNotReady", Message: "containers with unready status: [c]"},
	} {
		i := slices.IndexFunc(l.pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == want.Type })
		got := l.pod.Status.Conditions[i]
		if got.Status != want.Status || got.Reason != want.Reason || got.Message != want.Message || got.ObservedGeneration != 1 {
			t.Errorf("%+v", got)
		}
	}
}
