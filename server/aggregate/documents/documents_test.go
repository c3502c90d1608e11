package documents

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/aggregate"
)

// The swaggers of servers come in the order of kube-aggregator: by the highest priority of their group, then by name.
func TestByPriority(t *testing.T) {
	service := func(version, group string, priority int32) *aggregate.Service {
		return &aggregate.Service{Name: version + "." + group, GroupVersion: schema.GroupVersion{Group: group, Version: version}, GroupPriority: priority}
	}
	var got []string
	for _, s := range byPriority([]*aggregate.Service{
		service("v1", "low", 100), service("v2", "high", 10), service("v1", "high", 300), service("v1", "same", 100), service("v1", "middle", 200),
	}) {
		got = append(got, s.Name)
	}
	if want := "v1.high v2.high v1.middle v1.low v1.same"; strings.Join(got, " ") != want {
		t.Errorf("got  %q\nwant %s", got, want)
	}
}
