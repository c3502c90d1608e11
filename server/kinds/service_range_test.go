package kinds_test

import (
	"strings"
	"testing"

	"kubarium/server/kinds"
)

func TestServiceRange_Set(t *testing.T) {
	for text, want := range map[string]string{
		"10.0.0.0/24": "10.0.0.0/24 10.0.0.1", "10.1.2.3/16": "10.1.0.0/16 10.1.0.1", "10.0.0.8/29": "10.0.0.8/29 10.0.0.9", "10.0.0.0/12": "10.0.0.0/12 10.0.0.1",
	} {
		var r kinds.ServiceRange
		if err := r.Set(text); err != nil || r.String()+" "+r.First() != want {
			t.Errorf("%s: %s %s, not %s; %v", text, r.String(), r.First(), want, err)
		}
	}
	for text, want := range map[string]string{
		"": "is not a range such as 10.96.0.0/16", "10.0.0.0": "is not a range", "10.0.0.0/33": "is not a range", "10.0.0.0/11": "the mask must be >= 12",
		"10.0.0.0/30": "must be at least 8 IP addresses", "fd00::/108": "is not a range of IPv4", "10.0.0.0/24,fd00::/108": "is not a range",
	} {
		var r kinds.ServiceRange
		if err := r.Set(text); err == nil || !strings.Contains(err.Error(), want) || r != (kinds.ServiceRange{}) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Services get the addresses of the range, each once, the first of them for the Service kubernetes alone.
func TestServiceAllocator_In(t *testing.T) {
	var r kinds.ServiceRange
	if err := r.Set("10.0.0.0/29"); err != nil {
		t.Fatal(err)
	}
	c := newCluster(t)
	c.allocator = kinds.NewServiceAllocator(c.store()).In(r)
	c.expectRefusal("x", `{clusterIP: 10.96.0.10, ports: [{port: 80}]}`, "not in the valid range. The range of valid IPs is 10.0.0.0/29")
	c.expectRefusal("x", `{clusterIP: 10.0.0.7, ports: [{port: 80}]}`, "not in the valid range")
	c.expectRefusal("x", `{clusterIP: 10.0.0.1, ports: [{port: 80}]}`, "provided IP is already allocated")
	had := map[string]bool{}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		c.mustWrite(name, `{ports: [{port: 80}]}`)
		had[c.services[name].Spec.ClusterIP] = true
	}
	if len(had) != 5 || had["10.0.0.1"] {
		t.Error(had)
	}
	c.expectRefusal("f", `{ports: [{port: 80}]}`, "range is full")
}
