package explore_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"kubarium/analysis/explore"
	"kubarium/flow/filter"
	"kubarium/flow/rule"
)

const agent = "keeper/v1 (linux/amd64)"

// life is a run in which a controller follows what a person with kubectl does.
func life(t *testing.T) *explore.Server {
	b := newBuilder(t)
	gone := configMap("web", 1, nil)
	b.watches(agent, "configmaps",
		tell{"ADDED", "web", 0}, tell{"MODIFIED", "web", 5 * time.Second},
		tell{"DELETED", "web", 5*time.Second + 50*time.Millisecond},
		tell{"ADDED", "web", 5*time.Second + 90*time.Millisecond})
	b.writes("kubectl/v1.37", "create", "configmaps", "shop", "web", configMap("web", 1, nil))
	b.writes(agent, "create", "secrets", "shop", "web-key", configMap("web-key", 2, nil))
	b.writes(agent, "update", "configmaps", "shop", "web", configMap("web", 1, object{"a": "1"}))
	b.writes("kubectl/v1.37", "update", "configmaps", "shop", "web",
		with(gone, "deletionTimestamp", noon.Format(time.RFC3339)))
	b.at = b.at.Add(3 * time.Second)
	b.writes(agent, "delete", "configmaps", "shop", "web", nil)
	b.writes("kubectl/v1.37", "create", "configmaps", "shop", "web", configMap("web", 3, nil))
	b.at = b.at.Add(3 * time.Second)
	b.writes(agent, "create", "secrets", "shop", "web-x7k2p", with(configMap("web-x7k2p", 4, nil), "generateName", "web-"))
	return b.server()
}

// The run proves each fault: what is lost was written, what goes unseen was sent, what is seen too late was
// changed.
func TestPlan(t *testing.T) {
	for name, c := range map[string]struct {
		o    explore.Options
		want []string // kind and rule, or kind, moment and change
	}{
		"lost": {explore.Options{Kinds: []explore.Kind{explore.Lost}}, []string{
			`lost lose once name explore-lost on ua:"keeper/v1 (linux/amd64)" verb:create res:secrets ns:shop !sub:*`,
			`lost lose once name explore-lost on ua:"keeper/v1 (linux/amd64)" verb:update res:configmaps ns:shop !sub:* name:web`,
			`lost lose once name explore-lost on ua:"keeper/v1 (linux/amd64)" verb:delete res:configmaps ns:shop !sub:* name:web`,
			`lost lose after 1 once name explore-lost on ua:"keeper/v1 (linux/amd64)" verb:create res:secrets ns:shop !sub:*`}},
		"cut, where another write follows": {explore.Options{Kinds: []explore.Kind{explore.Cut}}, []string{
			`cut cut client before encode once name explore-cut on ua:"keeper/v1 (linux/amd64)" verb:create res:secrets ns:shop !sub:* code:2xx`,
			`cut cut client before encode once name explore-cut on ua:"keeper/v1 (linux/amd64)" verb:update res:configmaps ns:shop !sub:* name:web code:2xx`,
			`cut cut client before encode once name explore-cut on ua:"keeper/v1 (linux/amd64)" verb:delete res:configmaps ns:shop !sub:* name:web code:2xx`}},
		"cut, with a controller": {explore.Options{Kinds: []explore.Kind{explore.Cut}, Controller: true}, []string{
			`cut hold before encode once name explore-kill on ua:"keeper/v1 (linux/amd64)" verb:create res:secrets ns:shop !sub:* code:2xx`,
			`cut hold before encode once name explore-kill on ua:"keeper/v1 (linux/amd64)" verb:update res:configmaps ns:shop !sub:* name:web code:2xx`,
			`cut hold before encode once name explore-kill on ua:"keeper/v1 (linux/amd64)" verb:delete res:configmaps ns:shop !sub:* name:web code:2xx`}},
		"late": {explore.Options{Kinds: []explore.Kind{explore.Late}}, []string{
			`late lag 3s name explore-late on ua:"keeper/v1 (linux/amd64)" verb:watch res:configmaps ns:shop`}},
		"away": {explore.Options{Kinds: []explore.Kind{explore.Away}, Controller: true}, []string{
			`away hold once name explore-away on ua:kubectl/v1.37 verb:create res:configmaps ns:shop !sub:*`,
			`away hold once name explore-away on ua:kubectl/v1.37 verb:update res:configmaps ns:shop !sub:* name:web`,
			`away hold after 1 once name explore-away on ua:kubectl/v1.37 verb:create res:configmaps ns:shop !sub:*`}},
		"away, without a controller": {explore.Options{Kinds: []explore.Kind{explore.Away}}, nil},
		"unseen": {explore.Options{Kinds: []explore.Kind{explore.Unseen}}, []string{
			`unseen coalesce 250ms name explore-unseen on ua:"keeper/v1 (linux/amd64)" verb:watch res:configmaps ns:shop name:web`,
			`unseen coalesce 15s name explore-unseen on ua:"keeper/v1 (linux/amd64)" verb:watch res:configmaps ns:shop name:web`}},
		"stale": {explore.Options{Kinds: []explore.Kind{explore.Stale}, Controller: true}, []string{
			"stale configmaps shop/web 2 end", "stale configmaps shop/web 2 once", "stale configmaps shop/web 3 end",
			"stale configmaps shop/web 3 once",
			"stale configmaps shop/web 4 end", "stale configmaps shop/web 4 once", "stale configmaps shop/web 5 end",
			"stale configmaps shop/web 5 once"}},
		"stale, of a client that never starts again": {explore.Options{Kinds: []explore.Kind{explore.Stale}}, nil},
		"another client": {explore.Options{Client: parse(t, "ua:nobody")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			faults, possible := explore.Plan(life(t), c.o)
			var got []string
			for _, f := range faults {
				if err := f.Check(); err != nil {
					t.Error(err)
				}
				got = append(got, said(&f))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %s\nwant %s", strings.Join(got, "\n     "), strings.Join(c.want, "\n     "))
			}
			if possible != len(faults) {
				t.Errorf("%d of %d", len(faults), possible)
			}
		})
	}
}

