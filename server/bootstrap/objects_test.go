package bootstrap_test

import (
	"flag"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// record writes the recording again from a fresh kube-apiserver 1.37 whose flags are its defaults, at this address:
//
//	go test ./server/bootstrap -run Objects -record http://127.0.0.1:21300
var record = flag.String("record", "", "address of a kube-apiserver whose objects are recorded")

const recorded = "kube-apiserver-1.37.txt"

// A new cluster has what a new kube-apiserver has, to the letter, and no more.
func TestBootstrap_Objects(t *testing.T) {
	if *record != "" {
		text := withoutHost(t, *record, recording(t, cluster{url: *record}.everything(t)))
		if err := os.WriteFile(filepath.Join("testdata", recorded), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := mustStart(t)
	eventually(t, "conditions", func() bool { return c.ready(t) && c.dangling(t) == 0 })
	want := strings.Split(string(mustReadFile(t, recorded)), "\n")
	got := strings.Split(withoutHost(t, c.url, recording(t, c.everything(t))), "\n")
	trusts := func(l string) bool { return strings.Contains(l, " extension-apiserver-authentication ") } // which was given no CAs
	got = slices.DeleteFunc(got, trusts)
	if !slices.ContainsFunc(got, func(l string) bool { return strings.HasPrefix(l, "/api/v1 endpoints default kubernetes ") }) {
		t.Log("no address to advertise on this machine")
		want = slices.DeleteFunc(want, advertises)
		got = slices.DeleteFunc(got, advertises)
	}
	for _, l := range want {
		if !slices.Contains(got, l) {
			t.Errorf("kube-apiserver has, and we have not: %s", l)
		}
	}
	for _, l := range got {
		if !slices.Contains(want, l) {
			t.Errorf("kube-apiserver has not: %s", l)
		}
	}
}

// advertises reports whether a line is of an object that names the address of the server.
func advertises(line string) bool {
	return strings.Contains(line, " endpoints ") || strings.Contains(line, " endpointslices ") || strings.Contains(line, " leases ")
}

// withoutHost puts words in the place of the port of a server, of its manager's name, of addresses, hosts and times.
func withoutHost(t *testing.T, address string, text []byte) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	s := strings.ReplaceAll(string(text), `"refkube `, `"kube-apiserver `)
	for _, r := range []struct{ pattern, word string }{
		{`"(port|targetPort)":(` + u.Port() + `|21301)\b`, `"$1":"PORT"`}, // 21301 is what the recorded one had
		{`"ip":"[0-9a-f.:]+"`, `"ip":"IP"`},
		{`"endpoints":\[\{"addresses":\["[0-9a-f.:]+"\]`, `"endpoints":[{"addresses":["IP"]`},
		{`peer-advertise-address":"[^"]+"`, `peer-advertise-address":"IP:PORT"`},
		{`apiserver-[a-z2-7]{26}_[0-9a-f-]{36}`, `HOLDER`},
		{`apiserver-[a-z2-7]{26}`, `SERVER`},
		{`"kubernetes.io/hostname":"[^"]+"`, `"kubernetes.io/hostname":"HOST"`},
		{`"renewTime":"[^"]+"`, `"renewTime":"TIME"`},
		{`"since":"\d{4}-\d{2}-\d{2}"`, `"since":"DAY"`},
	} {
		s = regexp.MustCompile(r.pattern).ReplaceAllString(s, r.word)
	}
	return s
}

func sorted(lines []string) []string {
	slices.Sort(lines)
	return lines
}

// dangling counts FlowSchemas whose status does not say that their level exists.
func (c cluster) dangling(t *testing.T) int {
	t.Helper()
	schemas, _ := get[flowcontrolv1.FlowSchemaList](t, c, flowSchemasPath)
	n := 0
	for _, s := range schemas.Items {
		if len(s.Status.Conditions) != 1 || s.Status.Conditions[0].Status != flowcontrolv1.ConditionFalse {
			n++
		}
	}
	return n
}

func (c cluster) ready(t *testing.T) bool {
	t.Helper()
	cidr, _ := get[networkingv1.ServiceCIDR](t, c, networkingPath+"/servicecidrs/kubernetes")
	return apimeta.IsStatusConditionTrue(cidr.Status.Conditions, networkingv1.ServiceCIDRConditionReady)
}

// revision is the newest of the store.
func (c cluster) revision(t *testing.T) int {
	t.Helper()
	list, _ := get[metav1.PartialObjectMetadataList](t, c, "/api/v1/namespaces")
	n, err := strconv.Atoi(list.ResourceVersion)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
