package doctor_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kubarium/analysis/doctor"
)

// Findings that differ by their objects only are one, which says how many there are and names the first.
func TestReport_merged(t *testing.T) {
	update := func(s *story, resource string, object, times int) {
		name := fmt.Sprintf("default/o%d", object)
		s.client("a/1").write("create", resource, name, "", data(0))
		for i := range times {
			s.client("a/1").write("update", resource, name, "", data(i+1))
		}
	}
	const more = "; no change of others is known to be lost. The same holds for "
	hear(t, "updates-without-version", map[string]tale{
		"few": {func(s *story) { update(s, cm, 1, 1); update(s, cm, 2, 1) },
			[]string{"note a/1 configmaps default/o1: once", "note a/1 configmaps default/o2: once"}},
		"many": {func(s *story) {
			for i := range 40 {
				update(s, cm, 10+i, 1)
			}
		}, []string{"note a/1 configmaps: configmaps default/o10 once without a resourceVersion" + more +
			"39 more: configmaps default/o11, configmaps default/o12, configmaps default/o13, and 36 more."}},
		"of other weight": {func(s *story) { update(s, cm, 1, 1); update(s, cm, 2, 1); update(s, cm, 3, 4) },
			[]string{"warning a/1 configmaps: configmaps default/o3 4 times without a resourceVersion" + more +
				"2 more, less gravely for 2 of them: configmaps default/o1, configmaps default/o2."}},
		"some resources": {func(s *story) {
			for i := range 5 {
				update(s, fmt.Sprintf("kind%ds", i), 1, 1)
			}
		}, []string{"note a/1 kind0s default/o1: once", "note a/1 kind1s default/o1: once",
			"note a/1 kind2s default/o1: once", "note a/1 kind3s default/o1: once", "note a/1 kind4s default/o1: once"}},
		"many resources": {func(s *story) {
			for i := range 7 {
				update(s, fmt.Sprintf("kind%ds", i), 1, 1)
			}
			update(s, cm, 1, 4)
			update(s, cm, 2, 4)
			update(s, cm, 3, 4)
		}, []string{"warning a/1 several resources: configmaps default/o1 4 times without a resourceVersion" + more +
			"9 more, less gravely for 7 of them: configmaps default/o2, configmaps default/o3, kind0s default/o1, and 6 more."}},
	})
	s := newStory()
	for i := range 12 {
		update(s, cm, i, 1)
	}
	f := findings(s.report(doctor.Options{}), "updates-without-version")[0]
	if f.Count != 12 || len(f.Objects) != 10 || f.Objects[0] != "configmaps default/o0" || len(f.Records) != 12 {
		t.Errorf("%+v", f)
	}
}

// Of several servers a finding has the records of one, which it names.
func TestJoin(t *testing.T) {
	var reports []*doctor.Report
	for i := range 4 {
		s := newStory()
		for range i {
			s.client("x/1").get("pods", "default/x")
		}
		put(s, 4)
		reports = append(reports, s.report(doctor.Options{}))
	}
	for n, want := range map[int]string{
		1: "a/1 updated configmaps default/web 4 times",
		2: "Server 1 of 2: a/1 updated configmaps default/web 4 times",
		4: "Server 1 of 4: a/1 updated configmaps default/web 4 times without a resourceVersion; no change of others is " +
			"known to be lost. The same holds for 3 more, 3 of them of other servers: configmaps default/web, ",
	} {
		found := findings(doctor.Join(reports[:n]...), "updates-without-version")
		if !strings.HasPrefix(found[0].What, want) || !slices.Equal(found[0].Records, []uint64{2, 3, 4, 5}) {
			t.Errorf("%d servers: %d findings, %+v", n, len(found), found[0])
		}
		if n == 4 && (len(found) != 1 || found[0].Count != 16) {
			t.Errorf("%d findings: %+v", len(found), found[0])
		}
	}
}
