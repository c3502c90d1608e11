package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubarium/flow"
	"kubarium/flow/redact"
	"kubarium/tui/client"
	"kubarium/tui/objects"
	"kubarium/tui/page"
)

// newestAsked is etcd asked for its newest revision.
var newestAsked = flow.Statement{SQL: "get ?1 --count-only", Args: []string{"/kubarium/compacted"}, Kinds: "t", Start: 400 * time.Microsecond, Length: 310 * time.Microsecond}

// updateAsked is the transaction of an update.
func updateAsked(name string, expect int64, value string) flow.Statement {
	put := fmt.Sprintf("kubarium 1763900000000 FVMZ5YQ3EX 17 %d\n%s", expect, value)
	return flow.Statement{SQL: "mod(?1) = ?2\n\nput ?1 ?3\n\nget ?1\n", Args: []string{"/kubarium/objects/deployments.apps/default/" + name, fmt.Sprint(expect), flow.ShortArg(put)}, Kinds: "ttT",
		Rows: 1, Start: time.Millisecond, Length: 900 * time.Microsecond}
}

// etcdViews are states of the screen of a server whose objects are in etcd.
var etcdViews = []view{
	{name: "etcd", keys: []string{"/", "v", "e", "r", "b", ":", "u", "p", "d", "a", "t", "e", "enter", "G", "enter", "]", "]", "]", "]"}},
	{name: "etcd-lost", keys: []string{"/", "c", "o", "d", "e", ":", "4", "0", "9", "enter", "G", "enter", "]", "]", "]", "]"}},
	{name: "etcd-none", keys: []string{"/", "c", "o", "d", "e", ":", "4", "0", "4", "enter", "G", "enter", "]", "]", "]", "]"}},
	{name: "etcd-legend", keys: []string{"enter", "]", "]", "]", "]", "e"}},
	{name: "etcd-copy", keys: []string{"k", "k", "y"}},
	{name: "etcd-lists", also: func(d *demo) { d.chunks("k1", 3) }, keys: []string{"3"}},
	{name: "etcd-versions", keys: []string{"4"}},
	{name: "etcd-key", keys: []string{"7", "j", "j", "j", "enter", "j", "enter", "["}, asks: true},
}

// The screen of a server on etcd is as it was looked at and found good.
func TestView_GoldenEtcd(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		for _, v := range etcdViews {
			v.etcd = true
			name := fmt.Sprintf("%s-%dx%d-mono", v.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				got := drawView(v, "mono", size)
				if strings.Contains(got, "SQL") {
					t.Errorf("the screen speaks of SQL:\n%s", got)
				}
				compareGolden(t, name, got)
			})
		}
	}
}

// etcdUI is a ui that shows an object at its key.
func etcdUI(t *testing.T, s page.Subject) *ui {
	t.Helper()
	d := newDemo(flow.Limits{})
	d.etcd = true
	d.story()
	u, _ := testUI(d, "mono", 120, 48)
	u.Subject = s
	u.objects().OpenAt(objects.TabRows)
	u.Show(page.Objects)
	u.settle()
	u.settle()
	return u
}

// Of an object in etcd the key, the value and its versions are shown; what is secret stays hidden.
func TestObject_Key(t *testing.T) {
	u := etcdUI(t, page.Subject{Resource: "deployments.apps", Key: client.Key{Namespace: "default", Name: "web"}})
	mustSee(t, u, "/kubarium/objects/deployments.apps/default/web", "kubarium 1763900000000 FVMZ5YQ3EX 17 4176", `"replicas": 8`, "versions", "2 revisions", "from outside")
	u.keys("y", "s")
	if got, want := copied(u), "etcdctl --endpoints=10.0.0.1:2379,10.0.0.2:2379 get /kubarium/objects/deployments.apps/default/web"; got != want {
		t.Errorf("copied %q, want %q", got, want)
	}
	u = etcdUI(t, page.Subject{Resource: "secrets", Key: client.Key{Namespace: "default", Name: "token"}})
	mustSee(t, u, redact.Hidden)
	if strings.Contains(u.screenText(), "aHVudGVyMg") {
		t.Errorf("a secret is shown:\n%s", u.screenText())
	}
}

// copied is the text that was last sent to the clipboard.
func copied(u *ui) (text string) {
	for _, e := range u.settle() {
		if c, ok := e.(page.Copy); ok {
			text = c.Text
		}
	}
	return text
}

// In sentences a side of a request has the name of its store, and says what is true there.
func TestPlain_Etcd(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.etcd = true
	d.story()
	u, _ := testUI(d, "mono", 120, 36)
	var out strings.Builder
	p := &plain{u: u, out: &out}
	seq := u.Log.Stats().Published
	for ; seq > 0 && (u.Log.Get(seq) == nil || u.Log.Get(seq).Status != 409); seq-- {
	}
	p.command(fmt.Sprintf("show %d etcd", seq))
	p.command("show 1 sql")
	p.command("help")
	for _, want := range []string{`mod("/kubarium/objects/deployments.apps/default/web") = "4171"`, "compares: they did not hold", "the sides are story, request, response, stations, etcd, effects and raw", "stations|etcd|effects"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not told:\n%s", want, &out)
		}
	}
}

// Where there are no plans, enter opens calls on every tab.
func TestInspector_EtcdHasNoPlans(t *testing.T) {
	d := newDemo(flow.Limits{})
	d.etcd = true
	d.write("A", "update", flow.Updated, "web", 2)
	u, _ := testUI(d, "mono", 120, 36)
	u.keys("enter", "]", "]", "]", "]", "enter")
	mustSee(t, u, "the server called no other server for this request")
	if s := u.screenText(); strings.Contains(s, "SQL") || strings.Contains(s, "plan") {
		t.Errorf("plans are offered:\n%s", s)
	}
}
