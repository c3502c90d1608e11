package workload_test

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"kubarium/analysis/workload"
	"kubarium/flow"
	"kubarium/flow/object"
	"kubarium/flow/recording"
)

// The tree of the Deployment that real controllers scaled, rolled out and removed: from any part of it the same.
func TestOf_recorded(t *testing.T) {
	flows := load(t, "../chain/testdata/controllers.kubarium")
	web := object.Ref{Resource: "deployments.apps", Namespace: "default", Name: "web"}
	tree := draw(workload.Of(flows, web), "")
	if tree != recorded {
		t.Errorf("got:\n%s", tree)
	}
	pod := object.Ref{Resource: "pods", Namespace: "default", Name: "web-5fc9f4bf66-k4nh5"}
	if got := draw(workload.Of(flows, pod), ""); got != tree {
		t.Errorf("from a Pod:\n%s", got)
	}
	if workload.Of(flows, object.Ref{Resource: "pods", Namespace: "default", Name: "none"}) != nil {
		t.Error("an unknown object has a tree")
	}
}

const recorded = `deployments.apps/web made #375 bound #0 ready #0 gone #503
  replicasets.apps/web-5fc9f4bf66 made #376 bound #0 ready #0 gone #512
    pods/web-5fc9f4bf66-p9cbn made #382 bound #388 ready #412 gone #472
    pods/web-5fc9f4bf66-k4nh5 made #385 bound #389 ready #405 gone #469
    pods/web-5fc9f4bf66-8hdg6 made #423 bound #424 ready #0 gone #468
    pods/web-5fc9f4bf66-mqmfl made #474 bound #476 ready #0 gone #0
    pods/web-5fc9f4bf66-lcqlb made #489 bound #490 ready #0 gone #0
    pods/web-5fc9f4bf66-kzdk2 made #494 bound #497 ready #0 gone #0
  replicasets.apps/web-7779b95c8 made #434 bound #0 ready #0 gone #509
    pods/web-7779b95c8-ncrh8 made #437 bound #439 ready #0 gone #473
    pods/web-7779b95c8-8p7w9 made #479 bound #482 ready #0 gone #0
`

// draw is a part a line.
func draw(p *workload.Part, indent string) string {
	if p == nil {
		return "none\n"
	}
	s := fmt.Sprintf("%s%s/%s made #%d bound #%d ready #%d gone #%d\n", indent, p.Object.Resource, p.Object.Name,
		p.Made.Seq, p.Bound.Seq, p.Ready.Seq, p.Gone.Seq)
	for _, part := range p.Parts {
		s += draw(part, indent+"  ")
	}
	return s
}

func load(t *testing.T, name string) []*flow.Flow {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	d, err := recording.NewDecoder(file)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	log := flow.NewLog(flow.Limits{Bytes: 1 << 30, KeepEnded: flow.Forever})
	for {
		e, err := d.Next()
		if err == io.EOF {
			flows, _ := log.Since(0, 0)
			return flows
		}
		if err != nil {
			t.Fatal(err)
		}
		recording.Fill(log, e)
	}
}

// A claim belongs to the StatefulSet whose template made its name, a volume to its claim, a slice to its Service, an
// object to its controller before other owners; owners in a circle end. Of two objects of one name the newest is meant.
func TestOf_relations(t *testing.T) {
	var flows []*flow.Flow
	add := func(kind flow.ChangeType, resource, name, uid, rest string) {
		rv := int64(len(flows) + 1)
		body := []byte(fmt.Sprintf(`{"metadata":{"name":%q,"uid":%q%s}`, name, uid, rest) + `}`)
		e := flow.Effect{Commit: flow.Commit{Revision: rv, Type: kind, Resource: resource, Namespace: "n", Name: name}}
		if resource == "persistentvolumes" {
			e.Commit.Namespace = ""
		}
		if e.After = body; kind == flow.Deleted {
			e.Before, e.After = body, nil
		}
		flows = append([]*flow.Flow{{Seq: uint64(rv), Effects: []flow.Effect{e}}}, flows...) // answered out of order
	}
	owners := func(refs string) string { return `,"ownerReferences":[` + refs + `]` }
	const sets, claims, slices = "statefulsets.apps", "persistentvolumeclaims", "endpointslices.discovery.k8s.io"
	add(flow.Created, sets, "db", "s1", `},"spec":{"volumeClaimTemplates":[{"metadata":{"name":"data"}}]`)
	add(flow.Deleted, sets, "db", "s1", `},"spec":{"volumeClaimTemplates":[{"metadata":{"name":"data"}}]`)
	add(flow.Created, sets, "db", "s2", `},"spec":{"volumeClaimTemplates":[{"metadata":{"name":"data"}}]`)
	add(flow.Created, claims, "data-db-0", "c0", `},"spec":{"volumeName":"v0"`)
	add(flow.Created, claims, "data-db-x", "cx", "")
	add(flow.Created, claims, "data-db-", "cy", "")
	add(flow.Created, "persistentvolumes", "v0", "v0", "")
	add(flow.Created, "pods", "db-0", "p0", owners(`{"uid":"c0"},{"uid":"s2","controller":true}`))
	add(flow.Created, "services", "web", "w", "")
	add(flow.Created, slices, "web-1", "e1", `,"labels":{"kubernetes.io/service-name":"web"}`)
	add(flow.Created, "configmaps", "a", "a", owners(`{"uid":"b"}`))
	add(flow.Created, "configmaps", "b", "b", owners(`{"uid":"a"}`))
	for about, want := range map[object.Ref]string{
		{Resource: "persistentvolumes", Name: "v0"}: "statefulsets.apps/db #3 [persistentvolumeclaims/data-db-0 #4 " +
			"[persistentvolumes/v0 #7 []] pods/db-0 #8 []]",
		{Resource: claims, Namespace: "n", Name: "data-db-x"}: "persistentvolumeclaims/data-db-x #5 []",
		{Resource: claims, Namespace: "n", Name: "data-db-"}:  "persistentvolumeclaims/data-db- #6 []",
		{Resource: slices, Namespace: "n", Name: "web-1"}: "services/web #9 [endpointslices.discovery.k8s.io/web-1 " +
			"#10 []]",
		{Resource: "configmaps", Namespace: "n", Name: "a"}: "configmaps/b #12 [configmaps/a #11 []]",
	} {
		if got := short(workload.Of(flows, about)); got != want {
			t.Errorf("%v:\n got %s\nwant %s", about, got, want)
		}
	}
}

// short is a tree in one line.
func short(p *workload.Part) string {
	if p == nil {
		return "none"
	}
	var parts []string
	for _, part := range p.Parts {
		parts = append(parts, short(part))
	}
	return fmt.Sprintf("%s/%s #%d [%s]", p.Object.Resource, p.Object.Name, p.Made.Seq, strings.Join(parts, " "))
}
