package script_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/server/nodes/script"
)

func podOf(annotations map[string]string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{}}}
	for k, v := range annotations {
		p.Annotations[script.Prefix+k] = v
	}
	p.Spec.InitContainers = []corev1.Container{{Name: "first"}}
	p.Spec.Containers = []corev1.Container{{Name: "web"}, {Name: "log"}}
	return p
}

// An annotation of a container overrides that of the Pod, and both count.
func TestOf(t *testing.T) {
	p := podOf(map[string]string{
		"exit-code": "3", "web.exit-code": "0", "exit-after": "2s", "web.ready": "false", "ready-after": "1m", "start-after": "500ms",
		"pull-error": "no such image", "logs": "", "web.logs": "hello", "exec": "uid=0", "web.exec-code": "7",
	})
	web, log := script.Of(p, "web"), script.Of(p, "log")
	if !web.Exits || web.ExitCode != 0 || web.ExitAfter != 2*time.Second || !web.NeverReady || web.ReadyAfter != time.Minute || web.StartAfter != time.Second/2 || web.PullError != "no such image" {
		t.Errorf("web: %+v", web)
	}
	if *web.Logs != "hello" || *web.Exec != (script.Exec{Text: "uid=0", Code: 7}) {
		t.Errorf("web: %q %+v", *web.Logs, web.Exec)
	}
	if log.ExitCode != 3 || log.NeverReady || *log.Logs != "" || *log.Exec != (script.Exec{Text: "uid=0"}) {
		t.Errorf("log: %+v", log)
	}
	if s := script.Of(podOf(nil), "web"); s != (script.Script{}) {
		t.Errorf("without annotations: %+v", s)
	}
}

// An annotation that cannot be read changes nothing, and Check reports it.
func TestCheck(t *testing.T) {
	for key, c := range map[string]struct{ value, want string }{
		"exit-code":       {"256", `must be an exit code from 0 to 255, not "256"`},
		"exec-code":       {"-1", `must be an exit code from 0 to 255, not "-1"`},
		"exit-after":      {"soon", `must be a time of more than 0 and at most 24h, such as 1.5s, not "soon"`},
		"ready-after":     {"25h", `must be a time of more than 0`},
		"start-after":     {"0s", `must be a time of more than 0`},
		"ready":           {"maybe", `must be true or false, not "maybe"`},
		"exit":            {"1", `"exit" is none of exec, exec-code, exit-after, exit-code, logs, pull-error, ready, ready-after, start-after`},
		"other.exit-code": {"1", `the Pod has no container "other"`},
	} {
		p := podOf(map[string]string{key: c.value})
		wrong := script.Check(p)
		if len(wrong) != 1 || !strings.HasPrefix(wrong[0].Error(), "annotation "+script.Prefix+key+": "+c.want) {
			t.Errorf("%s: %v", key, wrong)
		}
		if s := script.Of(p, "web"); s != (script.Script{}) {
			t.Errorf("%s: %+v", key, s)
		}
	}
	if wrong := script.Check(podOf(map[string]string{"first.exit-code": "0", "logs": "x", "ready": "true"})); wrong != nil {
		t.Error(wrong)
	}
}
