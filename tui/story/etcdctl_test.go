package story_test

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"kubarium/etcdstore"
	"kubarium/etcdstore/etcdtest"
	"kubarium/flow"
	"kubarium/server/storage"
	"kubarium/tui/story"
)

// tracedBy is the flow of operations on a store.
func tracedBy(t *testing.T, do func(context.Context)) *flow.Flow {
	t.Helper()
	l := flow.NewLog(flow.Limits{})
	r := l.Begin(nil)
	do(flow.With(t.Context(), r))
	r.Publish(flow.Whole)
	return l.Get(1)
}

// Pasted into a shell, the commands of a flow repeat the store's requests to etcd: the same reads, and a transaction
// that does the same again.
func TestEtcdctl(t *testing.T) {
	cluster := etcdtest.Start(t, 1)
	client := cluster.Client(t)
	s, err := etcdstore.Open(t.Context(), etcdstore.Options{Client: client, Prefix: "/k"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	etcdctl := etcdtest.Etcdctl(t) + " --endpoints=" + strings.Join(cluster.Endpoints(), ",")
	paste := func(f *flow.Flow) string {
		t.Helper()
		commands := story.Etcdctl(f, etcdctl)
		out, err := exec.CommandContext(t.Context(), "sh", "-c", commands).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s\n%s", err, out, commands)
		}
		return string(out)
	}
	a := storage.NewKey("configmaps", "default", "a")
	const key = "/k/objects/configmaps/default/a"
	value := func() string {
		t.Helper()
		got, err := client.Get(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Kvs) == 0 {
			return ""
		}
		return string(got.Kvs[0].Value)
	}
	write := func(w storage.Write) (r storage.Record, f *flow.Flow) {
		t.Helper()
		f = tracedBy(t, func(ctx context.Context) {
			if r, err = s.Write(ctx, w); err != nil {
				t.Fatal(err)
			}
		})
		f.Effects = []flow.Effect{{After: w.Value}}
		return r, f
	}
	object := `{"k":"it's \"` + strings.Repeat("é\\n$(x)`", 200) + "\x01\"}"
	made, create := write(storage.Write{Op: storage.OpCreate, Key: a, Value: []byte(object)})
	stored := value()
	if _, err := client.Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	if out := paste(create); !strings.HasPrefix(out, "SUCCESS\n") || value() != stored {
		t.Errorf("created again: %s%q, want %q", out, value(), stored)
	}
	if out := paste(create); !strings.HasPrefix(out, "FAILURE\n") || !strings.Contains(out, stored) {
		t.Errorf("created twice: %s", out)
	}
	if out := paste(tracedBy(t, func(ctx context.Context) { _, _ = s.Get(ctx, a, made.Revision) })); out != key+"\n"+stored+"\n" {
		t.Errorf("got %q", out)
	}
	page := tracedBy(t, func(ctx context.Context) {
		if p, err := s.List(ctx, storage.ListOptions{Resource: "configmaps", After: "default/0", Limit: 10}); err != nil || len(p.Records) != 1 {
			t.Error(p, err)
		}
	})
	if out := paste(page); !strings.HasPrefix(out, "SUCCESS\n") || !strings.Contains(out, key+"\n"+stored+"\n") {
		t.Errorf("a page: %q", out)
	}
	if out := paste(tracedBy(t, func(ctx context.Context) { _, _ = s.Current(ctx) })); !strings.Contains(out, `"Revision" : `) {
		t.Errorf("the newest revision: %q", out)
	}
	now, err := s.Get(t.Context(), a, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, remove := write(storage.Write{Op: storage.OpDelete, Key: a, Expect: now.Revision})
	if out := paste(remove); !strings.HasPrefix(out, "FAILURE\n") { // it is gone
		t.Errorf("deleted twice: %s", out)
	}
	if out := paste(tracedBy(t, func(ctx context.Context) {
		if _, err := s.Write(ctx, storage.Write{Op: storage.OpCreate, Key: a, Value: []byte(`{}`), Pool: "ips"}); err != nil {
			t.Error(err)
		}
	})); out != "" {
		t.Errorf("a comment does something: %s", out)
	}
}

// A request that cannot be pasted is a comment that says why.
func TestEtcdctl_Comments(t *testing.T) {
	long := "kubarium 1763900000000 RUN 3 3\n" + `{"k":"` + strings.Repeat("x", 300) + `"}`
	put := func(value string) *flow.Flow {
		return sqlFlow("mod(?1) = ?2\n\nput ?1 ?3\n\nget ?1\n", "/k/objects/secrets/default/a", "17", value)
	}
	secret, hidden := put("kubarium 1763900000000 RUN 3 3\n{\"data\":{\"p\":\"aHVudGVyMg==\"}}"), put("•••••• (a Secret)")
	secret.Target.Resource = "secrets"
	for _, c := range []struct {
		f    *flow.Flow
		want string
	}{
		{put(long), "# value 3 is not recorded in full: kubarium 1763900000000 RUN 3 3 {\"k\":\"" + strings.Repeat("x", 83) + "… (339 B)\n# etcdctl txn <<'EOF'\n# mod(\"/k/objects/secrets/default/a\") = \"17\"\n# \n# put \"/k/objects/secrets/default/a\" ?3\n# \n# get \"/k/objects/secrets/default/a\"\n# \n# EOF\n"},
		{secret, "# value 3 may hold secrets and is masked: fill it in\n# etcdctl txn <<'EOF'\n# mod(\"/k/objects/secrets/default/a\") = \"17\"\n# \n# put \"/k/objects/secrets/default/a\" <REDACTED>\n# \n# get \"/k/objects/secrets/default/a\"\n# \n# EOF\n"},
		{hidden, "# value 3 holds secrets and is masked: fill it in\n# etcdctl txn <<'EOF'\n# mod(\"/k/objects/secrets/default/a\") = \"17\"\n# \n# put \"/k/objects/secrets/default/a\" <REDACTED>\n# \n# get \"/k/objects/secrets/default/a\"\n# \n# EOF\n"},
		{sqlFlow("mod(?1 ?2) < ?3\n\nput ?1 ?4\n\nget ?1\n", "/k/a", "/k/b", "17", ""), "# etcdctl has no form for a comparison of all keys of a range\n# etcdctl txn <<'EOF'\n# mod(\"/k/a\" \"/k/b\") < \"17\"\n# \n# put \"/k/a\" \"\"\n# \n# get \"/k/a\"\n# \n# EOF\n"},
		{sqlFlow("get ?1 ?2 --limit=?3 --rev=?4", "/k/a b", "/k/b", 500, 17), "etcdctl get '/k/a b' /k/b --limit=500 --rev=17\n"},
		{req("A", "get", "web", 200), ""},
	} {
		if got := story.Etcdctl(c.f, "etcdctl"); got != c.want {
			t.Errorf("%s\nwant\n%s", got, c.want)
		}
	}
	if got := story.Etcdctl(secret, "etcdctl", story.Unmasked); !strings.HasPrefix(got, "etcdctl txn") {
		t.Errorf("unmasked: %s", got)
	}
}