// A write is refused in the ways that its verb has, and one that is only held by who leads, not at all.
func TestPlan_refused(t *testing.T) {
	b := newBuilder(t)
	b.watches(agent, "configmaps")
	b.writes(agent, "create", "secrets", "shop", "key", configMap("key", 1, nil))
	b.writes(agent, "update", "configmaps", "shop", "web", configMap("web", 1, object{"a": "1"}))
	b.writes(agent, "update", "configmaps", "shop", "lead",
		with(configMap("lead", 2, nil), "annotations", object{"control-plane.alpha.kubernetes.io/leader": "{}"}))
	b.writes(agent, "create", "events", "shop", "e", configMap("e", 3, nil))
	server := b.server()
	plan := func(only string) (got []string) {
		o := explore.Options{Kinds: []explore.Kind{explore.Refused}}
		if only != "" {
			o.Only = parse(t, only)
		}
		faults, _ := explore.Plan(server, o)
		for _, f := range faults {
			if err := f.Check(); err != nil {
				t.Error(err)
			}
			got = append(got, strings.TrimPrefix(f.What, "the "))
		}
		return got
	}
	of := func(write string, ways ...string) (all []string) {
		for _, way := range ways {
			all = append(all, write+" by "+agent+" "+way)
		}
		return all
	}
	ways := []string{"is answered with 500 Internal Server Error", "is answered with 429 Too Many Requests",
		"is answered with 503 Service Unavailable", "waits 10s and is answered with 500, as when a webhook does not answer"}
	create, update := of("create of secrets shop/key", ways...),
		of("update of configmaps shop/web", slices.Concat([]string{"is answered with 409 Conflict"}, ways)...)
	if got, want := plan(""), slices.Concat(create, update); !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
	if got := plan("res:secrets name:key"); !slices.Equal(got, create) {
		t.Errorf("only the Secret: %q", got)
	}
}

