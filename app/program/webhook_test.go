package program_test

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/typed/core/v1"

	"kubarium/app/program/programtest"
)

// mutating is a mutating webhook for creates of ConfigMaps that are labelled hook=NAME, which must not fail.
func mutating(name string, client admissionregistrationv1.WebhookClientConfig, change func(*admissionregistrationv1.MutatingWebhook)) admissionregistrationv1.MutatingWebhook {
	none, fail := admissionregistrationv1.SideEffectClassNone, admissionregistrationv1.Fail
	w := admissionregistrationv1.MutatingWebhook{
		Name: name + ".example.com", ClientConfig: client, Rules: programtest.Rules(admissionregistrationv1.Create), FailurePolicy: &fail, SideEffects: &none,
		AdmissionReviewVersions: []string{"v1"}, ObjectSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"hook": name}},
	}
	if change != nil {
		change(&w)
	}
	return w
}

// mustFollow installs webhooks and waits until they are asked: the last of them is one that refuses whatever is labelled "last".
func mustFollow(t *testing.T, client kubernetes.Interface, hooks ...admissionregistrationv1.MutatingWebhook) {
	t.Helper()
	last := programtest.MustHook(t, func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		return &admissionv1.AdmissionResponse{Result: &metav1.Status{Message: "last"}}
	})
	must[*admissionregistrationv1.MutatingWebhookConfiguration](t)(client.AdmissionregistrationV1().MutatingWebhookConfigurations().Create(t.Context(),
		&admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "m"}, Webhooks: append(hooks, mutating("last", last.Client(), nil))}, metav1.CreateOptions{}))
	programtest.Eventually(t, "the webhooks are followed", func() bool {
		_, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), labelled("last", "last"), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err != nil
	})
}

// labelled is a ConfigMap that the webhook of that name is asked about.
func labelled(name, hook string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"hook": hook}}, Data: map[string]string{"n": "0"}}
}

// at makes a server's webhook of what answers.
func at(t *testing.T, handle http.HandlerFunc) admissionregistrationv1.WebhookClientConfig {
	t.Helper()
	h := &programtest.Hook{Server: httptest.NewTLSServer(handle)}
	t.Cleanup(h.Close)
	return h.Client()
}

