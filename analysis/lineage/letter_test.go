package lineage_test

import (
	"testing"

	"kubarium/analysis/lineage"
	"kubarium/flow"
)

func TestLetter(t *testing.T) {
	by := func(verb, subresource string) *flow.Flow {
		return &flow.Flow{Target: flow.Target{Verb: verb, Subresource: subresource}}
	}
	for name, c := range map[string]struct {
		commit flow.Commit
		by     *flow.Flow
		want   string
	}{
		"created by apply":  {flow.Commit{Type: flow.Created}, by("apply", ""), lineage.Created},
		"update":            {flow.Commit{Type: flow.Updated}, by("update", ""), lineage.Updated},
		"patch of scale":    {flow.Commit{Type: flow.Updated}, by("patch", "scale"), lineage.Updated},
		"apply":             {flow.Commit{Type: flow.Updated}, by("apply", ""), lineage.Applied},
		"apply of status":   {flow.Commit{Type: flow.Updated}, by("apply", "status"), lineage.Applied},
		"status":            {flow.Commit{Type: flow.Updated}, by("patch", "status"), lineage.StatusOnly},
		"delete":            {flow.Commit{Type: flow.Updated}, by("delete", ""), lineage.Terminating},
		"delete collection": {flow.Commit{Type: flow.Updated}, by("deletecollection", ""), lineage.Terminating},
		"gone":              {flow.Commit{Type: flow.Deleted}, by("delete", ""), lineage.Deleted},
		"not recorded":      {flow.Commit{Type: flow.Updated}, nil, lineage.Updated},
		"outside":           {flow.Commit{Type: flow.Updated, Outside: true}, nil, lineage.Outside},
	} {
		if got := lineage.Letter(c.commit, c.by); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestCompared(t *testing.T) {
	const old = `{"kind":"Pod","metadata":{"name":"p","resourceVersion":"1"},"spec":{"n":1},"status":{"ready":1}}`
	for name, c := range map[string]struct{ before, after, want string }{
		"status": {old,
			`{"metadata":{"name":"p","resourceVersion":"2","managedFields":[{}]},"spec":{"n":1},"status":{"ready":2}}`,
			lineage.StatusOnly},
		"spec and status": {old, `{"metadata":{"name":"p","resourceVersion":"2"},"spec":{"n":2},"status":{"ready":2}}`,
			lineage.Applied},
		"nothing": {old, old, lineage.Applied},
		"deletion": {old,
			`{"metadata":{"name":"p","deletionTimestamp":"2026-11-21T12:00:00Z"},"spec":{"n":1},"status":{"ready":2}}`,
			lineage.Terminating},
		"before is not read": {`{`, old, lineage.Applied},
		"no after":           {old, ``, lineage.Applied},
	} {
		if got := lineage.Compared(lineage.Applied, []byte(c.before), []byte(c.after)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
