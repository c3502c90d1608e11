package kubelet_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/util/exec"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/server/kubelet"
	"kubarium/server/nodes/script"
)

func containerOf(change func(*corev1.Pod)) kubelet.Container {
	at := metav1.NewTime(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default", Annotations: map[string]string{script.Prefix + "logs": "one\ntwo\nthree"}}}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "c", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at}}}}
	if change != nil {
		change(pod)
	}
	return kubelet.Container{Pod: pod, Name: "c"}
}

// Logs are what the annotation says, cut as a kubelet's query asks.
func TestContainer_Logs(t *testing.T) {
	c := containerOf(nil)
	for query, want := range map[string]string{
		"":                               "one\ntwo\nthree\n",
		"tailLines=1":                    "three\n",
		"tailLines=0":                    "",
		"tailLines=9":                    "one\ntwo\nthree\n",
		"limitBytes=5":                   "one\nt",
		"timestamps=true&tailLines=1":    "2026-01-01T12:00:00Z three\n",
		"sinceTime=2026-01-01T12:00:01Z": "",
		"sinceTime=2026-01-01T11:00:00Z": "one\ntwo\nthree\n",
		"sinceSeconds=1":                 "",
	} {
		q, _ := url.ParseQuery(query)
		if got, err := c.Logs(q); string(got) != want || err != nil {
			t.Errorf("%s: %q %v", query, got, err)
		}
	}
	mute := containerOf(func(p *corev1.Pod) { p.Annotations = nil })
	if got, _ := mute.Logs(nil); string(got) != "container c of pod default/web is simulated by Kubarium: nothing runs in it\n" {
		t.Errorf("%q", got)
	}
}

// A container that has not run has no logs, in a kubelet's words.
func TestContainer_LogsRefused(t *testing.T) {
	waits := func(reason string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Status.ContainerStatuses[0].State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}
		}
	}
	for _, c := range []struct {
		pod         func(*corev1.Pod)
		query, want string
	}{
		{nil, "previous=true", `previous terminated container "c" in pod "web" not found`},
		{waits("ContainerCreating"), "", `container "c" in pod "web" is waiting to start: ContainerCreating`},
		{waits("ErrImagePull"), "", `container "c" in pod "web" is waiting to start: image can't be pulled`},
		{waits("ImagePullBackOff"), "", `container "c" in pod "web" is waiting to start: trying and failing to pull image`},
		{func(p *corev1.Pod) { p.Status.ContainerStatuses = nil }, "", `container "c" in pod "web" is not available`},
	} {
		q, _ := url.ParseQuery(c.query)
		if _, err := containerOf(c.pod).Logs(q); err == nil || err.Error() != c.want {
			t.Errorf("%v", err)
		}
	}
	ended := containerOf(func(p *corev1.Pod) {
		p.Status.ContainerStatuses[0].State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
		p.Status.ContainerStatuses[0].LastTerminationState.Terminated = &corev1.ContainerStateTerminated{}
	})
	for _, query := range []string{"", "previous=true"} {
		q, _ := url.ParseQuery(query)
		if got, err := ended.Logs(q); err != nil || !strings.HasPrefix(string(got), "one") {
			t.Errorf("%s: %q %v", query, got, err)
		}
	}
}

// Official clients read logs, follow them until the container ends, and execute commands by both protocols.
func TestCommand(t *testing.T) {
	c := program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "off", Nodes: 1}
	c.Admission.Disable = []string{"ServiceAccount"}
	p := programtest.MustStartConfig(t, c)
	config := &rest.Config{Host: p.URL}
	api := kubernetes.NewForConfigOrDie(config)
	ctx, end := context.WithTimeout(t.Context(), time.Minute)
	defer end()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web", Annotations: map[string]string{
		script.Prefix + "logs": "one", script.Prefix + "said.exec": "uid=0", script.Prefix + "said.exec-code": "3", script.Prefix + "said.exit-after": "4s",
	}}}
	no := false
	pod.Spec = corev1.PodSpec{NodeName: "node-1", RestartPolicy: corev1.RestartPolicyNever, AutomountServiceAccountToken: &no,
		Containers: []corev1.Container{{Name: "said", Image: "i"}, {Name: "mute", Image: "i"}}}
	if _, err := api.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	programtest.Eventually(t, "both containers run", func() bool {
		got, err := api.CoreV1().Pods("default").Get(ctx, "web", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return !slices.ContainsFunc(got.Status.ContainerStatuses, func(s corev1.ContainerStatus) bool { return s.State.Running == nil }) && len(got.Status.ContainerStatuses) == 2
	})
	for _, spdy := range []bool{false, true} {
		for container, want := range map[string]string{"said": "uid=0\n command terminated with exit code 3", "mute": " unable to upgrade connection: container mute of pod default/web is simulated by Kubarium: nothing runs in it"} {
			var out bytes.Buffer
			err := execute(ctx, config, api, container, spdy, &out)
			if err == nil {
				t.Fatalf("%s: no error", container)
			}
			code := exec.CodeExitError{}
			if got := out.String() + " " + err.Error(); !strings.Contains(got, strings.TrimPrefix(want, " unable to upgrade connection: ")) && got != want || errors.As(err, &code) != (container == "said") {
				t.Errorf("SPDY %v, %s: %q", spdy, container, got)
			}
		}
	}
	logs, err := api.CoreV1().Pods("default").GetLogs("web", &corev1.PodLogOptions{Container: "said", Follow: true}).Stream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(logs); string(text) != "one\n" || err != nil { // it ends with the container
		t.Errorf("%q %v", text, err)
	}
	if err := execute(ctx, config, api, "said", false, io.Discard); err == nil || errors.As(err, &exec.CodeExitError{}) {
		t.Errorf("a command in a container that has ended: %v", err)
	}
}

func execute(ctx context.Context, config *rest.Config, api kubernetes.Interface, container string, spdy bool, out io.Writer) error {
	at := api.CoreV1().RESTClient().Post().Resource("pods").Namespace("default").Name("web").SubResource("exec").
		Param("container", container).Param("stdout", "true").Param("stderr", "true").Param("command", "id").URL()
	var e remotecommand.Executor
	var err error
	if spdy {
		e, err = remotecommand.NewSPDYExecutor(config, "POST", at)
	} else {
		e, err = remotecommand.NewWebSocketExecutor(config, "GET", at.String())
	}
	if err != nil {
		return err
	}
	return e.StreamWithContext(ctx, remotecommand.StreamOptions{Stdout: out, Stderr: io.Discard})
}
