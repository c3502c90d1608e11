package program_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"kubarium/app/program/programtest"
	"kubarium/flow"
)

// bindAdmin lets a subject do everything.
func bindAdmin(t *testing.T, client kubernetes.Interface, name string, subject rbacv1.Subject) {
	t.Helper()
	must[*rbacv1.ClusterRoleBinding](t)(client.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Subjects: []rbacv1.Subject{subject}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
	}, metav1.CreateOptions{}))
}

// Whoever loses by a restore what let them ask, while a webhook thinks about their request, is refused behind it: an account that is
// gone, and the rights to act and to act as somebody else. The audit log has each request once a stage, and says what was decided
// in the end, and so does the flow.
func TestProgram_Restore_rights(t *testing.T) {
	p, events := mustAudit(t)
	client := kubernetes.NewForConfigOrDie(&rest.Config{Host: p.URL, QPS: -1})
	ctx := t.Context()
	user := func(name string) rbacv1.Subject {
		return rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}
	}
	bindAdmin(t, client, "dave", user("dave"))
	bindAdmin(t, client, "accounts", rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: "system:serviceaccounts"})
	programtest.MustSave(t, p, "s")
	bindAdmin(t, client, "bob", user("bob"))
	accounts := client.CoreV1().ServiceAccounts("default")
	must[*corev1.ServiceAccount](t)(accounts.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "later"}}, metav1.CreateOptions{}))
	token := must[*authenticationv1.TokenRequest](t)(accounts.CreateToken(ctx, "later", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})).Status.Token
	entered, goOn := make(chan struct{}, 16), make(chan struct{})
	h := programtest.MustHook(t, func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		entered <- struct{}{}
		<-goOn
		return programtest.Patching("hook", "was here")
	})
	none, fail := admissionregistrationv1.SideEffectClassNone, admissionregistrationv1.Fail
	must[*admissionregistrationv1.MutatingWebhookConfiguration](t)(client.AdmissionregistrationV1().MutatingWebhookConfigurations().Create(ctx, &admissionregistrationv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "h"},
		Webhooks: []admissionregistrationv1.MutatingWebhook{{
			Name: "h.example.com", ClientConfig: h.Client(), SideEffects: &none, AdmissionReviewVersions: []string{"v1"}, FailurePolicy: &fail,
			Rules: programtest.Rules(admissionregistrationv1.Create),
		}},
	}, metav1.CreateOptions{}))
	ask := func(method, path, body, token, as string) (int, string, string) {
		req, err := http.NewRequestWithContext(ctx, method, p.URL+path, strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return 0, "", ""
		}
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", programtest.JSONType)
		if as != "" {
			req.Header.Set("Impersonate-User", as)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Error(err)
			return 0, "", ""
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(text), resp.Header.Get("Audit-Id")
	}
	programtest.Eventually(t, "bob may read", func() bool {
		code, _, _ := ask("GET", "/api/v1/namespaces/default/configmaps", "", "b", "")
		return code == 200
	})
	for tried := false; !tried; { // the webhook is asked a moment after it is there
		name := fmt.Sprint("x", len(must[*corev1.ConfigMapList](t)(client.CoreV1().ConfigMaps("default").List(ctx, metav1.ListOptions{})).Items))
		done := make(chan struct{})
		go func() {
			defer close(done)
			ask("POST", "/api/v1/namespaces/default/configmaps", `{"metadata":{"name":"`+name+`"},"data":{}}`, "a", "")
		}()
		select {
		case <-entered:
			tried = true
		case <-done:
		}
	}

	asked := []struct {
		token, as, event string
		want             int
	}{
		{"b", "", "bob", 403}, {token, "", "system:serviceaccount:default:later", 401}, {"b", "dave", "bob", 403},
	}
	got := make([]int, len(asked))
	texts, ids := make([]string, len(asked)), make([]string, len(asked))
	var all sync.WaitGroup
	for i, a := range asked {
		all.Go(func() {
			got[i], texts[i], ids[i] = ask("POST", "/api/v1/namespaces/default/configmaps", fmt.Sprintf(`{"metadata":{"name":"c%d"},"data":{}}`, i), a.token, a.as)
		})
		<-entered
	}
	programtest.MustRestore(t, p, "s")
	programtest.Eventually(t, "bob may not read", func() bool {
		code, _, _ := ask("GET", "/api/v1/namespaces/default/configmaps", "", "b", "")
		return code == 403
	})
	close(goOn)
	all.Wait()
	flows, _ := p.Log.Since(0, 0)
	byID := map[string]*flow.Flow{}
	for _, f := range flows {
		byID[f.ResponseHeader.Get("Audit-Id")] = f
	}
	for i, a := range asked {
		if got[i] != a.want {
			t.Errorf("%s as %q: %d %s", a.event, a.as, got[i], texts[i])
		}
		told := events(ids[i])
		if len(told) != 2 || told[0].Stage != "RequestReceived" || told[1].Stage != "ResponseComplete" || told[1].ResponseStatus == nil ||
			int(told[1].ResponseStatus.Code) != a.want || told[1].User.Username != a.event {
			t.Errorf("%s as %q is audited as %+v", a.event, a.as, told)
			continue
		}
		f := byID[ids[i]]
		if decided := told[1].Annotations["authorization.k8s.io/decision"]; decided == "allow" || f == nil || f.Annotations["authorization.k8s.io/decision"] == "allow" || f.Plugins != nil {
			t.Errorf("%s as %q: decided %q; the flow has %+v", a.event, a.as, decided, f)
		}
	}
}
