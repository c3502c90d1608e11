package app_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/codecs"
	"kubarium/flow"
	"kubarium/tui/export"
	"kubarium/tui/page"
)

// What must not be seen: values of Secrets, by the way in which they came, and tokens.
const (
	secretMark = "hunter2-" // begins the values
	tokenMark  = "s3same-"  // begins the tokens
)

// A leak looks for what must not be seen in a text, in plain and in base64 wherever it begins there.
type leak []string

func leakOf(marks ...string) (all leak) {
	for _, m := range marks {
		all = append(all, m)
		for shift, first := range []int{0, 2, 3} {
			coded := base64.RawURLEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + m))
			coded = coded[first : (shift+len(m))*8/6]
			all = append(all, coded, strings.NewReplacer("-", "+", "_", "/").Replace(coded))
		}
	}
	return all
}

// in is what a text gives away, with some of what is around it.
func (l leak) in(text string) (found []string) {
	for _, m := range l {
		if at := strings.Index(text, m); at >= 0 {
			found = append(found, fmt.Sprintf("%q in …%s…", m, text[max(0, at-300):min(len(text), at+80)]))
		}
	}
	return found
}

// secretRequests sends secrets in every way that there is.
type secretRequests struct {
	*testing.T
	p      *program.Program
	tokens []string // that the server made
}

