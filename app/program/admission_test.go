package program_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/flow"
	"kubarium/server/admission"
	"kubarium/server/controllers"
)

// mustGuard starts a Kubarium with all plugins and controllers.
func mustGuard(t *testing.T) (*program.Program, kubernetes.Interface) {
	t.Helper()
	p := programtest.MustStartConfig(t, program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "normal", Controllers: controllers.All()})
	return p, kubernetes.NewForConfigOrDie(&rest.Config{Host: p.URL, QPS: -1})
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
}

// A Pod comes out with what the plugins of a cluster give it, and its flow tells which of them changed what.
func TestAdmission_defaults(t *testing.T) {
	p, client := mustGuard(t)
	pods := client.CoreV1().Pods("default")
	made := must[*corev1.Pod](t)(pods.Create(t.Context(), pod("a"), metav1.CreateOptions{}))
	s := made.Spec
	if s.ServiceAccountName != "default" || len(s.Volumes) != 1 || s.Priority == nil || *s.Priority != 0 || len(s.Tolerations) != 2 {
		t.Errorf("account %q, volumes %v, priority %v, tolerations %v", s.ServiceAccountName, s.Volumes, s.Priority, s.Tolerations)
	}
	marks := plugins(t, p, "create", "pods")
	for plugin, want := range map[string]string{
		"NamespaceLifecycle": "", "ServiceAccount": "spec.containers spec.serviceAccount spec.serviceAccountName spec.volumes",
		"Priority": "spec.preemptionPolicy spec.priority", "DefaultTolerationSeconds": "spec.tolerations",
	} {
		i := slices.IndexFunc(marks, func(m flow.PluginMark) bool { return m.Plugin == plugin && m.Station == flow.Mutate })
		if i < 0 || strings.Join(marks[i].Changed, " ") != want {
			t.Errorf("%s: marks %+v", plugin, marks)
		}
	}
	if !slices.ContainsFunc(marks, func(m flow.PluginMark) bool { return m.Plugin == "RuntimeClass" && m.Station == flow.Admit }) {
		t.Errorf("RuntimeClass has not looked: %+v", marks)
	}
}

// plugins are the marks of the newest request for a resource.
func plugins(t *testing.T, p *program.Program, verb, resource string) []flow.PluginMark {
	t.Helper()
	var marks []flow.PluginMark
	programtest.Eventually(t, "the flow of "+verb+" "+resource, func() bool {
		flows, _ := p.Log.Since(0, 0)
		for _, f := range flows {
			if f.Target.Verb == verb && f.Target.Resource == resource && !f.Client.Own() {
				marks = f.Plugins
			}
		}
		return marks != nil
	})
	return marks
}

