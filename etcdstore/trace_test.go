package etcdstore_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"kubarium/etcdstore"
	"kubarium/etcdstore/etcdtest"
	"kubarium/flow"
	"kubarium/server/storage"
)

// traced is a store on a cluster of its own, whose newest revision is 1.
func traced(t *testing.T) *etcdstore.Store {
	t.Helper()
	s, err := etcdstore.Open(t.Context(), etcdstore.Options{Client: etcdtest.Start(t, 1).Client(t), Prefix: "/k", Now: func() time.Time { return time.UnixMilli(1763900000000) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// told is what a call recorded on its flow: each statement with its values, how many keys it touched, and whether it was lost.
func told(t *testing.T, call func(context.Context)) string {
	t.Helper()
	rec := flow.NewLog(flow.Limits{}).Begin(time.Now)
	call(flow.With(t.Context(), rec))
	elapsed := rec.Elapsed()
	var b strings.Builder
	for _, s := range rec.Flow.Statements {
		if s.Length <= 0 || s.Start < 0 || s.Start+s.Length > elapsed {
			t.Errorf("%s took %s from %s, of %s", s.SQL, s.Length, s.Start, elapsed)
		}
		fmt.Fprintf(&b, "%s\n", strings.TrimSpace(s.SQL))
		for i, a := range s.Args {
			fmt.Fprintf(&b, "?%d %c %q\n", i+1, s.Kind(i), a)
		}
		fmt.Fprintf(&b, "keys %d, lost %t\n", s.Rows, s.Lost)
	}
	return regexp.MustCompile(`kubarium (\d+) \w+ `).ReplaceAllString(b.String(), "kubarium $1 RUN ")
}

// A flow tells what its request asked etcd for, as etcdctl takes it.
func TestStore_Trace(t *testing.T) {
	s := traced(t)
	space, a := storage.NewKey("namespaces", "", "default"), storage.NewKey("configmaps", "default", "a")
	write := func(ctx context.Context, w storage.Write) storage.Record {
		t.Helper()
		r, err := s.Write(ctx, w)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	within := write(t.Context(), storage.Write{Op: storage.OpCreate, Key: space, Value: []byte(`{}`)})
	long := []byte(`{"k":"` + strings.Repeat("x", 500) + `"}`)
	var made storage.Record
	for _, c := range []struct {
		name string
		call func(context.Context)
		want string
	}{
		{"create", func(ctx context.Context) {
			made = write(ctx, storage.Write{Op: storage.OpCreate, Key: a, Value: []byte(`{"n":1}`), Within: space, WithinAt: within.Revision})
		}, `mod(?1) = ?2
mod(?3) = ?4

put ?1 ?5

get ?1
get ?3
?1 t "/k/objects/configmaps/default/a"
?2 t "0"
?3 t "/k/objects/namespaces/default"
?4 t "2"
?5 t "kubarium 1763900000000 RUN 2 0\n{\"n\":1}"
keys 1, lost false
`},
		{"update", func(ctx context.Context) {
			write(ctx, storage.Write{Op: storage.OpUpdate, Key: a, Value: long, Expect: made.Revision, Before: made.Value})
		}, `mod(?1) = ?2

put ?1 ?3

get ?1
?1 t "/k/objects/configmaps/default/a"
?2 t "3"
?3 T "kubarium 1763900000000 RUN 3 3\n{\"k\":\"` + strings.Repeat("x", 76) + `… (546 B)"
keys 1, lost false
`},
		{"lost update", func(ctx context.Context) {
			if _, err := s.Write(ctx, storage.Write{Op: storage.OpUpdate, Key: a, Value: []byte(`{"n":2}`), Expect: made.Revision}); !errors.Is(err, storage.ErrConflict) {
				t.Error(err)
			}
		}, `get ?1
?1 t "/k/objects/configmaps/default/a"
keys 1, lost false
mod(?1) = ?2

put ?1 ?3

get ?1
?1 t "/k/objects/configmaps/default/a"
?2 t "3"
?3 t "kubarium 1763900000000 RUN 4 3\n{\"n\":2}"
keys 1, lost true
`},
		{"nothing to change", func(ctx context.Context) {
			write(ctx, storage.Write{Op: storage.OpUpdate, Key: a, Value: long, Expect: 4, Before: long})
		}, `mod(?1) = ?2

get ?1 --count-only

get ?1
?1 t "/k/objects/configmaps/default/a"
?2 t "4"
keys 0, lost false
`},
		{"get", func(ctx context.Context) {
			if r, err := s.Get(ctx, a, made.Revision); err != nil || string(r.Value) != `{"n":1}` {
				t.Error(r, err)
			}
		}, `get ?1 --rev=?2
?1 t "/k/objects/configmaps/default/a"
?2 n "3"
keys 1, lost false
`},
		{"page", func(ctx context.Context) {
			if p, err := s.List(ctx, storage.ListOptions{Resource: "configmaps", Prefix: "default/", After: "default/0", At: 4, Limit: 500}); err != nil || len(p.Records) != 1 {
				t.Error(p, err)
			}
		}, `get ?1 ?2 --limit=?3 --rev=?4
?1 t "/k/objects/configmaps/default/0\x00"
?2 t "/k/objects/configmaps/default0"
?3 n "500"
?4 n "4"
keys 1, lost false
`},
		{"delete", func(ctx context.Context) {
			write(ctx, storage.Write{Op: storage.OpDelete, Key: a, Expect: 4})
		}, `mod(?1) = ?2

del ?1 --prev-kv
put ?3 ?4

get ?1
?1 t "/k/objects/configmaps/default/a"
?2 t "4"
?3 t "/k/deletion"
?4 t "kubarium 1763900000000 RUN 6 4\n"
keys 2, lost false
`},
		{"pool", func(ctx context.Context) {
			write(ctx, storage.Write{Op: storage.OpCreate, Key: a, Value: []byte(`{}`), Pool: "ips", PoolAt: 5})
		}, `mod(?1) = ?2
mod(?3 ?4) < ?5
mod(?6 ?7) < ?5

put ?1 ?8
put ?4 ?9

get ?1
?1 t "/k/objects/configmaps/default/a"
?2 t "0"
?3 t "/k/pools/ips/"
?4 t "/k/pools/ips/RUN"
?5 t "6"
?6 t "/k/pools/ips/RUN\x00"
?7 t "/k/pools/ips0"
?8 t "kubarium 1763900000000 RUN 7 0\n{}"
?9 t ""
keys 2, lost false
`},
		{"changes", func(ctx context.Context) {
			if cs, err := s.Changes(ctx, "configmaps", 2, 0); err != nil || len(cs) != 4 {
				t.Error(cs, err)
			}
		}, `get ?1 --count-only
?1 t "/k/compacted"
keys 0, lost false
watch ?1 --prefix --prev-kv --rev=?2
?1 t "/k/"
?2 n "3"
keys 4, lost false
`},
		{"current", func(ctx context.Context) {
			if newest, err := s.Current(ctx); err != nil || newest != 6 {
				t.Error(newest, err)
			}
		}, `get ?1 --count-only
?1 t "/k/compacted"
keys 0, lost false
`},
	} {
		got := regexp.MustCompile(`/k/pools/ips/[A-Z0-9]+`).ReplaceAllString(told(t, c.call), "/k/pools/ips/RUN")
		if got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.want)
		}
	}
}

// Sealed tells the line above a value, which is none where somebody else has put it.
func TestStore_Sealed(t *testing.T) {
	client := etcdtest.Start(t, 1).Client(t)
	s, err := etcdstore.Open(t.Context(), etcdstore.Options{Client: client, Prefix: "/k"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	a := storage.NewKey("configmaps", "default", "a")
	if _, _, err := s.Sealed(t.Context(), a); !errors.Is(err, storage.ErrNotFound) {
		t.Error(err)
	}
	const key = "/k/objects/configmaps/default/a"
	for put, want := range map[string][2]string{
		"kubarium 1763900000000 RUN 2 0\n{}": {"kubarium 1763900000000 RUN 2 0", "{}"},
		"{}":                                 {"", "{}"},
		"kubarium\n{}":                       {"", "kubarium\n{}"},
		"kubarium 1 RUN 2 0\n\n\n":           {"kubarium 1 RUN 2 0", "\n\n"},
	} {
		if _, err := client.Put(t.Context(), key, put); err != nil {
			t.Fatal(err)
		}
		if r, line, err := s.Sealed(t.Context(), a); err != nil || line != want[0] || string(r.Value) != want[1] {
			t.Errorf("%q: %q above %q, %v", put, line, r.Value, err)
		}
	}
}
