package tui

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"kubarium/flow"
	"kubarium/flow/object"
	"kubarium/tui/objects"
	"kubarium/tui/page"
)

// A fakeAPI answers what the screen Objects asks for, of the demo's story.
type fakeAPI struct {
	asked     []string // paths with their queries
	did       []string // requests that are no reads
	err       error
	clashes   bool   // the deployment web has been written by somebody else
	elsewhere string // what the APIService of widgets says of its server; "" for none
	envelope  string // above values, in etcd; "" for none
}

const fakeCore = `{"items":[{"metadata":{"name":""},"versions":[{"version":"v1","resources":[
 {"resource":"configmaps","responseKind":{"kind":"ConfigMap"},"scope":"Namespaced","shortNames":["cm"],"verbs":["create","delete","get","list","patch","update","watch"]},
 {"resource":"namespaces","responseKind":{"kind":"Namespace"},"scope":"Cluster","shortNames":["ns"],"verbs":["create","delete","get","list","patch","update","watch"],"subresources":[{"subresource":"finalize"},{"subresource":"status"}]},
 {"resource":"secrets","responseKind":{"kind":"Secret"},"scope":"Namespaced","verbs":["create","delete","get","list","patch","update","watch"]}]}]}]}`

const fakeGroups = `{"items":[
 {"metadata":{"name":"apps"},"versions":[{"version":"v1","resources":[
  {"resource":"deployments","responseKind":{"kind":"Deployment"},"scope":"Namespaced","shortNames":["deploy"],"categories":["all"],"verbs":["create","delete","get","list","patch","update","watch"],"subresources":[{"subresource":"scale"},{"subresource":"status"}]}]}]},
 {"metadata":{"name":"authorization.k8s.io"},"versions":[{"version":"v1","resources":[
  {"resource":"selfsubjectaccessreviews","responseKind":{"kind":"SelfSubjectAccessReview"},"scope":"Cluster","verbs":["create"]}]}]},
 {"metadata":{"name":"example.io"},"versions":[{"version":"v2","resources":[
  {"resource":"widgets","responseKind":{"kind":"Widget"},"scope":"Namespaced","shortNames":["wd"],"verbs":["get","list"]}]},{"version":"v1","resources":[
  {"resource":"widgets","responseKind":{"kind":"Widget"},"scope":"Namespaced","shortNames":["wd"],"verbs":["get","list"]}]}]}]}`

const fakeColumns = `"columnDefinitions":[{"name":"Name","priority":0},{"name":"Ready","priority":0},{"name":"Age","priority":0},{"name":"Images","priority":1}]`

func fakeRow(name, ready, more string) string {
	return fmt.Sprintf(`{"cells":[%q,%q,"9m","%s:1.0"],"object":{"metadata":{"name":%q,"namespace":"default","creationTimestamp":"2026-11-21T11:57:00Z"%s}}}`, name, ready, name, name, more)
}

var fakeDeployments = `{"kind":"Table","metadata":{"resourceVersion":"4170"},` + fakeColumns + `,"rows":[` +
	fakeRow("db", "1/1", `,"deletionTimestamp":"2026-11-21T11:59:46Z","finalizers":["example.io/backup"]`) + "," + fakeRow("web", "0/2", "") + `]}`