// A LimitRange fills and refuses, a ResourceQuota counts and refuses, and its status follows.
func TestAdmission_limits(t *testing.T) {
	_, client := mustGuard(t)
	core := client.CoreV1()
	must[*corev1.LimitRange](t)(core.LimitRanges("default").Create(t.Context(), &corev1.LimitRange{
		ObjectMeta: metav1.ObjectMeta{Name: "l"},
		Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{
			Type: corev1.LimitTypeContainer, Default: corev1.ResourceList{"cpu": resource.MustParse("1")}, Max: corev1.ResourceList{"cpu": resource.MustParse("2")},
		}}},
	}, metav1.CreateOptions{}))
	programtest.Eventually(t, "the LimitRange is followed", func() bool {
		made, err := core.Pods("default").Create(t.Context(), pod("dry"), metav1.CreateOptions{DryRun: []string{"All"}})
		return err == nil && made.Spec.Containers[0].Resources.Limits.Cpu().String() == "1"
	})
	large := pod("large")
	large.Spec.Containers[0].Resources.Limits = corev1.ResourceList{"cpu": resource.MustParse("3")}
	_, err := core.Pods("default").Create(t.Context(), large, metav1.CreateOptions{})
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "maximum cpu usage per Container is 2, but limit is 3") {
		t.Errorf("too large: %v", err)
	}
	must[*corev1.ResourceQuota](t)(core.ResourceQuotas("default").Create(t.Context(), &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "q"}, Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"pods": resource.MustParse("2"), "configmaps": resource.MustParse("3"), "services": resource.MustParse("0")}},
	}, metav1.CreateOptions{}))
	programtest.Eventually(t, "the quota's status", func() bool {
		q, err := core.ResourceQuotas("default").Get(t.Context(), "q", metav1.GetOptions{})
		used := q.Status.Used["configmaps"]
		return err == nil && used.Value() == 1 // kube-root-ca.crt
	})
	programtest.Eventually(t, "the plugin has heard of the status", func() bool {
		none := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "s"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}
		_, err := core.Services("default").Create(t.Context(), none, metav1.CreateOptions{DryRun: []string{"All"}})
		return apierrors.IsForbidden(err)
	})
	for _, name := range []string{"a", "b"} {
		must[*corev1.Pod](t)(core.Pods("default").Create(t.Context(), pod(name), metav1.CreateOptions{}))
	}
	_, err = core.Pods("default").Create(t.Context(), pod("c"), metav1.CreateOptions{})
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), `pods "c" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2`) {
		t.Errorf("too many: %v", err)
	}
	grace := int64(0)
	if err := core.Pods("default").Delete(t.Context(), "a", metav1.DeleteOptions{GracePeriodSeconds: &grace}); err != nil {
		t.Fatal(err)
	}
	programtest.Eventually(t, "the deletion is counted", func() bool {
		_, err := core.Pods("default").Create(t.Context(), pod("c"), metav1.CreateOptions{})
		return err == nil
	})
}

// What a file limits needs a quota, where there is none too.
func TestAdmission_limitedResources(t *testing.T) {
	file := filepath.Join(t.TempDir(), "admission.yaml")
	err := os.WriteFile(file, []byte(`
apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: ResourceQuota
  configuration:
    apiVersion: apiserver.config.k8s.io/v1
    kind: ResourceQuotaConfiguration
    limitedResources: [{resource: secrets, matchContains: [count/secrets]}]
`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	p := programtest.MustStartConfig(t, program.Config{
		Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "normal", Admission: admission.Plugins{Config: file},
	})
	core := kubernetes.NewForConfigOrDie(&rest.Config{Host: p.URL, QPS: -1}).CoreV1()
	must[*corev1.ConfigMap](t)(core.ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{}))
	_, err = core.Secrets("default").Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "insufficient quota to consume: count/secrets") {
		t.Errorf("a Secret without a quota: %v", err)
	}
}