// A webhook that lies, fails or is not there gets its request refused in kube-apiserver's words, or is ignored, and nothing is stored.
func TestWebhooks_failing(t *testing.T) {
	_, client := mustGuard(t)
	ignore, quiet := admissionregistrationv1.Ignore, admissionregistrationv1.SideEffectClassNoneOnDryRun
	answering := func(text string) admissionregistrationv1.WebhookClientConfig {
		return at(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(text))
		})
	}
	broken := at(t, func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "out of order", http.StatusInternalServerError)
	})
	mine := programtest.MustHook(t, func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		return programtest.Patching("hook", "was here")
	})
	dry := programtest.MustHook(t, func(r *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		if r.DryRun == nil || !*r.DryRun {
			return &admissionv1.AdmissionResponse{Allowed: true}
		}
		return programtest.Patching("hook", "was here")
	})
	badPatch := programtest.MustHook(t, func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		a := programtest.Patching("hook", "x")
		a.Patch = []byte(`[{"op":"remove","path":"/nothing"}]`)
		return a
	})
	misfit := programtest.MustHook(t, func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		a := programtest.Patching("hook", "x")
		a.Patch = []byte(`[{"op":"add","path":"/data/not a key","value":"x"}]`)
		return a
	})
	untrusted := mine.Client()
	untrusted.CABundle = nil
	gone := httptest.NewTLSServer(http.NotFoundHandler())
	gone.Close()
	away := mine.Client()
	away.URL = &gone.URL
	absent := mine.Client()
	absent.URL, absent.Service = nil, &admissionregistrationv1.ServiceReference{Namespace: "default", Name: "absent"}
	mustFollow(t, client,
		mutating("broken", broken, nil), mutating("ignored", broken, func(w *admissionregistrationv1.MutatingWebhook) { w.FailurePolicy = &ignore }),
		mutating("text", answering("hello"), nil), mutating("silent", answering(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}`), nil),
		mutating("other", answering(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"x","allowed":true}}`), nil),
		mutating("patch", badPatch.Client(), nil), mutating("misfit", misfit.Client(), nil),
		mutating("untrusted", untrusted, nil), mutating("away", away, nil), mutating("absent", absent, nil),
		mutating("effects", dry.Client(), func(w *admissionregistrationv1.MutatingWebhook) { w.SideEffects = &quiet }),
		mutating("matched", mine.Client(), func(w *admissionregistrationv1.MutatingWebhook) {
			w.MatchConditions = []admissionregistrationv1.MatchCondition{{Name: "named", Expression: `object.metadata.name.startsWith("yes")`}}
		}),
		mutating("wrongly", mine.Client(), func(w *admissionregistrationv1.MutatingWebhook) {
			w.MatchConditions = []admissionregistrationv1.MatchCondition{{Name: "fails", Expression: `object.data.missing == "x"`}}
		}),
	)
	maps := client.CoreV1().ConfigMaps("default")
	const calling = `Internal error occurred: failed calling webhook "`
	for _, c := range []struct {
		hook, name string
		dryRun     bool
		want       string // of the error; "" for none, "changed" for the change of a webhook
	}{
		{"broken", "a", false, calling + `broken.example.com": failed to call webhook: an error on the server ("out of order") has prevented the request from succeeding`},
		{"ignored", "b", false, ""},
		{"text", "c", false, calling + `text.example.com": failed to call webhook: couldn't get version/kind; json parse error`},
		{"silent", "d", false, calling + `silent.example.com": received invalid webhook response: webhook response was absent`},
		{"other", "e", false, calling + `other.example.com": received invalid webhook response: expected response.uid="`},
		{"patch", "f", false, "Internal error occurred: error in remove for path: '/nothing'"},
		{"misfit", "g", false, `ConfigMap "g" is invalid: data[not a key]`},
		{"untrusted", "h", false, "tls: failed to verify certificate: x509: certificate signed by unknown authority"},
		{"away", "i", false, "connect: connection refused"},
		{"absent", "j", false, `service "absent" not found`},
		{"effects", "k", true, "changed"},
		{"effects", "k", false, ""},
		{"matched", "no", false, ""},
		{"matched", "yes", false, "changed"},
		{"wrongly", "l", false, "no such key: missing"},
	} {
		var o metav1.CreateOptions
		if c.dryRun {
			o.DryRun = []string{"All"}
		}
		made, err := maps.Create(t.Context(), labelled(c.name, c.hook), o)
		switch c.want {
		case "":
			if err != nil || made.Data["hook"] != "" {
				t.Errorf("%s: %v %v", c.hook, made.Data, err)
			}
		case "changed":
			if err != nil || made.Data["hook"] != "was here" {
				t.Errorf("%s: %v %v", c.hook, made.Data, err)
			}
		default:
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v; want %s", c.hook, err, c.want)
			}
			if _, err := maps.Get(t.Context(), c.name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
				t.Errorf("%s: it is there: %v", c.hook, err)
			}
		}
	}
}

