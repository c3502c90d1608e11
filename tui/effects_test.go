package tui

import (
	"bytes"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/codecs"
	"kubarium/flow"
	"kubarium/tui/inspect"
)

// refusedMap is an update of a ConfigMap with an old resourceVersion, and the ConfigMap that it met.
func refusedMap(d *demo, body []byte) {
	f := d.request("B", "update", "configmaps", "tank", 409, 1)
	f.Target.Group = ""
	f.Conflict = &flow.Conflict{Kind: flow.StaleRevision, Sent: 4100, Stored: 4170, Object: []byte(`{"data":{"fish":"4","snails":"1"},"kind":"ConfigMap","apiVersion":"v1",
 "metadata":{"labels":{},"uid":"9f1c","creationTimestamp":"2026-11-21T11:57:00Z","name":"tank","namespace":"default","resourceVersion":"4170",
  "managedFields":[{"manager":"kubectl","operation":"Update"}]}}`)}
	f.RequestBody = flow.Keep(body)
	d.log.Publish(f)
}

// sentMap is a ConfigMap as a client that has read it sends it back with one field changed.
var sentMap = &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, Data: map[string]string{"snails": "2", "fish": "4"},
	ObjectMeta: metav1.ObjectMeta{Name: "tank", Namespace: "default", UID: "9f1c", ResourceVersion: "4100"}}

// Effects of a 409 shows what the write would have changed, and nothing that the encoding or the server makes differ.
func TestEffects_RefusedWrite(t *testing.T) {
	var json, protobuf bytes.Buffer
	for c, into := range map[*codecs.Codec]*bytes.Buffer{codecs.JSON: &json, codecs.Protobuf: &protobuf} {
		if err := c.Encode(into, sentMap, false); err != nil {
			t.Fatal(err)
		}
	}
	for name, body := range map[string][]byte{"json": json.Bytes(), "protobuf": protobuf.Bytes(), "yaml": []byte("kind: ConfigMap\ndata: {snails: '2', fish: '4'}\n")} {
		d := newDemo(flow.Limits{})
		refusedMap(d, body)
		u, _ := testUI(d, "mono", 120, 36)
		u.keys("enter")
		u.keys("[", "[")
		s := u.screenText()
		for _, want := range []string{"Nothing was stored: stale resourceVersion.", "data.snails", "-   1", "+   2"} {
			if !strings.Contains(s, want) {
				t.Errorf("%s: no %q:\n%s", name, want, s)
			}
		}
		for _, not := range []string{"managedFields", "creationTimestamp", "fish", "labels", "uid"} {
			if strings.Contains(s, not) {
				t.Errorf("%s: %q is said to differ:\n%s", name, not, s)
			}
		}
	}
}

// Effects of a dry run do not say that the object was the same afterwards, and a watch's long name is parted from what
// it got.
func TestUI_EffectsWords(t *testing.T) {
	d := newDemo(flow.Limits{})
	w := d.watch("collector", "deployments", 4170)
	f := d.write("A", "update", flow.Updated, "web", 2)
	w.Wrote(flow.Frame{Type: "MODIFIED", Revision: f.Revision, Name: "web", Namespace: "default", Committed: d.at, Written: d.at})
	u, _ := testUI(d, "mono", 120, 36)
	u.traffic().Inspector.Turn(int(inspect.Tabs) - 2)
	mustSee(t, u, "collector got MODIFIED")
	dry := d.request("A", "update", "deployments", "web", 200, 1)
	dry.Query = "fieldManager=x&dryRun=All"
	d.log.Publish(dry)
	u.fold()
	mustSee(t, u, "This was a dry run: nothing was written.")
}