// Sentences count what was done to objects of one name, whatever the rule counts.
func TestPlan_sentences(t *testing.T) {
	faults, _ := explore.Plan(life(t), explore.Options{Kinds: []explore.Kind{explore.Lost}})
	var got []string
	for _, f := range faults {
		got = append(got, strings.TrimSuffix(strings.TrimPrefix(f.What, agent+" gets no answer to its "),
			", which is committed"))
	}
	want := []string{"create of secrets shop/web-key", "update of configmaps shop/web", "delete of configmaps shop/web",
		"create of secrets shop/web-*"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A rule for an object with a random name has none, so it lets the same requests for named objects pass first.
func TestPlan_randomNames(t *testing.T) {
	b := newBuilder(t)
	b.watches(agent, "configmaps")
	b.writes(agent, "create", "secrets", "shop", "key", configMap("key", 1, nil))
	b.writes(agent, "create", "secrets", "shop", "key-x7k2p", with(configMap("key-x7k2p", 2, nil), "generateName", "key-"))
	b.writes(agent, "delete", "secrets", "shop", "key", nil)
	b.writes(agent, "delete", "secrets", "shop", "key-x7k2p", nil)
	s := b.server()
	plan := func(most int) (got []string) {
		faults, _ := explore.Plan(s, explore.Options{Kinds: []explore.Kind{explore.Lost}, Most: most})
		for i := range faults {
			got = append(got, said(&faults[i]))
		}
		return got
	}
	const lose = ` once name explore-lost on ua:"keeper/v1 (linux/amd64)" verb:`
	want := []string{
		`lost lose` + lose + `create res:secrets ns:shop !sub:*`,
		`lost lose after 1` + lose + `create res:secrets ns:shop !sub:*`,
		`lost lose` + lose + `delete res:secrets ns:shop !sub:* name:key`,
		`lost lose after 1` + lose + `delete res:secrets ns:shop !sub:*`,
	}
	if got := plan(0); !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
	// What cannot be found by its name is tried first.
	if got := plan(2); !slices.Equal(got, []string{want[1], want[3]}) {
		t.Errorf("the first two are %q", got)
	}
}

// said is a fault in short.
func said(f *explore.Fault) string {
	if r := f.Restart; r != nil {
		return strings.Join([]string{string(f.Kind), r.Resource, r.Namespace + "/" + r.Name, string(rune('0' + r.Change)),
			string(r.Moment)}, " ")
	}
	for _, line := range f.Rules {
		if r, err := rule.Parse(line); err != nil || r.String() != line {
			return "not a rule: " + line
		}
	}
	return string(f.Kind) + " " + strings.Join(f.Rules, "; ")
}

func parse(t *testing.T, text string) *filter.Filter {
	t.Helper()
	f, err := filter.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Asked clients are tried whether they watch or not, and kubectl by name alone.
func TestClients(t *testing.T) {
	for text, want := range map[string][]string{"": {agent}, "verb:create": {agent, "kubectl/v1.37"},
		"ua:kubectl": {"kubectl/v1.37"}, "ua:nobody": nil} {
		o := explore.Options{}
		if text != "" {
			o.Client = parse(t, text)
		}
		if got := explore.Clients(life(t), o); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Where there are too many, each kind has its turn, and the same seed chooses the same.
func TestPlan_most(t *testing.T) {
	s := life(t)
	for most := 1; most < 14; most++ {
		o := explore.Options{Most: most, Controller: true, Seed: 7}
		faults, possible := explore.Plan(s, o)
		again, _ := explore.Plan(s, o)
		if len(faults) != most || possible < most {
			t.Fatalf("%d of %d, want %d", len(faults), possible, most)
		}
		kinds := map[explore.Kind]bool{}
		for i := range faults {
			kinds[faults[i].Kind] = true
			if said(&faults[i]) != said(&again[i]) {
				t.Errorf("%s, and then %s", said(&faults[i]), said(&again[i]))
			}
		}
		if len(kinds) != min(most, len(explore.Kinds)) {
			t.Errorf("%d faults are of %d kinds", most, len(kinds))
		}
	}
}

// A client starts again by itself if it lists after the end of its watches.
func TestPlan_itself(t *testing.T) {
	b := newBuilder(t)
	w := b.watches(agent, "configmaps", tell{"ADDED", "web", 0})
	b.writes("kubectl/v1.37", "create", "configmaps", "shop", "web", configMap("web", 1, nil))
	b.writes(agent, "update", "configmaps", "shop", "web", configMap("web", 1, object{"a": "1"}))
	end := b.flow(agent, "watch", "configmaps", "shop", "")
	w.Close(noon.Add(time.Second), "client went away")
	end.Phase, end.Watch = 2, w
	b.must(b.to.Flow(end))
	b.must(b.to.Flow(b.flow(agent, "list", "configmaps", "shop", "")))
	faults, _ := explore.Plan(b.server(), explore.Options{Kinds: []explore.Kind{explore.Stale}})
	if len(faults) != 1 || said(&faults[0]) != "stale configmaps shop/web 2 itself" {
		t.Errorf("%+v", faults)
	}
}

func TestParseKinds(t *testing.T) {
	got, err := explore.ParseKinds("cut, lost,cut")
	if err != nil || !slices.Equal(got, []explore.Kind{explore.Cut, explore.Lost}) {
		t.Error(got, err)
	}
	for _, bad := range []string{"", "never", "cut,"} {
		if _, err := explore.ParseKinds(bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

// A fault that was read from a file is checked before anything runs.
func TestFault_Check(t *testing.T) {
	ok := explore.Restart{Resource: "configmaps", Name: "web", Change: 2, Moment: explore.AtEnd, For: time.Second}
	for name, f := range map[string]explore.Fault{
		"kind":    {Kind: "never", Client: "a", Rules: []string{"lose"}},
		"client":  {Kind: explore.Lost, Rules: []string{"lose"}},
		"nothing": {Kind: explore.Lost, Client: "a"},
		"rule":    {Kind: explore.Lost, Client: "a", Rules: []string{"loose"}},
		"change": {Kind: explore.Stale, Client: "a",
			Restart: &explore.Restart{Resource: "configmaps", Name: "web", Moment: explore.AtEnd, For: time.Second}},
		"moment": {Kind: explore.Stale, Client: "a",
			Restart: &explore.Restart{Resource: "configmaps", Name: "web", Change: 2, For: time.Second}},
	} {
		if f.Check() == nil {
			t.Errorf("%s: nothing is wrong with %+v", name, f)
		}
	}
	if err := (&explore.Fault{Kind: explore.Stale, Client: "a", Restart: &ok}).Check(); err != nil {
		t.Error(err)
	}
}

// Outcomes are of one mistake if the same things differ, whatever their values.
func TestOutcome_Repeats(t *testing.T) {
	d := func(path, is string) explore.Difference {
		return explore.Difference{Object: "configmaps shop/web", Path: path, Is: is}
	}
	first := explore.Outcome{Came: true, Differences: []explore.Difference{d("data.a", "1"), d("data.b", "1")}}
	for name, c := range map[string]struct {
		o    explore.Outcome
		want bool
	}{
		"another value": {explore.Outcome{Came: true, Differences: []explore.Difference{d("data.b", "2")}}, true},
		"another field": {explore.Outcome{Came: true, Differences: []explore.Difference{d("data.c", "1")}}, false},
		"nothing":       {explore.Outcome{Came: true}, false},
		"did not come":  {explore.Outcome{}, false},
		"fails":         {explore.Outcome{Came: true, Failed: "the command ends with code 1"}, false},
	} {
		if got := c.o.Repeats(&first); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	for _, c := range []struct {
		times, of int
		want      bool
	}{{9, 10, true}, {8, 10, false}, {10, 10, true}, {1, 1, true}, {2, 2, true}, {1, 2, false}, {0, 0, false}} {
		if explore.Stable(c.times, c.of) != c.want {
			t.Error(c)
		}
	}
}