// While webhooks hang, other requests go on, large ones too; those that hang are refused when the webhook's time is over.
func TestWebhooks_hanging(t *testing.T) {
	_, client := mustGuard(t)
	over := make(chan struct{})
	var end sync.Once
	t.Cleanup(func() { end.Do(func() { close(over) }) })
	const many = 40 // more than large bodies are worked on at a time
	begun := make(chan struct{}, many)
	slow := at(t, func(w http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		<-over
	})
	second, half := int32(1), int32(30)
	mustFollow(t, client, mutating("slow", slow, func(w *admissionregistrationv1.MutatingWebhook) { w.TimeoutSeconds = &half }),
		mutating("brief", slow, func(w *admissionregistrationv1.MutatingWebhook) { w.TimeoutSeconds = &second }))
	maps := client.CoreV1().ConfigMaps("default")
	large := func(name, hook string) *corev1.ConfigMap {
		m := labelled(name, hook)
		m.Data["text"] = strings.Repeat("x", 100_000)
		return m
	}
	results := make(chan error, many)
	for i := range many {
		go func() {
			_, err := maps.Create(t.Context(), large("slow-"+strconv.Itoa(i), "slow"), metav1.CreateOptions{})
			results <- err
		}()
	}
	for range many {
		select {
		case <-begun:
		case err := <-results:
			t.Fatalf("one ended early: %v", err)
		case <-time.After(time.Minute):
			t.Fatal("not all of them have reached the webhook: some wait for the others")
		}
	}
	must[*corev1.ConfigMap](t)(maps.Create(t.Context(), large("other", ""), metav1.CreateOptions{}))
	_, err := maps.Create(t.Context(), large("brief", "brief"), metav1.CreateOptions{})
	if !apierrors.IsInternalError(err) || !strings.Contains(err.Error(), `failed calling webhook "brief.example.com": failed to call webhook: Post "`) || !strings.Contains(err.Error(), "context deadline exceeded") {
		t.Errorf("a webhook that hangs: %v", err)
	}
	end.Do(func() { close(over) })
	for range many {
		if err := <-results; err == nil || !strings.Contains(err.Error(), "webhook response was absent") && !strings.Contains(err.Error(), "failed to call webhook") {
			t.Errorf("ended with %v", err)
		}
	}
}

// A webhook asks again for what a later one has changed, if it wants to be asked again; one behind a Service is found by its name.
func TestWebhooks_orderAndService(t *testing.T) {
	p, client := mustGuard(t)
	if_ := admissionregistrationv1.IfNeededReinvocationPolicy
	var order []string
	noting := func(name string) *programtest.Hook {
		return programtest.MustHook(t, func(r *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
			order = append(order, name)
			if strings.Contains(string(r.Object.Raw), `"`+name+`":`) {
				return &admissionv1.AdmissionResponse{Allowed: true}
			}
			return programtest.Patching(name, "x")
		})
	}
	first, second := noting("first"), noting("second")
	reinvoked := mutating("a", first.Client(), func(w *admissionregistrationv1.MutatingWebhook) { w.ReinvocationPolicy = &if_ })
	once := mutating("a", second.Client(), func(w *admissionregistrationv1.MutatingWebhook) { w.Name = "b.example.com" })
	behind := mustBehind(t, client.CoreV1(), func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		return programtest.Patching("service", "x")
	})
	mustFollow(t, client, reinvoked, once, mutating("service", behind, nil))
	made := must[*corev1.ConfigMap](t)(client.CoreV1().ConfigMaps("default").Create(t.Context(), labelled("a", "a"), metav1.CreateOptions{}))
	if got := strings.Join(order, " "); got != "first second first" || made.Data["first"] != "x" || made.Data["second"] != "x" {
		t.Errorf("asked %s, made %v", got, made.Data)
	}
	again := false
	for _, m := range plugins(t, p, "create", "configmaps") {
		again = again || m.Plugin == "MutatingAdmissionWebhook" && m.Again
	}
	if !again {
		t.Error("the flow does not tell that webhooks were asked again")
	}
	made = must[*corev1.ConfigMap](t)(client.CoreV1().ConfigMaps("default").Create(t.Context(), labelled("s", "service"), metav1.CreateOptions{}))
	if made.Data["service"] != "x" {
		t.Errorf("behind a Service: %v", made.Data)
	}
}

// mustBehind serves a webhook behind a Service with an external name, which leads to this machine.
func mustBehind(t *testing.T, core v1.CoreV1Interface, answer func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse) admissionregistrationv1.WebhookClientConfig {
	t.Helper()
	ca := programtest.MustCA(t)
	cert, key, err := ca.Serve([]string{"hook.default.svc"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(&programtest.Hook{Answer: answer})
	s.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	s.StartTLS()
	t.Cleanup(s.Close)
	must[*corev1.Service](t)(core.Services("default").Create(t.Context(), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "hook"}, Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "localhost"},
	}, metav1.CreateOptions{}))
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	_, text, err := net.SplitHostPort(u.Host)
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	port := int32(number)
	return admissionregistrationv1.WebhookClientConfig{Service: &admissionregistrationv1.ServiceReference{Namespace: "default", Name: "hook", Port: &port}, CABundle: slices.Clone(ca.PEM())}
}
