package explore_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"kubarium/analysis/explore"
)

// stateOf is the state of a run with these ConfigMaps at the end.
func stateOf(t testing.TB, stand map[string]object) *explore.State {
	t.Helper()
	b := newBuilder(t)
	for name, o := range stand {
		b.stands("configmaps", "shop", name, o)
	}
	return explore.StateOf(b.server())
}

// with is an object with more in its metadata.
func with(o object, name string, value any) object {
	o["metadata"].(object)[name] = value
	return o
}

// A value that differs in every run is no difference; every other one is, and its field is named.
func TestBase_Compare(t *testing.T) {
	service := func(ip string, port int) object {
		return object{"kind": "Service", "metadata": object{"name": "web"},
			"spec": object{"clusterIP": ip, "clusterIPs": []any{ip},
				"ports": []any{object{"port": 80, "nodePort": port}}}}
	}
	owned := func(n, owner int) object {
		return with(configMap("child", n, nil), "ownerReferences",
			[]any{object{"name": "web", "kind": "ConfigMap", "uid": uidOf(owner)}})
	}
	for name, c := range map[string]struct {
		should, is map[string]object
		want       []string
	}{
		"same but for uids, times and counts": {
			map[string]object{"web": configMap("web", 1, object{"a": "1"})},
			map[string]object{"web": configMap("web", 9, object{"a": "1"})}, nil},
		"field": {
			map[string]object{"web": configMap("web", 1, object{"a": "1", "b": "2"})},
			map[string]object{"web": configMap("web", 1, object{"a": "7", "c": "3"})},
			[]string{`data.a of configmaps shop/web is "7", and should be "1"`,
				`data.b of configmaps shop/web is missing, and should be "2"`,
				`data.c of configmaps shop/web is "3", and should not be there`}},
		"missing": {
			map[string]object{"web": configMap("web", 1, nil)}, map[string]object{}, []string{"configmaps shop/web is missing"}},
		"extra": {
			map[string]object{}, map[string]object{"web": configMap("web", 1, nil)},
			[]string{"configmaps shop/web is there, and should not be"}},
		"generated names": {
			map[string]object{"web-x7k2p": with(configMap("web-x7k2p", 1, object{"a": "1"}), "generateName", "web-")},
			map[string]object{"web-cq4zt": with(configMap("web-cq4zt", 2, object{"a": "1"}), "generateName", "web-")}, nil},
		"one generated too many": {
			map[string]object{"web-x7k2p": with(configMap("web-x7k2p", 1, object{"a": "1"}), "generateName", "web-")},
			map[string]object{
				"web-cq4zt": with(configMap("web-cq4zt", 2, object{"a": "1"}), "generateName", "web-"),
				"web-22222": with(configMap("web-22222", 3, object{"a": "1"}), "generateName", "web-")},
			[]string{"2 of configmaps shop/web-* stand, and should be 1"}},
		"a field that names one": {
			map[string]object{"web-x7k2p": with(configMap("web-x7k2p", 1, nil), "generateName", "web-"),
				"of": configMap("of", 2, object{"child": "web-x7k2p", "path": "shop/web-x7k2p"})},
			map[string]object{"web-cq4zt": with(configMap("web-cq4zt", 1, nil), "generateName", "web-"),
				"of": configMap("of", 2, object{"child": "web-cq4zt", "path": "shop/web-cq4zt"})}, nil},
		"owners by name": {
			map[string]object{"web": configMap("web", 1, nil), "child": owned(2, 1)},
			map[string]object{"web": configMap("web", 7, nil), "child": owned(8, 7)}, nil},
		"an owner that is another object now": {
			map[string]object{"web": configMap("web", 1, nil), "child": owned(2, 1)},
			map[string]object{"web": configMap("web", 7, nil), "child": owned(8, 6)},
			[]string{`metadata.ownerReferences[web].uid of configmaps shop/child is "(uid of no object)", and should be "(uid of configmaps shop/web)"`}},
		"in deletion": {
			map[string]object{"web": configMap("web", 1, nil)},
			map[string]object{"web": with(configMap("web", 1, nil), "deletionTimestamp", noon.Format(time.RFC3339))},
			[]string{`metadata.deletionTimestamp of configmaps shop/web is "(a time)", and should not be there`}},
		"a status that lags": {
			map[string]object{"web": func() object {
				o := configMap("web", 3, nil)
				o["status"] = object{"observedGeneration": 3}
				return o
			}()},
			map[string]object{"web": func() object {
				o := configMap("web", 5, nil)
				o["status"] = object{"observedGeneration": 4}
				return o
			}()},
			[]string{`status.observedGeneration of configmaps shop/web is "(behind)", and should be "(up to date)"`}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, d := range explore.NewBase(stateOf(t, c.should)).Compare(stateOf(t, c.is)) {
				got = append(got, d.String())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
	t.Run("what Kubarium has for itself", func(t *testing.T) {
		const own = "kubarium-controller/root-ca"
		a, b := newBuilder(t), newBuilder(t)
		a.writes(own, "create", "configmaps", "shop", "ca", configMap("ca", 1, object{"a": "1"}))
		b.writes(own, "create", "configmaps", "shop", "ca", configMap("ca", 1, object{"a": "2"}))
		a.writes(own, "update", "configmaps", "shop", "both", configMap("both", 1, object{"a": "1"}))
		b.writes("kubectl/v1.37", "update", "configmaps", "shop", "both", configMap("both", 1, object{"a": "2"}))
		d := explore.NewBase(explore.StateOf(a.server())).Compare(explore.StateOf(b.server()))
		if len(d) != 1 || d[0].String() != "configmaps shop/both is there, and should not be" {
			t.Error(d)
		}
	})
	t.Run("addresses of Services, Events and Leases", func(t *testing.T) {
		a, b := newBuilder(t), newBuilder(t)
		a.stands("services", "shop", "web", service("10.0.0.1", 30001))
		b.stands("services", "shop", "web", service("10.0.0.2", 30002))
		b.stands("events", "shop", "web.1", configMap("web.1", 1, nil))
		b.stands("leases.coordination.k8s.io", "shop", "l", configMap("l", 1, nil))
		if d := explore.NewBase(explore.StateOf(a.server())).Compare(explore.StateOf(b.server())); len(d) > 0 {
			t.Error(d)
		}
	})
}

// Values that differ between runs without a fault do not count, and only these.
func TestNewBase_noise(t *testing.T) {
	is := func(a, b string, more ...string) *explore.State {
		stand := map[string]object{"web": configMap("web", 1, object{"a": a, "b": b})}
		for _, name := range more {
			stand[name] = configMap(name, 2, nil)
		}
		return stateOf(t, stand)
	}
	base := explore.NewBase(is("1", "1"), is("2", "1", "sometimes"))
	if base.Noise() != 2 {
		t.Errorf("%d things differ, want 2", base.Noise())
	}
	if d := base.Compare(is("3", "1", "sometimes")); len(d) > 0 {
		t.Error(d)
	}
	if d := base.Compare(is("3", "2")); len(d) != 1 || d[0].Path != "data.b" {
		t.Error(d)
	}
}

// In any state: a run equals itself under other uids, times and generated names, and one change of one field is told
// as that.
func TestBase_Compare_random(t *testing.T) {
	for seed := range uint64(200) {
		chance := rand.New(rand.NewPCG(seed, 0))
		first, renamed := map[string]object{}, map[string]object{}
		var names []string
		for i := range 1 + chance.IntN(6) {
			data := object{}
			for range chance.IntN(4) {
				data[fmt.Sprint("k", chance.IntN(5))] = fmt.Sprint(chance.IntN(3))
			}
			name, other := fmt.Sprint("plain", i), fmt.Sprint("plain", i)
			a, b := configMap(name, i, data), configMap(name, 100+i, data)
			if chance.IntN(2) == 0 {
				name, other = "made-"+suffix(chance), "made-"+suffix(chance)
				a, b = with(configMap(name, i, data), "generateName", "made-"),
					with(configMap(other, 100+i, data), "generateName", "made-")
			}
			first[name], renamed[other] = a, b
			names = append(names, name)
		}
		if len(first) != len(names) || len(renamed) != len(names) {
			continue // the same name twice
		}
		base := explore.NewBase(stateOf(t, first))
		if d := base.Compare(stateOf(t, renamed)); len(d) > 0 {
			t.Fatalf("seed %d: %v", seed, d)
		}
		name := names[chance.IntN(len(names))]
		data, _ := first[name]["data"].(object)
		data["mutated"] = "yes" // shared with the other run's
		if d := base.Compare(stateOf(t, first)); len(d) == 0 {
			t.Fatalf("seed %d: a change of %s goes unseen", seed, name)
		}
		back := explore.NewBase(stateOf(t, first)).Compare(stateOf(t, renamed))
		if len(back) > 0 {
			t.Fatalf("seed %d: %v", seed, back)
		}
	}
}

func suffix(chance *rand.Rand) string {
	const safe = "bcdfghjklmnpqrstvwxz2456789"
	b := make([]byte, 5)
	for i := range b {
		b[i] = safe[chance.IntN(len(safe))]
	}
	return string(b)
}

// An object that was made or deleted more often than in any run without a fault is a difference, though the ends are the same;
// one of which that differs without a fault, or that came less often, is none.
func TestBase_Compare_lives(t *testing.T) {
	run := func(verbs ...string) *explore.State {
		b := newBuilder(t)
		b.stands("configmaps", "shop", "web", configMap("web", 1, nil))
		for i, verb := range verbs {
			b.writes(agent, verb, "configmaps", "shop", "web", configMap("web", i, nil))
		}
		return explore.StateOf(b.server())
	}
	once, twice := run("delete", "create"), run("delete", "create", "delete", "create")
	for name, c := range map[string]struct {
		base []*explore.State
		is   *explore.State
		want []string
	}{
		"as often":   {[]*explore.State{once, once}, once, nil},
		"less often": {[]*explore.State{twice}, once, nil},
		"more often": {[]*explore.State{once, once}, twice, []string{"configmaps shop/web was created 2 times, and without the fault once",
			"configmaps shop/web was deleted 2 times, and without the fault once"}},
		"known": {[]*explore.State{once, twice}, twice, nil},
	} {
		var got []string
		for _, d := range explore.NewBase(c.base...).Compare(c.is) {
			got = append(got, d.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Outcomes in which the same field of other objects is different are of one mistake, whatever else was seen. What was done
// counts where the end is the same.
func TestOutcome_Mark(t *testing.T) {
	outcome := func(object, path, kind string) *explore.Outcome {
		return &explore.Outcome{Came: true, Differences: []explore.Difference{{Object: object, Path: path}},
			Behaviour: []explore.Behaviour{{Kind: kind, What: object}}}
	}
	first := outcome("configmaps shop/web", "spec.ports[http].port", "panicked")
	if other := outcome("configmaps shop/other", "spec.ports[https].port", "panicked"); other.Mark() != first.Mark() || !other.Repeats(first) {
		t.Error("other names are another mistake")
	}
	for _, other := range []*explore.Outcome{
		outcome("secrets shop/web", "spec.ports[http].port", "panicked"), outcome("configmaps shop/web", "data.a", "panicked"),
	} {
		if other.Mark() == first.Mark() {
			t.Errorf("%+v is the same mistake", other)
		}
	}
	if other := outcome("configmaps shop/web", "spec.ports[http].port", "ended"); other.Mark() != first.Mark() {
		t.Error("the same end is another mistake")
	}
	panicked, ended := outcome("", "", "panicked"), outcome("", "", "ended")
	panicked.Differences, ended.Differences = nil, nil
	if panicked.Mark() == ended.Mark() {
		t.Error("a panic and an end are one mistake")
	}
}

// A stale start is compared with a start alone, which is a fault of its own that the file of a finding can hold.
func TestFault_Bare(t *testing.T) {
	stale := explore.Fault{Kind: explore.Stale, Client: "c/v1", Restart: &explore.Restart{Resource: "configmaps", Namespace: "shop", Name: "web",
		Change: 2, Moment: explore.AtOnce, For: time.Second}}
	bare, ok := stale.Bare()
	if !ok || !bare.Restart.Bare || stale.Restart.Bare || bare.About() != "a restart" || stale.About() != "stale after a restart" ||
		bare.What != "c/v1 starts again at once, after a change of configmaps shop/web" || bare.Check() != nil {
		t.Errorf("%+v", bare)
	}
	lost := explore.Fault{Kind: explore.Lost}
	if _, ok := lost.Bare(); ok || !lost.Plainer(&stale) || stale.Plainer(&lost) {
		t.Error("a lost answer needs no restart, and is plainer than an old state")
	}
}

// Requests by the clock are none that a fault could have caused.
func TestServer_Requests(t *testing.T) {
	b := newBuilder(t)
	b.writes("c/v1", "update", "leases.coordination.k8s.io", "shop", "leader", object{"kind": "Lease"})
	b.writes("c/v1", "update", "configmaps", "shop", "leader", object{"kind": "ConfigMap", "metadata": object{"name": "leader",
		"annotations": object{"control-plane.alpha.kubernetes.io/leader": "{}"}}})
	b.writes("c/v1", "update", "configmaps", "shop", "web", configMap("web", 1, nil))
	if got := b.server().Requests(false); len(got) != 1 || got["c/v1"] != 1 {
		t.Errorf("%v", got)
	}
}
