package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"

	"kubarium/analysis/doctor"
	"kubarium/app"
	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/flow/recording"
	"kubarium/server/controllers"
)

// clientFor is a client-go client of a server that waits for no rate limit.
func clientFor(t testing.TB, url, agent string) *kubernetes.Clientset {
	t.Helper()
	c, err := kubernetes.NewForConfig(&rest.Config{Host: url, UserAgent: agent, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// examined is what the doctor says of a program's log so far.
func examined(p *program.Program, o doctor.Options) *doctor.Report {
	d := doctor.New(o)
	flows, missed := p.Log.Since(0, 0)
	d.Missed(missed.All())
	for _, f := range flows {
		d.Add(f)
	}
	return d.Report()
}

// Informers, requests as kubectl and a good controller send them, and all of Kubarium's own controllers at their work are no reason for a
// warning.
func TestDoctor_silent(t *testing.T) {
	p := programtest.MustStartConfig(t, program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: 5 * time.Minute, Sync: "off", Controllers: controllers.All()})
	ctx, end := context.WithCancel(context.Background())
	defer end()
	c := clientFor(t, p.URL, "good-controller/v1")
	factory := informers.NewSharedInformerFactory(c, time.Second) // with resyncs
	deployments, maps := factory.Apps().V1().Deployments(), factory.Core().V1().ConfigMaps()
	deployments.Informer()
	maps.Informer()
	factory.Core().V1().Pods().Informer()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	workAsUsual(t, ctx, p, c)
	for {
		one, err := maps.Lister().ConfigMaps("team").List(labels.Everything())
		if err != nil {
			t.Fatal(err)
		}
		if len(one) == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	report := examined(p, doctor.Options{Own: true})
	if report.Flows < 100 || len(report.Clients) < 3 {
		t.Fatalf("%d flows of %d clients: the run is not what it was to be", report.Flows, len(report.Clients))
	}
	for _, f := range report.Findings {
		if f.Severity != doctor.Note {
			t.Errorf("%+v", f)
		}
	}
}

// workAsUsual is what a controller and kubectl do on a good day.
func workAsUsual(t *testing.T, ctx context.Context, p *program.Program, c *kubernetes.Clientset) {
	t.Helper()
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(c.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team"}}, metav1.CreateOptions{}))
	for i := range 20 {
		one := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("c%d", i)}, Data: map[string]string{"a": "1"}}
		must(c.CoreV1().ConfigMaps("team").Create(ctx, one, metav1.CreateOptions{}))
		must(nil, retry.RetryOnConflict(retry.DefaultRetry, func() error {
			got, err := c.CoreV1().ConfigMaps("team").Get(ctx, one.Name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			got.Data["a"] = "2"
			_, err = c.CoreV1().ConfigMaps("team").Update(ctx, got, metav1.UpdateOptions{})
			return err
		}))
	}
	app := map[string]string{"app": "web"}
	web, err := c.AppsV1().Deployments("team").Create(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: app},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: app}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}},
	}}, metav1.CreateOptions{})
	must(web, err)
	web.Status.Replicas, web.Status.ObservedGeneration = 1, web.Generation
	web, err = c.AppsV1().Deployments("team").UpdateStatus(ctx, web, metav1.UpdateOptions{})
	must(web, err)
	web.Labels = app
	must(c.AppsV1().Deployments("team").Update(ctx, web, metav1.UpdateOptions{}))
	k := clientFor(t, p.URL, "kubectl/v1.37.0 (linux/amd64) kubernetes/0")
	must(k.AppsV1().Deployments("team").List(ctx, metav1.ListOptions{Limit: 500}))
	must(k.CoreV1().ConfigMaps("team").Patch(ctx, "c1", types.ApplyPatchType, []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c1"},"data":{"mine":"1"}}`),
		metav1.PatchOptions{FieldManager: "kubectl"}))
	must(nil, k.CoreV1().Namespaces().Delete(ctx, "team", metav1.DeleteOptions{}))
}