// fakeWeb is the deployment web with two managers.
const fakeWeb = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"default","resourceVersion":"4177","generation":7,"uid":"9f1c","creationTimestamp":"2026-11-21T11:57:00Z","labels":{"app":"web"},"ownerReferences":[{"apiVersion":"example.io/v1","kind":"Widget","name":"boss","uid":"b055"}],
 "managedFields":[{"manager":"kubectl","operation":"Apply","apiVersion":"apps/v1","time":"2026-11-21T11:57:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:image":{},"f:name":{}}}}}}}},
  {"manager":"hpa","operation":"Update","subresource":"scale","apiVersion":"apps/v1","time":"2026-11-21T11:58:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:replicas":{},"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{"f:image":{}}}}}}}}]},
 "spec":{"replicas":8,"template":{"spec":{"containers":[{"name":"web","image":"web:1.0"}]}}}}`

// fakeSecret has a value that is to be seen nowhere.
const fakeSecret = `{"kind":"Secret","metadata":{"name":"token","namespace":"default","resourceVersion":"9"},"data":{"password":"aHVudGVyMg=="}}`

// fakeRows are the values of rows, by resource.
var fakeRows = map[string]string{
	"deployments": `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"default"},"spec":{"replicas":8}}`,
	"secrets":     `{"kind":"Secret","metadata":{"name":"token"},"data":{"password":"aHVudGVyMg=="}}`,
}

func (f *fakeAPI) RoundTrip(r *http.Request) (*http.Response, error) {
	f.asked = append(f.asked, r.URL.RequestURI())
	if f.err != nil {
		return nil, f.err
	}
	if r.Method != http.MethodGet {
		f.did = append(f.did, r.Method+" "+r.URL.Path)
	}
	code, body := 200, f.answer(r)
	switch {
	case r.Method == http.MethodPut && f.clashes:
		code, body = 409, `{"kind":"Status","reason":"Conflict","message":"the object has been modified","code":409}`
	case r.Method == http.MethodPatch:
		code, body = 403, `{"kind":"Status","reason":"Forbidden","message":"deployments.apps \"web\" is forbidden: User \"jane\" cannot patch resource \"deployments/scale\" in API group \"apps\" in the namespace \"default\"","code":403}`
	case body == "":
		code, body = 404, `{"kind":"Status","reason":"NotFound","message":"the server could not find the requested resource","code":404}`
	}
	header := http.Header{}
	if f.envelope != "" && r.URL.Path == "/debug/rows" {
		header.Set("Kubarium-Envelope", f.envelope)
	}
	return &http.Response{StatusCode: code, Header: header, Body: io.NopCloser(strings.NewReader(body))}, nil
}

func (f *fakeAPI) answer(r *http.Request) string {
	table, names := strings.Contains(r.Header.Get("Accept"), "as=Table"), strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadataList")
	exact := r.URL.Query().Get("resourceVersionMatch") == "Exact"
	switch path := r.URL.Path; {
	case path == "/debug/plan" && strings.HasPrefix(r.URL.Query().Get("sql"), "UPDATE"):
		return `{"plan":[{"id":5,"parent":0,"detail":"SEARCH objects USING INDEX sqlite_autoindex_objects_1 (resource=? AND key=?)"},{"id":9,"parent":5,"detail":"SCAN store"}]}`
	case path == "/debug/rows":
		return fakeRows[r.URL.Query().Get("resource")]
	case path == "/debug/changes" && r.URL.Query().Get("name") == "web":
		return `{"changes":[{"revision":4177,"type":"U","resource":"deployments.apps","namespace":"default","name":"web","at":"2026-11-21T11:59:42Z","outside":true,"beforeRevision":4176,"bytes":214},
 {"revision":4176,"type":"C","resource":"deployments.apps","namespace":"default","name":"web","at":"2026-11-21T11:59:41Z","bytes":210}]}`
	case path == "/debug/changes" && r.URL.Query().Get("name") != "":
		return `{"changes":[]}`
	case path == "/debug/changes":
		return fakeChange(r)
	case path == "/api":
		return fakeCore
	case path == "/apis":
		return fakeGroups
	case strings.HasSuffix(path, "/apiservices") && f.elsewhere != "":
		return `{"items":[{"spec":{"group":"apps","version":"v1"}},{"spec":{"group":"example.io","version":"v2",` + f.elsewhere + `}}]}`
	case strings.HasSuffix(path, "/customresourcedefinitions"):
		return `{"metadata":{"resourceVersion":"4170"},"items":[{"metadata":{"name":"widgets.example.io"}}]}`
	case names && strings.HasSuffix(path, "/namespaces/default/deployments"):
		return `{"items":[{"metadata":{"name":"mine","namespace":"default","ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"web","uid":"9f1c","controller":true,"blockOwnerDeletion":true}]}},
 {"metadata":{"name":"other","namespace":"default","ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"web","uid":"older"}]}}]}`
	case names && strings.HasSuffix(path, "/deployments"):
		return `{"metadata":{"resourceVersion":"4170","remainingItemCount":1},"items":[{"metadata":{"name":"db"}}]}`
	case names:
		return `{"metadata":{"resourceVersion":"4170"},"items":[]}`
	case exact && !table:
		return `{"items":[]}`
	case table && strings.HasSuffix(path, "/secrets"):
		return `{"kind":"Table","metadata":{"resourceVersion":"4170"},` + fakeColumns + `,"rows":[` + fakeRow("token", "1", "") + `]}`
	case table && strings.HasSuffix(path, "/deployments"):
		return fakeDeployments
	case table && strings.HasSuffix(path, "/deployments/web"):
		return `{"kind":"Table","metadata":{},` + fakeColumns + `,"rows":[` + fakeRow("web", "2/2", "") + `]}`
	case table:
		return `{"kind":"Table","metadata":{"resourceVersion":"4170"},` + fakeColumns + `,"rows":[]}`
	case strings.HasSuffix(path, "/deployments/web/scale"):
		return `{"kind":"Scale","spec":{"replicas":8}}`
	case strings.HasSuffix(path, "/deployments/web") && f.clashes:
		return strings.NewReplacer(`"resourceVersion":"4177"`, `"resourceVersion":"4178"`, `"replicas":8`, `"replicas":12`, `"app":"web"`, `"app":"web","tier":"front"`).Replace(fakeWeb)
	case strings.HasSuffix(path, "/deployments/web"):
		return fakeWeb
	case strings.HasSuffix(path, "/deployments/db"):
		return `{"metadata":{"name":"db","namespace":"default","resourceVersion":"4100","deletionTimestamp":"2026-11-21T11:59:46Z","finalizers":["example.io/backup"]}}`
	case strings.HasSuffix(path, "/secrets/token"):
		return fakeSecret
	}
	return ""
}

// objectsUI is a ui on the screen Objects of the demo's story, with what it asked for answered.
func objectsUI(t *testing.T, w, h int, keys ...string) (*ui, *fakeAPI, *demo) {
	t.Helper()
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", w, h)
	f := u.API.Transport.(*fakeAPI)
	for _, k := range append([]string{"7"}, keys...) {
		u.view()
		u.key(k)
		u.settle()
	}
	return u, f, d
}

func mustSee(t *testing.T, u *ui, want ...string) {
	t.Helper()
	for _, s := range want {
		if !strings.Contains(u.screenText(), s) {
			t.Errorf("the screen does not say %q:\n%s", s, u.screenText())
		}
	}
}

// The screen lists what discovery tells, with the number of objects, and what of it is defined by users.
func TestObjects_Resources(t *testing.T) {
	u, f, _ := objectsUI(t, 120, 36)
	mustSee(t, u, "6 resources", "apps/v1", "deployments", "deploy", "example.io/v2  custom")
	u.keys("/", "w", "i", "d", "enter")
	u.settle()
	mustSee(t, u, "1 of 6 shown", "also served as v1", "There are no widgets.")
	for _, path := range f.asked {
		if strings.Contains(path, "selfsubject") {
			t.Errorf("%s was asked for: it cannot be listed", path)
		}
	}
}

// Words that name a resource put the cursor on it, whatever else has them.
func TestObjects_Seek(t *testing.T) {
	u, _, _ := objectsUI(t, 120, 36, "G", "/", "c", "m")
	if row := u.underCursor(0); !strings.HasPrefix(row, "configmaps ") {
		t.Errorf("cm: %s", row)
	}
	u.keys("backspace", "backspace", "n", "a", "m", "e", "s", "p", "enter")
	u.settle()
	if row := u.underCursor(0); !strings.HasPrefix(row, "namespaces ") {
		t.Errorf("namesp: %s", row)
	}
	mustSee(t, u, "1 of 6 shown")
}

// A count grows and shrinks with the commits made after the objects were counted.
func TestObjects_Counts(t *testing.T) {
	u, _, d := objectsUI(t, 120, 36)
	n := func() (n int64) {
		for _, l := range strings.Split(u.screenText(), "\n") {
			if f := strings.Fields(ansi.Cut(l, 0, u.lay.panes[0].W)); slices.Contains(f, "deployments") {
				n, _ = strconv.ParseInt(f[len(f)-1], 10, 64) // 0 is none of the wanted
			}
		}
		return n
	}
	if n() != 3 { // two at revision 4170, and web was created at 4171
		t.Fatalf("%d deployments", n())
	}
	d.write("A", "create", flow.Created, "api", 1)
	d.write("A", "create", flow.Created, "old", 1)
	d.write("A", "delete", flow.Deleted, "web", 1)
	u.fold()
	if n() != 4 {
		t.Fatalf("%d deployments after two creates and a delete", n())
	}
}

// After a definition has changed what is served is asked for once, and counts that are known are not asked for again.
func TestObjects_Definitions(t *testing.T) {
	u, f, d := objectsUI(t, 120, 36)
	f.asked = nil
	for range 3 {
		d.rv++
		d.log.Committed(flow.Commit{Revision: d.rv, Type: flow.Updated, Resource: object.Definitions, Name: "widgets.example.io", At: d.at})
		u.fold()
	}
	u.settle()
	if len(f.asked) != 4 || f.asked[0] != "/api" || f.asked[1] != "/apis" {
		t.Errorf("asked for %q", f.asked)
	}
}

// What another server answers for is read again after a client wrote there: no commit tells of it.
func TestObjects_Elsewhere(t *testing.T) {
	u, f, d := objectsUI(t, 120, 36)
	f.elsewhere = `"service":{"namespace":"sea","name":"widgets"}`
	d.rv++
	d.log.Committed(flow.Commit{Revision: d.rv, Type: flow.Created, Resource: "apiservices.apiregistration.k8s.io", Name: "v2.example.io", At: d.at})
	u.fold()
	u.settle()
	u.keys("/", "w", "i", "d", "enter")
	u.settle()
	mustSee(t, u, "example.io/v2  aggregated")
	f.asked = nil
	for _, verb := range []string{"get", "create", "update"} {
		w := d.request("A", verb, "widgets", "one", 200, 1)
		w.Target.Group, w.Target.Version = "example.io", "v2"
		d.log.Publish(w)
		u.fold()
	}
	u.settle()
	slices.Sort(f.asked)
	if len(f.asked) != 2 || !strings.HasPrefix(f.asked[0], "/apis/example.io/v2/widgets?limit=") || !strings.HasPrefix(f.asked[1], "/apis/example.io/v2/widgets?limit=") {
		t.Errorf("asked for %q", f.asked)
	}
}

// The objects are the server's Table; an object that is going says what holds it, and -o wide has more columns.
func TestObjects_Table(t *testing.T) {
	u, _, _ := objectsUI(t, 120, 36, "/", "d", "e", "p", "l", "enter", "enter")
	mustSee(t, u, "NAMESPACE", "READY", "◌default", "terminating, held by example.io/backup", "1/1", "3m")
	if strings.Contains(u.screenText(), "IMAGES") {
		t.Error("a column of -o wide is shown")
	}
	u.keys("w")
	mustSee(t, u, "IMAGES", "web:1.0")
	u.keys("/", "b", "a", "c", "k", "u", "p", "enter")
	mustSee(t, u, "1 of 2 shown")
}

// After a commit the row of its object is asked for again, by itself.
func TestObjects_Follows(t *testing.T) {
	u, f, d := objectsUI(t, 120, 36, "/", "d", "e", "p", "l", "enter", "enter")
	f.asked = nil
	d.write("A", "update", flow.Updated, "web", 3)
	u.fold()
	u.settle()
	mustSee(t, u, "2/2")
	if len(f.asked) != 1 || f.asked[0] != "/apis/apps/v1/namespaces/default/deployments/web" {
		t.Errorf("asked for %q", f.asked)
	}
	d.write("A", "delete", flow.Deleted, "gone", 3)
	u.fold()
	u.settle()
	mustSee(t, u, "deployments.apps  2") // another object was deleted
}

// An object shows who owns which field.
func TestObjects_Fields(t *testing.T) {
	u, _, _ := objectsUI(t, 120, 36, "/", "d", "e", "p", "l", "enter", "enter", "j", "enter", "]")
	text := u.screenText()
	for _, want := range []string{"kubectl", "hpa", "/scale"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	for field, marks := range map[string]string{"metadata.labels.app": "■ ·", "spec.replicas": "· ■", "[web].image": "▣ ▣"} {
		found := false
		for _, l := range strings.Split(text, "\n") {
			found = found || strings.Contains(l, field) && strings.Contains(l, marks)
		}
		if !found {
			t.Errorf("%s is not marked %s:\n%s", field, marks, text)
		}
	}
}

// The history is made of the recorded requests; what differs is shown against the version before, or a chosen one.
func TestObjects_History(t *testing.T) {
	u, _, _ := objectsUI(t, 120, 36, "/", "d", "e", "p", "l", "enter", "enter", "j", "enter", "]", "]")
	mustSee(t, u, "7 versions; created at rv 4171", "from rv 4176 to rv 4177", "replicas: 8")
	u.keys("G", "m", "g")
	mustSee(t, u, "from rv 4171 to rv 4177", "-   replicas: 1", "+   replicas: 8", "◆")
	u.keys("j", "enter")
	if u.Front != page.Traffic || u.Sel.Revision != 4176 {
		t.Errorf("enter shows screen %d with #%d at rv %d", u.Front, u.Sel.Seq, u.Sel.Revision)
	}
}

// A click gives the keys to a pane and chooses in it, wherever the pane is drawn.
func TestObjects_Click(t *testing.T) {
	u, _, _ := objectsUI(t, 160, 48)
	click := func(text string, column int) {
		u.view()
		lines := strings.Split(u.screenText(), "\n")
		for y, l := range lines {
			if i := strings.Index(l, text); i >= 0 {
				u.click(column, y)
				u.settle()
				return
			}
		}
		t.Fatalf("no %q on the screen", text)
	}
	click("deployments", 5)
	if row := u.underCursor(0); !strings.HasPrefix(row, "deployments ") || u.At != 0 {
		t.Fatalf("%s in pane %d", row, u.At)
	}
	click("◌default", 60)
	if row := u.underCursor(1); !strings.HasPrefix(row, "◌default    db ") || u.At != 1 {
		t.Fatalf("%s in pane %d", row, u.At)
	}
	r := u.lay.panes[2]
	u.click(r.X+7, r.Y)
	if u.At != 2 || u.objects().Object.Tab != objects.TabFields {
		t.Fatalf("%s in pane %d", u.objects().Object.Tab, u.At)
	}
	u.resize(80, 24)
	u.keys("h", "h")
	click("secrets", 5)
	if row := u.underCursor(0); !strings.HasPrefix(row, "secrets ") {
		t.Errorf("in one column: %s", row)
	}
}

// The object that is chosen in Traffic is the one that Objects opens on.
func TestObjects_SharesSelection(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("k", "k", "k", "k", "7")
	u.settle()
	if s := u.objects().ShownSubject(); s.Resource != "deployments.apps" || s.Name != "web" {
		t.Errorf("it shows %+v", s)
	}
}

// What a Secret holds is masked in YAML and history, and shown only when that was asked for.
func TestObjects_Secret(t *testing.T) {
	u, _, _ := objectsUI(t, 120, 36, "/", "s", "e", "c", "r", "enter", "enter", "enter")
	mustSee(t, u, "password:")
	if strings.Contains(u.screenText(), "aHVudGVyMg") {
		t.Error("the secret is shown")
	}
	u.toggleUnmask()
	u.settle()
	mustSee(t, u, "UNMASKED", "aHVudGVyMg")
	u.toggleUnmask()
	if strings.Contains(u.screenText(), "aHVudGVyMg") {
		t.Error("the secret is still shown")
	}
}

// An answer for a resource that is not chosen any more is dropped.
func TestObjects_StaleAnswer(t *testing.T) {
	u, _, _ := objectsUI(t, 120, 36)
	u.keys("/", "d", "e", "p")
	for _, e := range u.takeEffects() {
		if l, ok := e.(page.Later); ok {
			l.Do() // the cursor has rested: the objects are asked for
		}
	}
	late := u.takeEffects()
	u.keys("backspace", "backspace", "backspace", "s", "e", "c", "enter")
	u.settle()
	mustSee(t, u, "─ secrets  1 ", "default    token")
	for _, e := range late {
		if w, ok := e.(page.Work); ok {
			w.Run()()
		}
	}
	if len(late) == 0 {
		t.Error("the objects of the first resource were not asked for")
	}
	mustSee(t, u, "─ secrets  1 ", "default    token")
}

// A server that does not answer is said to, with the key that asks again.
func TestObjects_Error(t *testing.T) {
	d := newDemo(flow.Limits{})
	u, _ := testUI(d, "mono", 80, 24)
	f := u.API.Transport.(*fakeAPI)
	f.err = io.ErrUnexpectedEOF
	u.keys("7")
	u.settle()
	mustSee(t, u, "unexpected EOF", "asks again")
	f.err = nil
	u.keys("u")
	u.settle()
	mustSee(t, u, "configmaps")
}

// The canned answers are JSON.
func TestFakeAPI_JSON(t *testing.T) {
	for _, s := range []string{fakeCore, fakeGroups, fakeDeployments, fakeWeb, fakeSecret} {
		if !json.Valid([]byte(s)) {
			t.Errorf("no JSON: %.80s", s)
		}
	}
}

// In plain mode the same is told in words.
func TestPlain_Objects(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 80, 24)
	var out strings.Builder
	p := &plain{u: u, out: &out}
	for command, want := range map[string]string{
		"resources custom":                     "widgets in example.io/v2, kind Widget, namespaced: 0 objects. Verbs get, list. A custom one.",
		"objects deploy db":                    "default/db: ready 1/1, age 3m. It is terminating, held by example.io/backup.",
		"objects wd":                           "There are no widgets.",
		"object deployments web":               "replicas: 8",
		"object deployments web fields":        "metadata.labels.app",
		"object deployments web history":       "resourceVersion 4177: updated, by B, 1 line more and 1 less.",
		"object secrets token":                 "password:",
		"object gadgets x":                     `serves no resource "gadgets"`,
		"object deployments default/not-there": "could not find",
	} {
		out.Reset()
		p.command(command)
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s: %s", command, out.String())
		}
		if strings.Contains(out.String(), "aHVudGVyMg") {
			t.Errorf("%s tells a secret", command)
		}
	}
}

// Words lead to resources by any of their names, and to objects; what is called exactly so comes first, whatever else has the letters.
func TestObjects_Interpret(t *testing.T) {
	for typed, want := range map[string]string{
		"deploy": ":deploy", "deployment": ":deployment", "Deployments": ":Deployments", ":cm": ":cm", "deploy web": ":deploy web", "deploy team/web": ":deploy team/web",
		"conf": ":configmaps", "wd": ":wd", "all": ":all", "ns": ":ns", "ns team": ":ns team", "compact": ":compact", "scale 3": ":scale 3", "label a=b c-": ":label a=b c-", "q": "q", "unmask": ":unmask",
	} {
		u, _, _ := objectsUI(t, 120, 36)
		u.keys(":")
		for _, r := range typed {
			u.key(keyOf(string(r)))
		}
		found := false
		for _, l := range strings.Split(u.screenText(), "\n") {
			if _, rest, ok := strings.Cut(l, "> "+typed+" "); ok && strings.Contains(rest, "│") {
				found = true
			} else if found {
				if _, first, _ := strings.Cut(l, "│ "); !strings.HasPrefix(first, want+" ") && !strings.Contains(l, "│ "+want+" ") {
					t.Errorf("%s: %s", typed, l)
				}
				break
			}
		}
		if !found {
			t.Errorf("%s is not on the screen", typed)
		}
	}
}

// From another page a resource is gone to, also if it is not known yet what is served; for one that is not served the
// page stays.
func TestObjects_Goto(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.story()
	u, _ := testUI(d, "mono", 120, 36)
	u.keys(append(strings.Split(":deploy", ""), "enter")...)
	u.settle()
	if u.Front != page.Objects {
		t.Fatalf("page %d", u.Front)
	}
	mustSee(t, u, "─ deployments.apps  2 ")
	if u.At != 1 {
		t.Errorf("pane %d", u.At)
	}
	u.keys(append(strings.Split(":secret", ""), "space", "t", "o", "k", "e", "n", "enter")...)
	u.settle()
	if s := u.objects().ShownSubject(); s.Resource != "secrets" || s.Name != "token" || u.At != 2 {
		t.Errorf("it shows %+v in pane %d", s, u.At)
	}
	u.keys(append(strings.Split(":all", ""), "enter")...)
	u.settle()
	mustSee(t, u, "1 of 6 shown")
	u.objects().GoTo(0, 0)
	w, _ := testUI(d, "mono", 120, 36)
	w.keys(append(strings.Split(":gizmos", ""), "enter")...)
	w.settle()
	mustSee(t, w, `no command and no resource is named "gizmos"`)
	if w.Front != page.Traffic {
		t.Errorf("page %d", w.Front)
	}
}

// What is asked can be answered by the mouse.
func TestObjects_ClickQuestion(t *testing.T) {
	u, f, _ := objectsUI(t, 120, 36, "/", "d", "e", "p", "l", "enter", "enter", "j")
	click := func(text string) {
		t.Helper()
		u.view()
		for y, l := range strings.Split(u.screenText(), "\n") {
			if i := strings.Index(l, text); i >= 0 {
				u.click(len([]rune(l[:i])), y)
				u.settle()
				return
			}
		}
		t.Fatalf("no %q on the screen:\n%s", text, u.screenText())
	}
	u.keys("D")
	u.settle()
	click("keep it")
	if u.Over != nil || len(f.did) > 0 {
		t.Fatalf("it did %q", f.did)
	}
	click("D delete  ") // the hint
	mustSee(t, u, "Delete deployments/web?")
	click("foreground: what it owns goes first")
	if len(f.did) != 1 || f.did[0] != "DELETE /apis/apps/v1/namespaces/default/deployments/web" {
		t.Errorf("it did %q", f.did)
	}
	u.keys(":", "n", "s", "space", "d", "e", "v")
	click("show only the objects of namespace dev")
	if u.Namespace != "dev" {
		t.Errorf("narrowed to %q", u.Namespace)
	}
}