// Webhooks change and refuse; one that fails is ignored or ends the request as its policy says.
func TestAdmission_webhooks(t *testing.T) {
	p, client := mustGuard(t)
	maps := client.CoreV1().ConfigMaps("default")
	none, ignore, fail := admissionregistrationv1.SideEffectClassNone, admissionregistrationv1.Ignore, admissionregistrationv1.Fail
	mutate := programtest.MustHook(t, func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		return programtest.Patching("hook", "was here")
	})
	broken := programtest.MustHook(t, func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse { return nil })
	validate := programtest.MustHook(t, func(r *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		if r.Operation == admissionv1.Delete && strings.Contains(string(r.OldObject.Raw), `"keep":"yes"`) {
			return &admissionv1.AdmissionResponse{Result: &metav1.Status{Message: "it is kept"}}
		}
		if strings.Contains(string(r.Object.Raw), `"bad":"yes"`) {
			return &admissionv1.AdmissionResponse{Result: &metav1.Status{Message: "it is bad", Code: 418}}
		}
		return &admissionv1.AdmissionResponse{Allowed: true}
	})
	versions := []string{"v1"}
	all := programtest.Rules(admissionregistrationv1.Create, admissionregistrationv1.Update, admissionregistrationv1.Delete)
	must[*admissionregistrationv1.MutatingWebhookConfiguration](t)(client.AdmissionregistrationV1().MutatingWebhookConfigurations().Create(t.Context(),
		&admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "m"}, Webhooks: []admissionregistrationv1.MutatingWebhook{
			{Name: "broken.example.com", ClientConfig: broken.Client(), Rules: programtest.Rules(admissionregistrationv1.Create), FailurePolicy: &ignore, SideEffects: &none, AdmissionReviewVersions: versions},
			{Name: "mutate.example.com", ClientConfig: mutate.Client(), Rules: programtest.Rules(admissionregistrationv1.Create, admissionregistrationv1.Update), FailurePolicy: &fail, SideEffects: &none, AdmissionReviewVersions: versions},
		}}, metav1.CreateOptions{}))
	must[*admissionregistrationv1.ValidatingWebhookConfiguration](t)(client.AdmissionregistrationV1().ValidatingWebhookConfigurations().Create(t.Context(),
		&admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "v"}, Webhooks: []admissionregistrationv1.ValidatingWebhook{
			{Name: "validate.example.com", ClientConfig: validate.Client(), Rules: all, FailurePolicy: &fail, SideEffects: &none, AdmissionReviewVersions: versions},
		}}, metav1.CreateOptions{}))
	programtest.Eventually(t, "the webhooks are followed", func() bool {
		made, err := maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "dry"}, Data: map[string]string{"a": "1"}}, metav1.CreateOptions{DryRun: []string{"All"}})
		if err != nil || made.Data["hook"] != "was here" {
			return false
		}
		_, err = maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "dry"}, Data: map[string]string{"bad": "yes"}}, metav1.CreateOptions{DryRun: []string{"All"}})
		return err != nil
	})
	made := must[*corev1.ConfigMap](t)(maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string]string{"keep": "yes"}}, metav1.CreateOptions{}))
	if made.Data["hook"] != "was here" {
		t.Errorf("made %v", made.Data)
	}
	marks := plugins(t, p, "create", "configmaps")
	i := slices.IndexFunc(marks, func(m flow.PluginMark) bool { return m.Plugin == "MutatingAdmissionWebhook" && len(m.Changed) > 0 })
	if i < 0 || !slices.Equal(marks[i].Changed, []string{"data.hook"}) {
		t.Errorf("marks %+v", marks)
	}
	_, err := maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "b"}, Data: map[string]string{"bad": "yes"}}, metav1.CreateOptions{})
	if err == nil || err.Error() != `admission webhook "validate.example.com" denied the request: it is bad` || apierrors.ReasonForError(err) != metav1.StatusReasonUnknown && apierrors.ReasonForError(err) != "" {
		t.Errorf("refused with %v, reason %q", err, apierrors.ReasonForError(err))
	}
	if err := maps.Delete(t.Context(), "a", metav1.DeleteOptions{}); err == nil || !strings.Contains(err.Error(), "denied the request: it is kept") {
		t.Errorf("deleted: %v", err)
	}
	if err := maps.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: "metadata.name=a"}); err == nil {
		t.Error("deleted as a collection")
	}
	validate.Close()
	_, err = maps.Update(t.Context(), made, metav1.UpdateOptions{})
	if !apierrors.IsInternalError(err) || !strings.Contains(err.Error(), `failed calling webhook "validate.example.com": failed to call webhook: Post `) {
		t.Errorf("with a hook that is away: %v", err)
	}
}