// What a controller does wrong against a real server is found as it is in flows made by hand.
func TestDoctor_finds(t *testing.T) {
	p := programtest.MustStart(t, "off")
	ctx := context.Background()
	c := clientFor(t, p.URL, "bad-controller/v1")
	maps := c.CoreV1().ConfigMaps("default")
	one, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c"}, Data: map[string]string{"a": "1"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for range 12 {
		if one, err = maps.Update(ctx, one, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	stale := one.DeepCopy()
	changed := one.DeepCopy()
	changed.Data["a"] = "2"
	if _, err := clientFor(t, p.URL, "other/v1").CoreV1().ConfigMaps("default").Update(ctx, changed, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := maps.Update(ctx, stale, metav1.UpdateOptions{}); err == nil {
		t.Fatal("a stale update is taken")
	}
	stale.ResourceVersion = ""
	if _, err := maps.Update(ctx, stale, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CoreV1().Namespaces().Patch(ctx, "default", types.MergePatchType, []byte(`{"status":{"phase":"Terminating"}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	want := map[string]doctor.Severity{"writes-that-change-nothing": doctor.Warning, "conflicts": doctor.Note, "updates-without-version": doctor.Error, "status-through-main-resource": doctor.Warning}
	for _, f := range examined(p, doctor.Options{}).Findings {
		if want[f.Rule] != f.Severity {
			t.Errorf("%+v", f)
		}
		delete(want, f.Rule)
	}
	if len(want) > 0 {
		t.Errorf("not found: %v", want)
	}
}

// keep writes a program's flows to a file, as /debug/flows tells them.
func keep(t *testing.T, p *program.Program) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "run.jsonl")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := recording.NewWriter(f)
	flows, _ := p.Log.Since(0, 0)
	for _, one := range flows {
		if err := w.Flow(one); err != nil {
			t.Fatal(err)
		}
	}
	return file
}

// writeInVain writes the same object often enough to be told of, without changing it.
func writeInVain(t testing.TB, url string) {
	t.Helper()
	maps := clientFor(t, url, "writer/v1").CoreV1().ConfigMaps("default")
	one, err := maps.Create(context.Background(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "c-"}}, metav1.CreateOptions{})
	for range 12 {
		if err == nil {
			one, err = maps.Update(context.Background(), one, metav1.UpdateOptions{})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// vain is what is said of it.
const vain = "writer/v1 wrote configmaps default/c-"

// A file of flows is examined; what it holds decides the exit code, and the form is as asked.
func TestDoctor_file(t *testing.T) {
	p := programtest.MustStart(t, "off")
	writeInVain(t, p.URL)
	file := keep(t, p)
	report := filepath.Join(t.TempDir(), "report.json")
	for _, c := range []struct {
		args string
		code int
	}{{"", 0}, {"--fail-on error", 0}, {"--fail-on warning", 1}, {"--fail-on writes-that-change-nothing", 1}, {"--fail-on polling,error", 0}} {
		code, out, errs := run(append([]string{"doctor", file}, strings.Fields(c.args)...)...)
		if code != c.code || errs != "" || !strings.Contains(out, vain) {
			t.Errorf("%s: code %d, %s%s", c.args, code, out, errs)
		}
	}
	if code, out, errs := run("doctor", file, "--format", "json", "--out", report); code != 0 || out != "" || errs != "" {
		t.Errorf("code %d, %s%s", code, out, errs)
	}
	var got doctor.Report
	text, err := os.ReadFile(report)
	if err == nil {
		err = json.Unmarshal(text, &got)
	}
	if err != nil || len(got.Findings) != 1 || got.Clients[0].Name != "writer/v1" {
		t.Errorf("%v: %+v", err, got)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	checkDamaged(t, whole)
}

// checkDamaged proves that of a file that is cut everything before the cut is read, and that another file is refused.
func checkDamaged(t *testing.T, whole []byte) {
	t.Helper()
	for name, c := range map[string]struct {
		text string
		code int
		errs string
	}{
		"cut":          {string(whole[:len(whole)-20]), 0, "its last line is cut; "},
		"foreign":      {"hello\n", 1, "is not a file of recorded requests"},
		"in the midst": {string(whole) + "hello\n", 0, "1 of its lines are not recorded requests"},
		"two runs":     {string(whole) + string(whole), 1, "flows must be in the order of their numbers, of one run"},
		"empty":        {"", 0, ""},
	} {
		file := filepath.Join(t.TempDir(), "damaged")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, errs := run("doctor", file)
		if code != c.code || !strings.Contains(errs, c.errs) || c.errs == "" && errs != "" || strings.Count(errs, "\n") > 1 {
			t.Errorf("%s: code %d, %s", name, code, errs)
		}
	}
	if code, _, errs := run("doctor", filepath.Join(t.TempDir(), "none")); code != 2 || !strings.Contains(errs, "no such file") {
		t.Errorf("code %d, %s", code, errs)
	}
}

// A running server is watched for a while: what was before is not reported, and what another program serves is refused.
func TestDoctor_for(t *testing.T) {
	p := programtest.MustStart(t, "off")
	writeInVain(t, p.URL)
	if code, out, errs := run("doctor", "--for", "1ms", "--server", strings.TrimPrefix(p.URL, "http://")); code != 0 || !strings.Contains(out, "Nothing found: ") || !strings.Contains(errs, "watching "+p.URL) {
		t.Errorf("code %d, %s%s", code, out, errs)
	}
	watching, done := &firstWrite{happened: make(chan struct{})}, make(chan string)
	go func() {
		var out bytes.Buffer
		app.Main([]string{"doctor", "--for", "4s", "--server", p.URL}, strings.NewReader(""), &out, watching)
		done <- out.String()
	}()
	<-watching.happened // what is asked from here on is reported
	writeInVain(t, p.URL)
	if out := <-done; !strings.Contains(out, vain) {
		t.Error(out)
	}
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	if code, _, errs := run("doctor", "--for", "1s", "--server", other.URL); code != 1 || !strings.Contains(errs, "/debug/recording answers 404 Not Found: it is not Kubarium") {
		t.Errorf("code %d, %s", code, errs)
	}
	if code, _, errs := run("doctor", "--for", "1s", "--server", "http://127.0.0.1:1"); code != 1 || !strings.Contains(errs, "refused") {
		t.Errorf("code %d, %s", code, errs)
	}
}

// A firstWrite tells when something is written to it.
type firstWrite struct {
	once     sync.Once
	happened chan struct{}
}

func (w *firstWrite) Write(b []byte) (int, error) {
	w.once.Do(func() { close(w.happened) })
	return len(b), nil
}

// A command runs against a server of its own, and ends with its code; what it asked for is reported.
func TestDoctor_command(t *testing.T) {
	if os.Getenv("KUBARIUM_DOCTOR_CHILD") != "" {
		t.Skip("this is the command")
	}
	t.Setenv("KUBARIUM_DOCTOR_CHILD", "write")
	child := []string{"--", os.Args[0], "-test.run", "^TestDoctor_child$"}
	code, out, errs := run(append([]string{"doctor"}, child...)...)
	if code != 0 || !strings.Contains(out, "PASS") || !strings.Contains(out, vain) {
		t.Errorf("code %d, %s%s", code, out, errs)
	}
	if code, _, _ := run(append([]string{"doctor", "--fail-on", "writes-that-change-nothing"}, child...)...); code != 1 {
		t.Errorf("code %d", code)
	}
	t.Setenv("KUBARIUM_DOCTOR_CHILD", "serve")
	if code, out, errs := run(append([]string{"doctor"}, child...)...); code != 0 || !strings.Contains(out, vain) {
		t.Errorf("a server that the command starts: code %d, %s%s", code, out, errs)
	}
	if sh, err := exec.LookPath("sh"); err == nil {
		if code, out, errs := run("doctor", "--", sh, "-c", "exit 7"); code != 7 || !strings.Contains(out, "Nothing found") ||
			!strings.Contains(errs, "the command sent nothing to this server: does it read KUBECONFIG?") {
			t.Errorf("code %d, %s%s", code, out, errs)
		}
	}
	if code, _, errs := run("doctor", "--", filepath.Join(t.TempDir(), "none")); code != 1 || !strings.Contains(errs, "run ") {
		t.Errorf("code %d, %s", code, errs)
	}
}

// TestDoctor_child is the command of TestDoctor_command, in a process of its own.
func TestDoctor_child(t *testing.T) {
	switch os.Getenv("KUBARIUM_DOCTOR_CHILD") {
	case "write":
		writeInVain(t, os.Getenv("KUBERNETES_MASTER"))
	case "serve":
		p := programtest.MustStart(t, "off")
		writeInVain(t, p.URL)
	default:
		t.Skip("not a command of TestDoctor_command")
	}
}

// What makes no sense is said in one line, before anything starts.
func TestDoctor_misuse(t *testing.T) {
	for line, want := range map[string]string{
		"doctor":                            "say what to look at: FILE, --for DURATION or -- COMMAND",
		"doctor a b":                        `unexpected argument "b"; put a command after --`,
		"doctor a --for 1s":                 "FILE, --for and -- COMMAND exclude each other",
		"doctor --for 1s -- true":           "FILE, --for and -- COMMAND exclude each other",
		"doctor --":                         "a command must follow --",
		"doctor --for -1s":                  "--for must be more than 0, not -1s",
		"doctor --for soon":                 "--for soon: must be a time such as 30s or 5m",
		"doctor a --server http://x":        "--server and --kubeconfig need --for DURATION",
		"doctor a --format xml":             "--format xml: must be text, json, junit, sarif or html",
		"doctor --format sarif -- true":     "--format sarif needs --out FILE, since the command writes to stdout as well",
		"doctor a --fail-on warn":           `--fail-on: unknown rule or severity "warn"`,
		"doctor a --fail-on error,conflict": `--fail-on: unknown rule or severity "conflict", did you mean conflicts?`,
	} {
		code, out, errs := run(strings.Fields(line)...)
		if code != 2 || out != "" || errs != "kubarium: "+want+"\n" {
			t.Errorf("%s: code %d, stdout %q, stderr %q; want %q", line, code, out, errs, want)
		}
	}
}
