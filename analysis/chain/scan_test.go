package chain

import (
	"fmt"
	"strings"
	"testing"
)

// An object's owners and the objects that it names are found, wherever they are.
func TestScan(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"owners": {`{"metadata":{"uid":"u","name":"p","managedFields":[{"fieldsV1":{"f:ownerReferences":{"}":"\"]"}}}],
			"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"r"}]}}`,
			"p u owner ReplicaSet.apps/web=r"},
		"not those of a template": {`{"spec":{"template":{"metadata":{"name":"x","ownerReferences":[{"kind":"A","name":"b"}]}}}}`,
			" "},
		"names": {`{"spec":{"nodeName":"n","volumes":[{"persistentVolumeClaim":{"claimName":"c"}},{"configMap":{"name":"m"}}]}}`,
			"  names nodes/n names persistentvolumeclaims/c names configmaps/m"},
		"references": {`{"subsets":[{"addresses":[{"targetRef":{"kind":"Pod","namespace":"a","name":"p","uid":"u"}}]}],
			"parentRef":{"group":"x","resource":"services","name":"s"},"fieldRef":{"name":"f"}}`,
			"  names Pod/p=u names services.x/s"},
		"a label": {`{"metadata":{"name":"e","labels":{"kubernetes.io/service-name":"web"}}}`, "e  names services/web"},
		"escapes": {`{"metadata":{"name":"a\"\u0062\\","uid":"x"}}`, `a"b\ x`},
		"cut":     {`{"metadata":{"uid":"u","name":"p"},"spec":{"nodeName":"n`, "p u"},
		"no JSON": {`}{][":,`, " "},
		"a list":  {`["a",{"metadata":{"name":"p"}}]`, " "},
		"nothing": {``, " "},
	} {
		d := scan([]byte(c.text))
		got := d.name + " " + d.uid
		for _, list := range []struct {
			as  string
			all []reference
		}{{"owner", d.owners}, {"names", d.names}} {
			for _, r := range list.all {
				got += " " + list.as + " " + inGroup(r.kind+r.resource, r.group) + "/" + r.name
				if r.uid != "" {
					got += "=" + r.uid
				}
			}
		}
		if got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
}

// Kinds have the plurals that Kubernetes forms.
func TestReference_resources(t *testing.T) {
	for kind, want := range map[string]string{
		"Pod": "pods", "NetworkPolicy": "networkpolicies", "Gateway": "gateways", "Ingress": "ingresses ingress",
		"Endpoints": "endpointses endpoints", "Box": "boxes", "Switch": "switches", "": "",
	} {
		if got := strings.Join(reference{kind: kind}.resources(), " "); got != want {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
	}
}

// No text makes the scanner loop, panic or keep more than it may.
func FuzzScan(f *testing.F) {
	f.Add(`{"metadata":{"name":"a","ownerReferences":[{"kind":"A","name":"b"}]},"spec":{"xRef":{"kind":"K","name":"n"}}}`)
	f.Add(strings.Repeat(`[{"a":`, 100))
	f.Add(`{"a":"\`)
	f.Add(`{"managedFields":[{"}`)
	f.Fuzz(func(t *testing.T, text string) {
		if d := scan([]byte(text)); len(d.owners) > maxReferences || len(d.names) > maxReferences {
			t.Errorf("%d owners, %d names", len(d.owners), len(d.names))
		}
	})
}

// A hostile object costs what its length costs.
func TestScan_hostile(t *testing.T) {
	for _, text := range []string{
		strings.Repeat(`{"metadata":`, 1<<18), strings.Repeat(`[`, 1<<20), `{"a":"` + strings.Repeat(`\`, 1<<20),
		`{"spec":{` + strings.Repeat(`"nodeName":"n",`, 1<<16), strings.Repeat(`"`, 1<<20),
	} {
		if d := scan([]byte(text)); len(d.names) > maxReferences {
			t.Errorf("%d names", len(d.names))
		}
	}
}

// A map of bounded size forgets what was not used for longest.
func TestRecent(t *testing.T) {
	r := newRecent[int, string](4)
	for i := range 100 {
		r.set(i, fmt.Sprint(i))
		if v, ok := r.get(0); !ok || v != "0" {
			t.Fatalf("what is used is forgotten after %d", i)
		}
		if n := len(r.fresh) + len(r.older); n > 9 {
			t.Fatalf("%d entries", n)
		}
	}
	if _, ok := r.get(50); ok {
		t.Error("what was not used is kept")
	}
}