// A write that another one was faster than asks the plugins again, about what is there by then.
func TestAdmission_again(t *testing.T) {
	_, client := mustGuard(t)
	maps := client.CoreV1().ConfigMaps("default")
	must[*corev1.ConfigMap](t)(maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string]string{"n": "0"}}, metav1.CreateOptions{}))
	none, fail := admissionregistrationv1.SideEffectClassNone, admissionregistrationv1.Fail
	var once sync.Once
	var olds []string
	h := programtest.MustHook(t, func(r *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		if r.UserInfo.Username == "" || r.Name != "a" || !strings.Contains(string(r.Object.Raw), "patched") {
			return &admissionv1.AdmissionResponse{Allowed: true}
		}
		var old corev1.ConfigMap
		_ = json.Unmarshal(r.OldObject.Raw, &old)
		olds = append(olds, old.Data["n"])
		once.Do(func() {
			_, err := maps.Update(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string]string{"n": "1"}}, metav1.UpdateOptions{})
			if err != nil {
				t.Error(err)
			}
		})
		return &admissionv1.AdmissionResponse{Allowed: true}
	})
	must[*admissionregistrationv1.ValidatingWebhookConfiguration](t)(client.AdmissionregistrationV1().ValidatingWebhookConfigurations().Create(t.Context(),
		&admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "v"}, Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "again.example.com", ClientConfig: h.Client(), Rules: programtest.Rules(admissionregistrationv1.Create, admissionregistrationv1.Update), FailurePolicy: &fail, SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
		}}}, metav1.CreateOptions{}))
	programtest.Eventually(t, "the webhook is followed", func() bool {
		_, _ = maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "dry"}}, metav1.CreateOptions{DryRun: []string{"All"}})
		h.Mu.Lock()
		defer h.Mu.Unlock()
		return len(h.Asked) > 0
	})
	patched := must[*corev1.ConfigMap](t)(maps.Patch(t.Context(), "a", "application/merge-patch+json", []byte(`{"data":{"patched":"yes"}}`), metav1.PatchOptions{}))
	if fmt.Sprint(olds) != "[0 1]" || patched.Data["n"] != "1" {
		t.Errorf("asked about %v, became %v", olds, patched.Data)
	}
}

// Policies in CEL refuse and change, also by their parameters.
func TestAdmission_policies(t *testing.T) {
	_, client := mustGuard(t)
	api := client.AdmissionregistrationV1()
	match := &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: programtest.Rules(admissionregistrationv1.Create)[0]}}}
	must[*admissionregistrationv1.ValidatingAdmissionPolicy](t)(api.ValidatingAdmissionPolicies().Create(t.Context(), &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "few"},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: match, ParamKind: &admissionregistrationv1.ParamKind{APIVersion: "v1", Kind: "ConfigMap"},
			Validations: []admissionregistrationv1.Validation{{Expression: "!has(object.data) || size(object.data) <= int(params.data.most)", MessageExpression: "'at most ' + params.data.most"}},
		},
	}, metav1.CreateOptions{}))
	maps := client.CoreV1().ConfigMaps("default")
	must[*corev1.ConfigMap](t)(maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "params"}, Data: map[string]string{"most": "2"}}, metav1.CreateOptions{}))
	deny := admissionregistrationv1.DenyAction
	must[*admissionregistrationv1.ValidatingAdmissionPolicyBinding](t)(api.ValidatingAdmissionPolicyBindings().Create(t.Context(), &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "few"},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: "few", ValidationActions: []admissionregistrationv1.ValidationAction{"Deny"},
			ParamRef: &admissionregistrationv1.ParamRef{Name: "params", Namespace: "default", ParameterNotFoundAction: &deny},
		},
	}, metav1.CreateOptions{}))
	_, err := api.MutatingAdmissionPolicies().Create(t.Context(), &admissionregistrationv1.MutatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "label"},
		Spec: admissionregistrationv1.MutatingAdmissionPolicySpec{
			MatchConstraints: match, ReinvocationPolicy: admissionregistrationv1.NeverReinvocationPolicy,
			Mutations: []admissionregistrationv1.Mutation{{
				PatchType:          admissionregistrationv1.PatchTypeApplyConfiguration,
				ApplyConfiguration: &admissionregistrationv1.ApplyConfiguration{Expression: `Object{metadata: Object.metadata{labels: {"by": "policy"}}}`},
			}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := api.MutatingAdmissionPolicyBindings().Create(t.Context(), &admissionregistrationv1.MutatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "label"}, Spec: admissionregistrationv1.MutatingAdmissionPolicyBindingSpec{PolicyName: "label"},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	programtest.Eventually(t, "the policies are followed", func() bool {
		few, err := maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "dry"}}, metav1.CreateOptions{DryRun: []string{"All"}})
		if err != nil || few.Labels["by"] != "policy" {
			return false
		}
		_, err = maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "dry"}, Data: map[string]string{"a": "", "b": "", "c": ""}}, metav1.CreateOptions{DryRun: []string{"All"}})
		return err != nil && strings.Contains(err.Error(), `ValidatingAdmissionPolicy 'few' with binding 'few' denied request: at most 2`)
	})
}

