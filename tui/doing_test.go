//go:build unix

package tui_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/flow"
	"kubarium/server/controllers"
	"kubarium/tui"
)

// A desk is a reader at the screen of a server, with an editor that does what the test tells it.
type desk struct {
	*terminal
	p   *program.Program
	dir string
	n   int // how often the editor was told what to do
}

const (
	deploys = "/apis/apps/v1/namespaces/default/deployments"
	maps    = "/api/v1/namespaces/default/configmaps"
	web     = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","labels":{"app":"web"}},"spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i:1"}]}}}}`
)

// mustDesk starts a server with a deployment, and shows it on the page Objects.
func mustDesk(t *testing.T, go1 string) *desk {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	p, err := program.Start(ctx, program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Hour, Sync: "normal", Controllers: controllers.All()}, slog.New(slog.DiscardHandler))
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	d := &desk{p: p, dir: t.TempDir(), terminal: &terminal{t: t}}
	d.file("editor", `n=$(( $(cat `+d.dir+`/n 2>/dev/null || echo 0) + 1 )); echo $n > `+d.dir+`/n; cp "$1" `+d.dir+`/seen-$n
test -x `+d.dir+`/do-$n || exit 0
exec `+d.dir+`/do-$n "$1"`)
	t.Setenv("KUBE_EDITOR", "")
	t.Setenv("EDITOR", d.dir+"/editor")
	d.terminal = start(t, ctx, tui.Options{Log: p.Log, URL: p.URL, NoIntro: true, Theme: "mono", StateDir: filepath.Join(d.dir, "state")})
	t.Cleanup(func() {
		cancel()
		d.End()
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	d.ask("POST", deploys, web)
	d.see("create  deployments")
	d.keys(":" + go1 + "\r")
	return d
}

// file writes a script.
func (d *desk) file(name, script string) {
	d.t.Helper()
	temporary := filepath.Join(d.dir, name+".new")
	if err := os.WriteFile(temporary, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.Rename(temporary, filepath.Join(d.dir, name)); err != nil {
		d.t.Fatal(err)
	}
}

// edits tells the editor what to do to the file $1 the next time; sed's words.
func (d *desk) edits(words string) {
	d.runs(`sed "` + words + `" "$1" > "$1.new" && mv "$1.new" "$1"`)
}

// runs tells the editor what to run the next time.
func (d *desk) runs(script string) {
	d.n++
	d.file(fmt.Sprintf("do-%d", d.n), script)
}

// seen is the text that the editor got the n-th time.
func (d *desk) seen(n int) string {
	d.t.Helper()
	b, err := os.ReadFile(filepath.Join(d.dir, fmt.Sprintf("seen-%d", n)))
	if err != nil {
		d.t.Fatal(err)
	}
	return string(b)
}

// ask sends a request as another client, and returns the answer.
func (d *desk) ask(method, path, body string) string {
	d.t.Helper()
	req, err := http.NewRequest(method, d.p.URL+path, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("User-Agent", "other/1")
	req.Header.Set("Content-Type", "application/json")
	if method == "PATCH" {
		req.Header.Set("Content-Type", "application/merge-patch+json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return string(b)
}

// has waits until an object says something.
func (d *desk) has(path, want string) {
	d.t.Helper()
	if !waitFor(func() bool { return strings.Contains(d.ask("GET", path, ""), want) }) {
		d.t.Fatalf("%s has no %s: %s", path, want, d.ask("GET", path, ""))
	}
}

// you are the reader's own requests, a line each.
func (d *desk) you() string {
	flows, _ := d.p.Log.Since(0, 0)
	var out []string
	for _, f := range flows {
		if f.Client.UserAgent == flow.ActionAgent && f.Client.Tag == "you" && !f.Client.Own() {
			out = append(out, fmt.Sprintf("%s %s%s %d", f.Method, f.Path, map[bool]string{true: "?" + f.Query}[f.Query != ""], f.Status))
		}
	}
	return strings.Join(out, "\n")
}

// copied is what was copied last.
func (d *desk) copied(want string) string {
	d.t.Helper()
	var b []byte
	if !waitFor(func() bool {
		all := regexp.MustCompile("\x1b\\]52;c;([^\x07\x1b]*)[\x07\x1b]").FindAllStringSubmatch(d.raw.String(), -1)
		if len(all) > 0 {
			b, _ = base64.StdEncoding.DecodeString(all[len(all)-1][1])
		}
		return strings.Contains(string(b), want)
	}) {
		d.t.Fatalf("nothing with %q was copied", want)
	}
	return string(b)
}

// An edit is an update of the version that was read; it is the reader's own request, and its command is offered.
func TestDoing_Edit(t *testing.T) {
	d := mustDesk(t, "deploy web")
	d.see("replicas: 2")
	d.edits("s/replicas: 2/replicas: 3/")
	d.keys("E")
	d.see("edited deployments/web; Y copies kubectl")
	d.see("replicas: 3")
	if text := d.seen(1); !strings.HasPrefix(text, "# deployments/web at resourceVersion ") || strings.Contains(text, "managedFields") {
		t.Error(text)
	}
	if got := d.you(); got != "GET "+deploys+"/web 200\nPUT "+deploys+"/web?fieldValidation=Strict 200" {
		t.Error(got)
	}
	d.keys("Y")
	if s := d.copied("replace"); !strings.Contains(s, "replace -f - -n default --validate=strict <<") || !strings.Contains(s, `"replicas":3`) {
		t.Error(s)
	}
}

// What is not to be sent is not: an unchanged file, an empty one, and what an editor that fails leaves behind.
func TestDoing_Edit_cancelled(t *testing.T) {
	d := mustDesk(t, "deploy web")
	d.see("replicas: 2")
	for script, want := range map[string]string{
		"exit 0":                               "cancelled, the file was saved unchanged",
		`: > "$1"`:                             "cancelled, the file was saved empty",
		`echo "# only this" > "$1"`:            "cancelled, the file was saved empty",
		`echo "x: y" >> "$1"; exit 1`:          "nothing was sent: the editor ended with exit status 1",
		`sed 1d "$1" > "$1.n"; mv "$1.n" "$1"`: "cancelled, the file was saved unchanged",
	} {
		d.runs(script)
		d.keys("E")
		d.see(want)
		d.keys("o") // so that what is said is another thing
		d.see("managedFields are")
	}
	if got := d.you(); strings.Contains(got, "PUT") {
		t.Error(got)
	}
}

// What cannot be stored comes back to the editor, with the reason above it, as often as it takes; a text that is given up is kept.
func TestDoing_Edit_refused(t *testing.T) {
	d := mustDesk(t, "deploy web")
	d.see("replicas: 2")
	d.runs(`printf 'a: [\n' > "$1"`)
	d.runs(`printf 'kind: X\n---\na: b\n' > "$1"`)
	d.runs(`sed "s/^a: b//; s/kind: X/apiVersion: apps\/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicaz: 1}/" "$1" | sed '/^---/d' > "$1.n"; mv "$1.n" "$1"`)
	d.runs(`sed "s/spec: .*/spec: {replicas: -1, selector: {matchLabels: {x: z}}, template: {metadata: {labels: {x: z}}, spec: {containers: [{name: c, image: i}]}}}/" "$1" > "$1.n"; mv "$1.n" "$1"`)
	d.runs("exit 0")
	d.keys("E")
	d.see("your text is in")
	for n, want := range map[int]string{2: "# ✗ ", 3: "it needs apiVersion and kind", 4: `unknown field "spec.replicaz"`, 5: "field is immutable"} {
		if !strings.Contains(d.seen(n), want) {
			t.Errorf("the %d. time: %s", n, d.seen(n))
		}
	}
	if !strings.Contains(d.seen(5), "must be greater than or equal to 0") || strings.Count(d.seen(5), "✗") != 1 {
		t.Error(d.seen(5))
	}
	kept, err := filepath.Glob(filepath.Join(d.dir, "state", "copies", "deployments-web-*.yaml"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("%v %v", kept, err)
	}
	if b, err := os.ReadFile(kept[0]); err != nil || !strings.Contains(string(b), "replicas: -1") {
		t.Errorf("%v: %s", err, b)
	}
	d.has(deploys+"/web", `"replicas":2`)
}

// meanwhile tells the editor to wait, in the middle of an edit, until somebody else has sent a request.
func (d *desk) meanwhile(words, method, path, body string) {
	d.t.Helper()
	open, goOn := filepath.Join(d.dir, fmt.Sprintf("open-%d", d.n+1)), filepath.Join(d.dir, fmt.Sprintf("go-%d", d.n+1))
	d.runs(`sed "` + words + `" "$1" > "$1.new" && mv "$1.new" "$1"
: > ` + open + `; while ! test -e ` + goOn + `; do sleep 0.01; done`)
	d.keys("E")
	waitFor(func() bool {
		_, err := os.Stat(open)
		return err == nil
	})
	d.ask(method, path, body)
	d.file(filepath.Base(goOn), "")
}

// An edit that met another's change shows both; where no field is changed on both sides they are joined.
func TestDoing_Conflict_merge(t *testing.T) {
	d := mustDesk(t, "deploy web")
	d.see("replicas: 2")
	d.meanwhile("s/replicas: 2/replicas: 3/", "PATCH", deploys+"/web", `{"metadata":{"labels":{"tier":"front"}}}`)
	d.see("409: deployments/web was changed by another client")
	d.see("No field changed on both sides")
	d.see("metadata.labels.tier")
	d.see("by oth1")
	d.keys("m")
	d.see("edited deployments/web")
	d.has(deploys+"/web", `"replicas":3`)
	d.has(deploys+"/web", `"tier":"front"`)
}

// Where both changed one field nothing is joined: the editor opens on theirs, with what was the reader's above it. What is given up is kept.
func TestDoing_Conflict_reopen(t *testing.T) {
	d := mustDesk(t, "deploy web")
	d.see("replicas: 2")
	d.meanwhile("s/replicas: 2/replicas: 3/; s/image: i:1/image: i:2/", "PATCH", deploys+"/web", `{"spec":{"replicas":7}}`)
	d.see("1 field changed on both sides")
	d.keys("m")
	d.see("put your change on top of theirs and send it: 1 field changed on both sides")
	d.edits("s/replicas: 7/replicas: 5/")
	d.keys("e")
	d.see("edited deployments/web")
	if text := d.seen(2); !strings.Contains(text, "# spec.replicas: yours was 3, theirs is below") || !strings.Contains(text, "\n  replicas: 7") || !strings.Contains(text, "image: i:2") {
		t.Error(text)
	}
	d.has(deploys+"/web", `"replicas":5`)
	d.has(deploys+"/web", `"image":"i:2"`)
	d.see("replicas: 5")
	d.meanwhile("s/replicas: 5/replicas: 6/", "PATCH", deploys+"/web", `{"spec":{"replicas":8}}`)
	d.see("1 field changed on both sides")
	d.keys("\x1b")
	d.see("your text is in")
	d.has(deploys+"/web", `"replicas":8`)
}

// An edit of what somebody has deleted meanwhile can be created again.
func TestDoing_Edit_deleted(t *testing.T) {
	d := mustDesk(t, "deploy web")
	d.see("replicas: 2")
	d.meanwhile("s/replicas: 2/replicas: 3/", "DELETE", deploys+"/web", "")
	d.see("deployments/web was deleted by another client")
	d.keys("c")
	d.see("created deployments/web")
	d.has(deploys+"/web", `"replicas":3`)
}

// Labels, annotations and replicas change by words, with kubectl's own commands; what is wrong with the words is said at once.
func TestDoing_LabelScale(t *testing.T) {
	d := mustDesk(t, "deploy web")
	d.see("replicas: 2")
	d.keys("t")
	d.see("now: app=web")
	d.keys("tier=front app- bad\r")
	d.see(`"bad" neither sets (key=value) nor removes (key-)`)
	d.keys("\x7f\x7f\x7f\x7f\r")
	d.see("labels of deployments/web changed; Y copies kubectl")
	d.has(deploys+"/web", `"labels":{"tier":"front"}`)
	d.keys("Y")
	if s := d.copied(" label "); !strings.HasSuffix(s, " label deployments web -n default app- tier=front --overwrite") {
		t.Error(s)
	}
	d.keys(":annotate note='for now'\r")
	d.see("annotations of deployments/web changed")
	d.has(deploys+"/web", `"note":"for now"`)
	d.keys("s")
	d.see("how many replicas")
	d.keys("x\r")
	d.see("is not a number from 0")
	d.keys("\x7f\x7f4\r")
	d.see("deployments/web scaled to 4")
	d.has(deploys+"/web", `"replicas":4`)
	d.keys(":scale 5\r")
	d.see("deployments/web scaled to 5")
	d.keys("Y")
	if s := d.copied(" scale "); !strings.HasSuffix(s, " scale deployments web -n default --replicas=5") {
		t.Error(s)
	}
	d.keys(":deployments\r")
	d.keys(":cm kube-root-ca.crt\r")
	d.see("ca.crt")
	d.keys("s")
	d.see("configmaps have no subresource scale")
}

// A deletion asks, names what goes with the object, and says how; one that the server refuses says why.
func TestDoing_Delete(t *testing.T) {
	d := mustDesk(t, "deploy web")
	d.see("replicas: 2")
	uid := regexp.MustCompile(`"uid":"([^"]*)"`).FindStringSubmatch(d.ask("GET", deploys+"/web", ""))[1]
	d.ask("POST", maps, `{"metadata":{"name":"mine","ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"web","uid":"`+uid+`"}]}}`)
	d.keys("D")
	d.see("It owns 1 object: ConfigMap/mine.")
	d.see("--cascade=background|foreground|orphan")
	d.keys("\x1b")
	d.has(deploys+"/web", `"replicas":2`)
	d.keys("D")
	d.see("It owns 1 object")
	d.keys("o")
	d.see("deleted deployments/web; Y copies")
	d.has(deploys+"/web", `"code":404`)
	d.has(maps+"/mine", `"name":"mine"`)
	d.keys("Y")
	if s := d.copied(" delete "); !strings.HasSuffix(s, " delete deployments web -n default --cascade=orphan") {
		t.Error(s)
	}
	d.keys(":ns default\r:namespaces default\r")
	d.see("kubernetes.io/metadata.name")
	d.keys(":delete\r")
	d.see("All objects in the namespace go with it")
	d.keys("b")
	d.see("Refused: delete namespaces/default")
	d.see("this namespace may not be deleted")
}

// An older version comes back as an update, and what is deleted as a create; it is shown what changes, and asked.
func TestDoing_Undo(t *testing.T) {
	d := mustDesk(t, "deploy web")
	d.see("replicas: 2")
	d.ask("PATCH", deploys+"/web", `{"spec":{"replicas":9}}`)
	d.see("replicas: 9")
	d.keys("]]")
	d.see("2 versions")
	d.keys("U")
	d.see("is as it was at rv")
	d.keys("jU")
	d.see("Bring deployments/web back to rv")
	d.see("replicas: 9")
	d.keys("u")
	d.see("again; Y copies kubectl")
	d.has(deploys+"/web", `"replicas":2`)
	d.ask("DELETE", deploys+"/web", "")
	d.see("✗ deleted")
	d.see("4 versions")
	d.keys("gU")
	d.see("this version is the deletion")
	d.keys("jU")
	d.see("send it as a create: it is deleted now")
	d.keys("u")
	d.has(deploys+"/web", `"replicas":2`)
}

// A manifest to begin with has what the object needs; several documents are created one after the other, and what was refused comes back.
func TestDoing_Create(t *testing.T) {
	d := mustDesk(t, "deploy")
	d.see("deployments.apps  1")
	d.runs(`cat > "$1" <<'EOF'
apiVersion: v1
kind: ConfigMap
metadata: {name: one}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: Two}
---
apiVersion: v1
kind: Gadget
metadata: {name: three}
EOF`)
	d.edits("s/Two/two/; s/Gadget/ServiceAccount/")
	d.keys("c")
	d.see("created configmaps/two, serviceaccounts/three; Y copies")
	for _, want := range []string{"apiVersion: apps/v1\nkind: Deployment", "namespace: default", "selector:\n    matchLabels: {}", "containers:\n      - name: \"\""} {
		if !strings.Contains(d.seen(1), want) {
			t.Errorf("no %q in %s", want, d.seen(1))
		}
	}
	if text := d.seen(2); !strings.Contains(text, "# Created before it: configmaps/one.") || !strings.Contains(text, "RFC 1123") || strings.Contains(text, "name: one") {
		t.Error(text)
	}
	d.has(maps+"/two", `"name":"two"`)
	d.keys("Y")
	if s := d.copied("create"); strings.Count(s, "create -f -") != 2 {
		t.Error(s)
	}
	d.runs("exit 3")
	d.keys(":create cm\r")
	d.see("nothing was sent: the editor ended with exit status 3")
}

// The pages of objects narrow to a namespace, which the header names, and show all again.
func TestDoing_Scope(t *testing.T) {
	d := mustDesk(t, "cm")
	d.ask("POST", "/api/v1/namespaces", `{"metadata":{"name":"team"}}`)
	d.ask("POST", "/api/v1/namespaces/team/configmaps", `{"metadata":{"name":"theirs"}}`)
	d.ask("POST", maps, `{"metadata":{"name":"ours"}}`)
	d.see("theirs")
	d.see("ours")
	d.keys(":ns team\r")
	d.see("LIVE   ns team ")
	d.see("configmaps  2 ") // with kube-root-ca.crt
	if strings.Contains(d.screen.String(), " ours ") {
		t.Error(d.screen.String())
	}
	d.keys("n")
	d.see("only objects in this namespace")
	d.keys("\r")
	d.see("ours")
	d.keys(":ns\r")
	d.see("are shown already")
}

// A request is sent again with the body that was written, in the form of the first one.
func TestDoing_Replay(t *testing.T) {
	d := mustDesk(t, "deploy")
	d.see("deployments.apps  1")
	d.keys("1k")
	d.keys("/verb:create res:deployments\r")
	d.see("1 of ")
	d.keys("r")
	d.see("with an edited body, in $EDITOR")
	d.runs(`printf 'a: [' >> "$1"`)
	d.runs(`sed 's/a: \[//; s/name: web/name: again/' "$1" > "$1.n"; mv "$1.n" "$1"`)
	d.keys("e")
	d.see("This is a write")
	d.keys("r")
	d.see("201 Created")
	d.has(deploys+"/again", `"image":"i:1"`)
	if !strings.Contains(d.seen(2), "# ✗ ") {
		t.Error(d.seen(2))
	}
}

// Plain mode has words for what can be done without an editor; what destroys waits for a yes, and forgets what it waited for at anything else.
func TestDoing_Plain(t *testing.T) {
	p, err := program.Start(t.Context(), program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Hour, Sync: "normal"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	d := &desk{p: p, terminal: &terminal{t: t}}
	d.ask("POST", deploys, web)
	d.ask("POST", "/api/v1/namespaces", `{"metadata":{"name":"team"}}`)
	d.ask("POST", "/api/v1/namespaces/team/configmaps", `{"metadata":{"name":"theirs"}}`)
	in, typed := io.Pipe()
	var out syncBuffer
	done := make(chan error, 1)
	go func() {
		_, err := tui.Run(t.Context(), tui.Options{Log: p.Log, URL: p.URL, Plain: true, NoIntro: true, In: in, Out: &out})
		done <- err
	}()
	for _, c := range []struct{ line, want string }{
		{"scale deploy web 4", "Done: kubectl -s " + p.URL + " scale deployments web -n default --replicas=4"},
		{"scale deploy web many", `scale: "many" is not a number from 0 to 2147483647.`},
		{"scale cm web 1", "Refused: 404"},
		{"scale deploy", "scale needs a resource and a name"},
		{"label gadgets web a=b", `serves no resource "gadgets"`},
		{"label deployment default/web tier=front app-", "Done: kubectl -s " + p.URL + " label deployments web -n default app- tier=front --overwrite"},
		{"annotate deployments web note='for now'", "'note=for now' --overwrite"},
		{"yes", "There is nothing to say yes to."},
		{"delete deploy web slowly", `"slowly" is not one of background, foreground and orphan`},
		{"delete deploy nothing", `"nothing" not found`},
		{"delete deploy web foreground", "This deletes deployments/web. It owns nothing: no object names it as owner.\nkubectl -s " + p.URL + " delete deployments web -n default --cascade=foreground\nType yes to do it; anything else keeps it."},
		{"status", "requests recorded"},
		{"yes ", "There is nothing to say yes to.\n"},
		{"delete ns team", "All objects in the namespace go with it: 1 object."},
		{"namespace team", "Only objects in namespace team are listed."},
		{"objects deploy", "There are no deployments."},
		{"namespace", "Objects of all namespaces are listed."},
		{"delete deploy web orphan", "--cascade=orphan"},
		{"yes", "Done: kubectl -s " + p.URL + " delete deployments web -n default --cascade=orphan"},
	} {
		from := len(out.String())
		if _, err := io.WriteString(typed, c.line+"\n"); err != nil {
			t.Fatal(err)
		}
		if !waitFor(func() bool { return strings.Contains(out.String()[from:], c.want) }) {
			t.Fatalf("%s: %s", c.line, out.String()[from:])
		}
	}
	if _, err := io.WriteString(typed, "quit\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if text := d.ask("GET", deploys+"/web", ""); !strings.Contains(text, `"deletionTimestamp"`) && !strings.Contains(text, `"code":404`) {
		t.Error(text)
	}
}

// Of a recording nothing can be changed, and each key says so.
func TestDoing_ReadOnly(t *testing.T) {
	log := flow.NewLog(flow.Limits{})
	te := start(t, t.Context(), tui.Options{Log: log, NoIntro: true, Theme: "mono", Source: tui.Source{Kind: tui.Recording, Name: "run.kubarium"}})
	te.see("RECORDING")
	te.keys("7")
	for _, command := range []string{":create", ":edit", ":delete", ":scale", ":label", ":annotate", ":undo"} {
		te.keys(command + "\r")
		te.see(command + ": this is a recording: it cannot be changed")
	}
	te.keys("c")
	te.see("c: this is a recording: it cannot be changed")
	te.keys("\x03\x03")
	te.End()
}
