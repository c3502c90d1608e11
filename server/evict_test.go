package server_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"

	"kubarium/server"
)

const inDefault = "/api/v1/namespaces/default/"

// mustPods makes pods in the namespace default.
func mustPods(t *testing.T, url string, names ...string) {
	t.Helper()
	for _, name := range names {
		mustMake(t, url, inDefault+"pods", `{"metadata":{"name":"`+name+`"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
	}
}

// An eviction whose deletion is refused changes nothing. The answers are those of kube-apiserver 1.37.
func TestServer_Evict(t *testing.T) {
	url := serveDefault(t)
	mustPods(t, url, "p")
	evict := func(pod, query, options string) request {
		return request{method: "POST", path: inDefault + "pods/" + pod + "/eviction" + query, body: `{"metadata":{"name":"` + pod + `"},"deleteOptions":` + options + `}`}
	}
	refused := func(field, message, text, reason string) string {
		return `{"code":422,"details":{"causes":[{"field":"` + field + `","message":"` + message + `: ` + text + `","reason":"` + reason + `"}],"group":"meta.k8s.io","kind":"DeleteOptions"},` +
			`"message":"DeleteOptions.meta.k8s.io \"\" is invalid: ` + field + `: ` + message + `: ` + text + `","reason":"Invalid"}`
	}
	policy := refused("propagationPolicy", `Unsupported value: \"X\"`, `supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\"`, "FieldValueNotSupported")
	const unsafe = `{"code":422,"details":{"causes":[{"field":"deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential","message":"Invalid value: true: can not be set for pod eviction, try after removing the option","reason":"FieldValueInvalid"}],"group":"policy","kind":"Eviction","name":"p"},` +
		`"message":"Eviction.policy \"p\" is invalid: deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: can not be set for pod eviction, try after removing the option","reason":"Invalid"}`
	playExactly(t, url, []exact{
		{"a policy", evict("p", "", `{"propagationPolicy":"X"}`), 422, policy},
		{"a policy, dry run", evict("p", "", `{"propagationPolicy":"X","dryRun":["All"]}`), 422, policy},
		{"orphans twice", evict("p", "", `{"orphanDependents":true,"propagationPolicy":"Orphan"}`), 422,
			refused("propagationPolicy", `Invalid value: \"Orphan\"`, "orphanDependents and deletionPropagation cannot be both set", "FieldValueInvalid")},
		{"a dry run", evict("p", "", `{"dryRun":["x"]}`), 422, refused("dryRun", `Unsupported value: [\"x\"]`, `supported values: \"All\"`, "FieldValueNotSupported")},
		{"unsafe", evict("p", "", `{"ignoreStoreReadErrorWithClusterBreakingPotential":true,"propagationPolicy":"X"}`), 422, unsafe},
		{"absent", evict("none", "", `{"propagationPolicy":"X"}`), 404, `{"code":404,"details":{"kind":"pods","name":"none"},"message":"pods \"none\" not found","reason":"NotFound"}`},
		{"another uid", evict("p", "", `{"preconditions":{"uid":"x"},"propagationPolicy":"X"}`), 409, ""},
		{"dry run", evict("p", "?dryRun=All", `{"dryRun":["All"]}`), 201, `{"code":201}`},
	})
	if code, body := send(t, url, request{method: "GET", path: inDefault + "pods/p"}); code != 200 || strings.Contains(body, "DisruptionTarget") {
		t.Error("the pod has changed:", code, body)
	}
	playExactly(t, url, []exact{{"evict", evict("p", "", `{}`), 201, `{"code":201}`}})
}

// Admission is asked about an eviction once, and not about the deletion that it makes, so that a policy may refuse the one and not the
// other. The same holds for a binding.
func TestServer_admissionOfActions(t *testing.T) {
	asked := &questions{}
	url, _ := mustServe(t, func(o *server.Options) { o.Registry.Admission = asked })
	mustMake(t, url, "/api/v1/namespaces", `{"metadata":{"name":"default"}}`)
	mustPods(t, url, "p")
	for _, c := range []struct {
		name string
		q    request
		want []string
	}{
		{"bind", request{method: "POST", path: inDefault + "pods/p/binding", contentType: "application/json", body: `{"metadata":{"name":"p"},"target":{"name":"n"}}`},
			[]string{"mutate CREATE pods/binding", "validate CREATE pods/binding"}},
		{"evict", request{method: "POST", path: inDefault + "pods/p/eviction", contentType: "application/json", body: `{"metadata":{"name":"p"}}`},
			[]string{"mutate CREATE pods/eviction", "validate CREATE pods/eviction"}},
	} {
		asked.taken()
		if code, body := send(t, url, c.q); code != 201 {
			t.Errorf("%s: %d %s", c.name, code, body)
		}
		if got := asked.taken(); !slices.Equal(got, c.want) {
			t.Errorf("%s: asked %q, want %q", c.name, got, c.want)
		}
	}
}

// Admission sees the grace period that a deletion gives its object, not only one that the client names. Of a collection it sees
// what the client sent. So it is in kube-apiserver 1.37.
func TestServer_admissionOfGrace(t *testing.T) {
	asked := &questions{graces: true}
	url, _ := mustServe(t, func(o *server.Options) { o.Registry.Admission = asked })
	mustMake(t, url, "/api/v1/namespaces", `{"metadata":{"name":"default"}}`)
	mustPods(t, url, "free", "also-free", "of-a-collection")
	mustMake(t, url, inDefault+"configmaps", `{"metadata":{"name":"a"}}`)
	for _, name := range []string{"bound", "short"} {
		mustMake(t, url, inDefault+"pods", `{"metadata":{"name":"`+name+`"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}}`)
	}
	for _, c := range []struct{ path, want string }{
		{"pods/free", "0"}, {"pods/also-free?gracePeriodSeconds=7", "0"}, {"pods/bound", "30"}, {"pods/bound?gracePeriodSeconds=5", "5"},
		{"pods/short?gracePeriodSeconds=-1", "1"}, {"configmaps/a?dryRun=All", "none"}, {"configmaps/a?gracePeriodSeconds=-1", "1"},
		{"pods?fieldSelector=metadata.name%3Dof-a-collection", "none"},
	} {
		asked.taken()
		if code, body := send(t, url, request{method: "DELETE", path: inDefault + c.path}); code != 200 {
			t.Errorf("%s: %d %s", c.path, code, body)
		}
		if got, want := asked.taken(), []string{"mutate " + c.want, "validate " + c.want}; !slices.Equal(got, want) {
			t.Errorf("%s: asked with %q, want %q", c.path, got, want)
		}
	}
}

// questions is an admission plugin that notes what it is asked, or the grace periods in the options.
type questions struct {
	mu     sync.Mutex
	asked  []string
	graces bool
}

func (q *questions) note(how string, a admission.Attributes) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.graces {
		grace := "none"
		if o, ok := a.GetOperationOptions().(*metav1.DeleteOptions); ok && o.GracePeriodSeconds != nil {
			grace = strconv.FormatInt(*o.GracePeriodSeconds, 10)
		}
		q.asked = append(q.asked, how+" "+grace)
		return nil
	}
	q.asked = append(q.asked, how+" "+string(a.GetOperation())+" "+a.GetResource().Resource+"/"+a.GetSubresource())
	return nil
}

// taken is what was asked since the last call.
func (q *questions) taken() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	asked := q.asked
	q.asked = nil
	return asked
}

// Handles fulfils admission.Interface.
func (q *questions) Handles(admission.Operation) bool { return true }

// Admit fulfils admission.MutationInterface.
func (q *questions) Admit(_ context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	return q.note("mutate", a)
}

// Validate fulfils admission.ValidationInterface.
func (q *questions) Validate(_ context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	return q.note("validate", a)
}
