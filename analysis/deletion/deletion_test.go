package deletion_test

import (
	"bytes"
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/analysis/deletion"
	"kubarium/codecs"
	"kubarium/flow"
)

const (
	free       = `{"metadata":{}}`
	held       = `{"metadata":{"finalizers":["a"]}}`
	orphaned   = `{"metadata":{"finalizers":["a","orphan"]}}`
	foreground = `{"metadata":{"finalizers":["foregroundDeletion"]}}`
)

func encoded(t *testing.T, c *codecs.Codec, policy metav1.DeletionPropagation) string {
	t.Helper()
	o := &metav1.DeleteOptions{PropagationPolicy: &policy}
	o.Kind, o.APIVersion = "DeleteOptions", "v1"
	var b bytes.Buffer
	if err := c.Encode(&b, o, false); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The propagation is what the body says if there is one, else the query, else what the object's finalizers show.
func TestPropagationOf(t *testing.T) {
	p := func(policy string, source deletion.Source, added ...string) deletion.Propagation {
		return deletion.Propagation{Policy: policy, Source: source, Added: added}
	}
	for name, c := range map[string]struct {
		query, body, before, after string
		want                       deletion.Propagation
	}{
		"query": {query: "propagationPolicy=Foreground", before: free, after: foreground,
			want: p("Foreground", deletion.Asked, "foregroundDeletion")},
		"older query": {query: "orphanDependents=true", before: held, after: orphaned,
			want: p("Orphan", deletion.Asked, "orphan")},
		"JSON": {body: `{"propagationPolicy":"Background"}`, query: "propagationPolicy=Orphan", before: free,
			want: p("Background", deletion.Asked)},
		"YAML": {body: "orphanDependents: false", before: held, after: held,
			want: p("Background", deletion.Asked)},
		"Protobuf": {body: encoded(t, codecs.Protobuf, "Orphan"), before: held, after: orphaned,
			want: p("Orphan", deletion.Asked, "orphan")},
		"CBOR": {body: encoded(t, codecs.CBOR, "Foreground"), before: free, after: foreground,
			want: p("Foreground", deletion.Asked, "foregroundDeletion")},
		"empty options": {body: `{}`, query: "propagationPolicy=Orphan", before: free,
			want: p("Background", deletion.Default)},
		"default":              {before: free, want: p("Background", deletion.Default)},
		"default that orphans": {before: held, after: orphaned, want: p("Orphan", deletion.Default, "orphan")},
		"by its finalizer":     {before: foreground, after: foreground, want: p("Foreground", deletion.Finalizer)},
		"unreadable": {body: "k8s\x00\x01", before: held, after: orphaned,
			want: p("Orphan", deletion.Unread, "orphan")},
		"refused":           {body: `{"propagationPolicy":"Orphan"}`, want: p("Orphan", deletion.Asked)},
		"refused, not said": {want: p("", deletion.Unread)},
	} {
		f := &flow.Flow{Target: flow.Target{Verb: "delete"}, Query: c.query, RequestBody: flow.Keep([]byte(c.body))}
		e := flow.Effect{Before: []byte(c.before), After: []byte(c.after)}
		if c.before == "" {
			e.Before = nil
		}
		if got, ok := deletion.PropagationOf(f, e); !ok || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	if _, ok := deletion.PropagationOf(&flow.Flow{Target: flow.Target{Verb: "update"}}, flow.Effect{}); ok {
		t.Error("an update has a propagation")
	}
}

func TestOptionsOf(t *testing.T) {
	f := &flow.Flow{Query: "gracePeriodSeconds=7&dryRun=All"}
	if o, ok := deletion.OptionsOf(f); !ok || *o.GracePeriodSeconds != 7 || len(o.DryRun) != 1 {
		t.Errorf("%+v", o)
	}
	f.RequestBody = flow.Keep([]byte(`{"preconditions":{"uid":"x"}}`))
	if o, ok := deletion.OptionsOf(f); !ok || o.GracePeriodSeconds != nil || o.Preconditions.UID != "x" {
		t.Errorf("%+v", o)
	}
	f.RequestBody = flow.Keep([]byte(`{`))
	if _, ok := deletion.OptionsOf(f); ok {
		t.Error("an unreadable body is read")
	}
}