// send sends a request with headers, "Name: value".
func (s *secretRequests) send(method, path, contentType, body string, header ...string) (int, string) {
	s.Helper()
	req, err := http.NewRequest(method, s.p.URL+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Add(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func (s *secretRequests) must(want int, method, path, contentType, body string, header ...string) string {
	s.Helper()
	code, text := s.send(method, path, contentType, body, header...)
	if code != want {
		s.Fatalf("%s %s %.200q: %d, want %d: %.500s", method, path, body, code, want, text)
	}
	return text
}

const allSecrets = "/api/v1/namespaces/default/secrets"

func secretText(name, way string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":%q,"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"stringData\":{\"a\":\"%s%s\"}}"}},"stringData":{"a":"%[2]s%s"},"data":{"b":%q}}`,
		name, secretMark, way, base64.StdEncoding.EncodeToString([]byte(secretMark+way)))
}

func (s *secretRequests) encoded(c *codecs.Codec, obj runtime.Object) string {
	var b bytes.Buffer
	if err := c.Encode(&b, obj, false); err != nil {
		s.Fatal(err)
	}
	return b.String()
}

// writes are writes of Secrets in all encodings and by all verbs, accepted and refused.
func (s *secretRequests) writes() {
	s.must(201, "POST", allSecrets, programtest.JSONType, secretText("json", "create"))
	for _, c := range []*codecs.Codec{codecs.YAML, codecs.Protobuf, codecs.CBOR} {
		o := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: strings.ToLower(c.Name)}, StringData: map[string]string{"k": secretMark + strings.ToLower(c.Name)}}
		o.APIVersion, o.Kind = "v1", "Secret"
		media := c.MediaType
		s.must(201, "POST", allSecrets, media, s.encoded(c, o), "Accept: "+media)
		s.must(200, "GET", allSecrets, "", "", "Accept: "+media)
		s.must(200, "PUT", allSecrets+"/"+strings.ToLower(c.Name), media, s.encoded(c, o))
	}
	s.must(200, "PUT", allSecrets+"/json", programtest.JSONType, secretText("json", "update"))
	s.must(409, "POST", allSecrets, programtest.JSONType, secretText("json", "exists"))
	s.must(409, "PUT", allSecrets+"/json", programtest.JSONType, strings.Replace(secretText("json", "stale"), `"metadata":{`, `"metadata":{"resourceVersion":"1",`, 1))
	for media, body := range map[string]string{
		programtest.MergeType: `{"stringData":{"a":"%smerge"}}`, "application/strategic-merge-patch+json": `{"stringData":{"a":"%sstrategic"}}`,
		"application/json-patch+json": `[{"op":"add","path":"/stringData","value":{"a":"%sjsonpatch"}}]`,
	} {
		s.must(200, "PATCH", allSecrets+"/json", media, fmt.Sprintf(body, secretMark))
	}
	apply := "apiVersion: v1\nkind: Secret\nmetadata: {name: applied}\nstringData: {a: " + secretMark
	s.must(201, "PATCH", allSecrets+"/applied?fieldManager=one", "application/apply-patch+yaml", apply+"apply}")
	s.must(409, "PATCH", allSecrets+"/applied?fieldManager=two", "application/apply-patch+yaml", apply+"foreign}")
	for _, body := range []string{`{"metadata":{"name":"bad"},"data":{"k":"%s"}}`, `{"metadata":{"name":"Bad Name"},"stringData":{"k":"%s"}}`, `{"metadata":{"name":"bad"},"data":["%s"]}`,
		`{"metadata":{"name":"bad"},"stringData":{"k":"%s"`, `{"metadata":{"name":"bad"},"type":"kubernetes.io/tls","stringData":{"k":"%s"}}`, `%s`,
		`{"metadata":{"name":"bad"},"type":"kubernetes.io/dockerconfigjson","stringData":{".dockerconfigjson":"%s"}}`} {
		if code, text := s.send("POST", allSecrets+"?fieldValidation=Strict", programtest.JSONType, fmt.Sprintf(body, secretMark+"refused")); code < 400 {
			s.Errorf("%s: %d %s", body, code, text)
		}
	}
	for _, body := range []string{`[{"op":"test","path":"/data/a","value":"%s"}]`, `[{"op":"add","path":"/data","value":"%s"}]`} {
		s.send("PATCH", allSecrets+"/json", "application/json-patch+json", fmt.Sprintf(body, secretMark+"patch"))
	}
	for _, path := range []string{"/api/v1/namespaces/default/configmaps", "/api/v1/namespaces/default/secret", "/apis/nowhere/v1/secretz", "/"} {
		s.send("POST", path, programtest.JSONType, secretText("elsewhere", "elsewhere"))
		s.send("POST", path, "application/yaml", "kind: Secret\nstringData: {k: "+secretMark+"elsewhere}")
	}
	kubeconfig := "apiVersion: v1\nkind: Config\nusers: [{name: a, user: {token: " + tokenMark + "kubeconfig}}]\n"
	text, _ := json.Marshal(map[string]any{"metadata": map[string]string{"name": "kubeconfig"}, "stringData": map[string]string{"config": kubeconfig}})
	s.must(201, "POST", allSecrets, programtest.JSONType, string(text))
}

// reads are reads in all forms, and a watch.
func (s *secretRequests) reads() {
	table := "application/json;as=Table;v=v1;g=meta.k8s.io"
	for _, accept := range []string{programtest.JSONType, "application/yaml", "application/cbor", "application/vnd.kubernetes.protobuf", table} {
		s.must(200, "GET", allSecrets+"?includeObject=Object", "", "", "Accept: "+accept, "Accept-Encoding: gzip")
		s.must(200, "GET", allSecrets+"/json?includeObject=Object", "", "", "Accept: "+accept)
		s.must(200, "GET", "/api/v1/secrets?limit=2", "", "", "Accept: "+accept)
	}
	s.must(200, "GET", allSecrets+"?watch=true&resourceVersion=0&timeoutSeconds=1", "", "")
}

// credentials are tokens in each place where one may be, and those that the server makes and reviews.
func (s *secretRequests) credentials() {
	token := func(media string, body string, accept string) string {
		return s.must(201, "POST", "/api/v1/namespaces/default/serviceaccounts/default/token", media, body, "Accept: "+accept)
	}
	var made authenticationv1.TokenRequest
	if err := json.Unmarshal([]byte(token(programtest.JSONType, `{}`, programtest.JSONType)), &made); err != nil || made.Status.Token == "" {
		s.Fatal(err)
	}
	s.tokens = append(s.tokens, made.Status.Token, made.Status.Token[len(made.Status.Token)-40:])
	o := &authenticationv1.TokenRequest{}
	o.APIVersion, o.Kind = "authentication.k8s.io/v1", "TokenRequest"
	token(codecs.Protobuf.MediaType, s.encoded(codecs.Protobuf, o), codecs.Protobuf.MediaType)
	review := fmt.Sprintf(`{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":%q}}`, made.Status.Token)
	s.must(201, "POST", "/apis/authentication.k8s.io/v1/tokenreviews", programtest.JSONType, review)
	s.send("POST", "/apis/authentication.k8s.io/v1/reviews", programtest.JSONType, review)
	s.must(200, "GET", "/version", "", "", "Authorization: Bearer "+made.Status.Token)
	s.must(401, "GET", "/version", "", "", "Authorization: Bearer "+tokenMark+"bearer")
	s.send("GET", "/version", "", "", "Authorization: Basic "+base64.StdEncoding.EncodeToString([]byte("a:"+tokenMark+"basic")))
	s.send("GET", "/version", "", "", "Cookie: a="+tokenMark+"cookie", "Proxy-Authorization: Bearer "+tokenMark+"proxy", "Referer: http://h/?token="+tokenMark+"referer")
	s.must(200, "GET", "/version?token="+tokenMark+"query&access_token="+tokenMark+"access", "", "")
	s.must(200, "GET", "/api/v1/pods?watch=true&timeoutSeconds=1&token="+tokenMark+"watch", "", "")
	socket := "base64url.bearer.authorization.k8s.io." + base64.RawURLEncoding.EncodeToString([]byte(tokenMark+"socket"))
	s.send("GET", "/api/v1/pods?watch=true", "", "", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
		"Sec-WebSocket-Protocol: "+socket+", base64.binary.k8s.io")
}

// webhooks let a webhook see each Secret and add to it.
func (s *secretRequests) webhooks() {
	h := programtest.MustHook(s.T, func(*admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
		a := programtest.Patching("hooked", base64.StdEncoding.EncodeToString([]byte(secretMark+"webhook")))
		a.Warnings = nil
		return a
	})
	none, fail := admissionregistrationv1.SideEffectClassNone, admissionregistrationv1.Fail
	w := admissionregistrationv1.MutatingWebhook{Name: "a.example.com", ClientConfig: h.Client(), Rules: programtest.Rules("*"), FailurePolicy: &fail, SideEffects: &none, AdmissionReviewVersions: []string{"v1"}}
	w.Rules[0].Resources = []string{"secrets"}
	text, err := json.Marshal(&admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Webhooks: []admissionregistrationv1.MutatingWebhook{w}})
	if err != nil {
		s.Fatal(err)
	}
	const hooks = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
	s.must(201, "POST", hooks, programtest.JSONType, string(text))
	s.must(201, "POST", allSecrets, programtest.JSONType, `{"metadata":{"name":"hooked"},"data":{"n":""}}`)
	programtest.Eventually(s, "the webhook is asked", func() bool {
		return strings.Contains(s.must(200, "PATCH", allSecrets+"/hooked", programtest.MergeType, `{"data":{"n":""}}`), "hooked\":")
	})
	s.must(200, "DELETE", hooks+"/a", programtest.JSONType, "")
}

// debug reads and writes what others have by the paths of Kubarium's own, unmasked where that can be asked for. It
// leaves one that is held.
func (s *secretRequests) debug(ctx context.Context) (held uint64) {
	s.must(200, "GET", "/debug/rows?resource=secrets&namespace=default&name=json", "", "")
	s.must(200, "PUT", "/debug/rows?resource=%73ecrets&namespace=default&name=json", programtest.JSONType, secretText("json", "row"))
	changes := s.must(200, "GET", "/debug/changes?resource=secrets&namespace=default&name=json", "", "")
	var log struct{ Changes []struct{ Revision int64 } }
	if err := json.Unmarshal([]byte(changes), &log); err != nil || len(log.Changes) < 2 {
		s.Fatalf("%v %s", err, changes)
	}
	s.must(200, "GET", fmt.Sprintf("/debug/changes?revision=%d", log.Changes[0].Revision), "", "")
	s.must(200, "POST", "/debug/gate", "", `hold before "store" on verb:create res:secrets`)
	go func() {
		req, _ := http.NewRequestWithContext(ctx, "POST", s.p.URL+allSecrets+"?token="+tokenMark+"held", strings.NewReader(secretText("held", "held")))
		req.Header.Set("Content-Type", programtest.JSONType)
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
		}
	}()
	programtest.Eventually(s, "one that is held", func() bool {
		var all []struct{ ID uint64 }
		_ = json.Unmarshal([]byte(s.must(200, "GET", "/debug/held", "", "")), &all)
		if len(all) > 0 {
			held = all[0].ID
		}
		return held > 0
	})
	for _, path := range []string{fmt.Sprintf("/debug/held?secrets=true&id=%d", held), "/debug/gate", "/debug/flows?secrets=true&limit=10000&own=true", "/debug/flows?filter=res:secrets",
		"/debug/recording?secrets=true", "/debug/recording"} {
		s.must(200, "GET", path, "", "")
	}
	s.must(400, "GET", fmt.Sprintf("/debug/held?id=%d&secrets=maybe", held), "", "")
	s.must(422, "POST", fmt.Sprintf("/debug/held?id=%d&do=go", held), programtest.JSONType, `{"stringData":"`+secretMark+`edited`)
	s.must(200, "POST", "/debug/snapshots", programtest.JSONType, `{"name":"a"}`)
	return held
}

// mustUnpack is a recording as its records are, of one that grows as far as it goes.
func mustUnpack(t *testing.T, packed []byte) string {
	t.Helper()
	z, err := zstd.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	text, err := io.ReadAll(z)
	if err != nil && err != io.ErrUnexpectedEOF || len(text) == 0 {
		t.Fatalf("%v, %d bytes", err, len(text))
	}
	return string(text)
}

// Nothing secret leaves where it is to be masked, however it came and whoever has read it before: in no recording,
// export, report and copy, nor in answers that tell of requests. Where it is asked for it is all there.
func TestSecrets(t *testing.T) {
	c := programtest.RecordingConfig(t)
	p := programtest.MustStartConfig(t, c)
	s := &secretRequests{T: t, p: p}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.writes()
	s.webhooks()
	s.reads()
	s.credentials()
	held := s.debug(ctx)
	s.must(200, "DELETE", allSecrets+"/applied", programtest.JSONType, "")
	hidden := leakOf(append([]string{secretMark, tokenMark}, s.tokens...)...)

	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	asked := func(path string, header ...string) func() string {
		return func() string { return s.must(200, "GET", path, "", "", header...) }
	}
	command := func(args ...string) func() string {
		return func() string { _, out, errs := run(args...); return out + errs }
	}
	recorded := func(tell func() string) func() string {
		return func() string { return mustUnpack(t, []byte(tell())) }
	}
	open := file("open.kubarium", asked("/debug/recording?secrets=true")())
	lines := file("open.jsonl", asked("/debug/flows?secrets=true&own=true&limit=10000")())
	for what, text := range map[string]string{"recording": mustUnpack(t, []byte(command("export", open, "--format", "recording", "--secrets")())), "flows": asked("/debug/flows?secrets=true&own=true&limit=10000")(),
		"held": asked(fmt.Sprintf("/debug/held?secrets=true&id=%d", held))(), "export": command("export", open, "--own", "--secrets")()} {
		if len(hidden.in(text)) == 0 {
			t.Errorf("%s: nothing of what was asked for is shown", what)
		}
	}
	for _, way := range []string{"create", "yaml", "protobuf", "cbor", "update", "stale", "merge", "strategic", "jsonpatch", "apply", "foreign", "refused", "patch", "elsewhere", "webhook", "row", "held"} {
		if text, _ := os.ReadFile(lines); len(leakOf(secretMark+way).in(string(text))) == 0 {
			t.Errorf("%s: it did not come in", way)
		}
	}

	masked := file("masked.kubarium", asked("/debug/recording")())
	flows, _ := p.Log.Since(0, 0)
	ways := map[string]func() string{
		"flows":                     asked("/debug/flows?own=true&limit=10000"),
		"page":                      asked("/debug/flows?own=true&limit=10000", "Accept: text/html"),
		"moments":                   asked("/debug/flows/moments"),
		"held":                      asked(fmt.Sprintf("/debug/held?id=%d", held)),
		"all held":                  asked("/debug/held"),
		"gate":                      asked("/debug/gate"),
		"recording":                 recorded(asked("/debug/recording")),
		"recording without objects": recorded(asked("/debug/recording?objects=false")),
		"export":                    command("export", "--server", p.URL, "--own"),
		"export HAR":                command("export", "--server", p.URL, "--own", "--format", "har"),
		"export recording":          recorded(command("export", "--server", p.URL, "--own", "--format", "recording")),
		"export filtered":           recorded(command("export", "--server", p.URL, "--format", "recording", "--filter", "res:secrets")),
		"export file":               command("export", open, "--own"),
		"export file as HAR":        command("export", open, "--own", "--format", "har"),
		"export file as recording":  recorded(command("export", open, "--own", "--format", "recording")),
		"export file of lines":      command("export", lines, "--own"),
		"export lines as recording": recorded(command("export", lines, "--own", "--format", "recording")),
		"doctor":                    command("doctor", open),
		"doctor as JSON":            command("doctor", "--format", "json", lines),
		"diff":                      command("diff", open, masked, "--all", "--own"),
		"diff as JSON":              command("diff", lines, masked, "--all", "--own", "--format", "json"),
	}
	for _, form := range []export.Form{export.Recording, export.JSONLines, export.HAR} {
		ways["screen's "+form.String()] = func() string {
			path := filepath.Join(dir, "x"+form.Extension())
			if _, err := (&export.Choice{Form: form, Flows: flows}).Write(path); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if form == export.Recording {
				return mustUnpack(t, text)
			}
			return string(text)
		}
	}
	ways["copies"] = func() string { return allCopies(flows) }
	for what, tell := range ways {
		if text := tell(); len(text) == 0 || len(hidden.in(text)) > 0 {
			t.Errorf("%s, %d bytes: %s", what, len(text), strings.Join(hidden.in(text), "\n"))
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(c.Record.File)
	if err != nil {
		t.Fatal(err)
	}
	if found := hidden.in(mustUnpack(t, text)); len(found) > 0 {
		t.Errorf("the recording: %s", strings.Join(found, "\n"))
	}
}

// allCopies are what the screen copies of requests and of the calls that were made for them.
func allCopies(flows []*flow.Flow) string {
	var b strings.Builder
	env := &page.Env{Server: page.Server{URL: "http://127.0.0.1:8080", DB: "k.db"}, Shared: &page.Shared{}}
	for _, f := range flows {
		f = env.Masked(f)
		for _, one := range append([]*flow.Flow{f}, callsOf(f)...) {
			for _, c := range page.Copyings {
				b.WriteString(c.Text(env, one) + "\n")
			}
		}
	}
	return b.String()
}

func callsOf(f *flow.Flow) (all []*flow.Flow) {
	for _, c := range f.Calls {
		all = append(all, c.Flow)
	}
	return all
}