// A scale is asked about as what it is: a Scale, of the subresource scale.
func TestAdmission_scale(t *testing.T) {
	p, client := mustGuard(t)
	none, fail := admissionregistrationv1.SideEffectClassNone, admissionregistrationv1.Fail
	h := programtest.MustHook(t, func(r *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		few := strings.Contains(string(r.Object.Raw), `"replicas":2`)
		return &admissionv1.AdmissionResponse{Allowed: r.Kind.Kind == "Scale" && r.SubResource == "scale" && few, Result: &metav1.Status{Message: r.Kind.Kind + " of " + r.SubResource}}
	})
	must[*admissionregistrationv1.ValidatingWebhookConfiguration](t)(client.AdmissionregistrationV1().ValidatingWebhookConfigurations().Create(t.Context(),
		&admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "v"}, Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "scale.example.com", ClientConfig: h.Client(), FailurePolicy: &fail, SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
			Rules: []admissionregistrationv1.RuleWithOperations{{Operations: []admissionregistrationv1.OperationType{"UPDATE"}, Rule: admissionregistrationv1.Rule{
				APIGroups: []string{"apps"}, APIVersions: []string{"v1"}, Resources: []string{"*/*"},
			}}},
		}}}, metav1.CreateOptions{}))
	more := programtest.MustHook(t, func(r *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		if !strings.Contains(string(r.Object.Raw), `"replicas":7`) {
			return &admissionv1.AdmissionResponse{Allowed: true}
		}
		kind := admissionv1.PatchTypeJSONPatch
		return &admissionv1.AdmissionResponse{Allowed: true, PatchType: &kind, Patch: []byte(`[{"op":"replace","path":"/spec/replicas","value":2}]`)}
	})
	must[*admissionregistrationv1.MutatingWebhookConfiguration](t)(client.AdmissionregistrationV1().MutatingWebhookConfigurations().Create(t.Context(),
		&admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "m"}, Webhooks: []admissionregistrationv1.MutatingWebhook{{
			Name: "more.example.com", ClientConfig: more.Client(), FailurePolicy: &fail, SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
			Rules: []admissionregistrationv1.RuleWithOperations{{Operations: []admissionregistrationv1.OperationType{"UPDATE"}, Rule: admissionregistrationv1.Rule{
				APIGroups: []string{"apps"}, APIVersions: []string{"v1"}, Resources: []string{"deployments/scale"},
			}}},
		}}}, metav1.CreateOptions{}))
	deployments := p.URL + "/apis/apps/v1/namespaces/default/deployments"
	programtest.MustCall(t, 201, "POST", deployments, programtest.JSONType, `{"metadata":{"name":"d"},"spec":{"replicas":1,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`)
	programtest.Eventually(t, "the webhook refuses three", func() bool {
		_, text := programtest.Call(t, "PATCH", deployments+"/d/scale", "application/merge-patch+json", `{"spec":{"replicas":3}}`)
		return strings.Contains(text, "denied the request: Scale of scale")
	})
	programtest.Eventually(t, "the other webhook makes two of seven", func() bool {
		code, text := programtest.Call(t, "PATCH", deployments+"/d/scale", "application/merge-patch+json", `{"spec":{"replicas":7}}`)
		return code == 200 && strings.Contains(text, `"spec":{"replicas":2}`)
	})
	if text := programtest.MustCall(t, 200, "GET", deployments+"/d", "", ""); !strings.Contains(text, `"replicas":2`) {
		t.Errorf("stored %s", text)
	}
}
