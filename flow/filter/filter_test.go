package filter_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"kubarium/flow"
	"kubarium/flow/filter"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// conflict is a refused update of a Deployment by the actor B of the lesson lost-update, five seconds before noon.
func conflict() *flow.Flow {
	return &flow.Flow{
		Seq: 1203, Start: noon.Add(-5 * time.Second), Duration: 7 * time.Millisecond,
		Client: flow.Client{Tag: "B", UserAgent: "kubarium-lesson/B", Session: "s-42", User: "alice",
			Impersonator: "root", Via: flow.ViaRun},
		Method: "PUT", Path: "/apis/apps/v1/namespaces/shop/deployments/web/status", Query: "dryRun=All",
		Target: flow.Target{Verb: "update", Group: "apps", Version: "v1", Resource: "deployments",
			Subresource: "status", Namespace: "shop", Name: "web"},
		RequestHeader: http.Header{"Kubarium-Lesson": {"lost-update"}, "Accept": {"application/json"}},
		RequestBody:   flow.Keep([]byte(`{"spec":{"replicas":2}}`)),
		Status:        409,
		ResponseHeader: http.Header{"Content-Type": {"application/json;as=Table;v=v1;g=meta.k8s.io"},
			"Content-Encoding": {"gzip"}},
		ResponseBody: flow.Body{Kept: []byte("{}"), Total: 5000},
		Reason:       "Conflict",
		Stations:     []flow.Station{{Name: "decode"}, {Name: "store", Failed: true}},
		Statements:   []flow.Statement{{SQL: "SELECT value FROM objects WHERE key = ?"}},
		SentRevision: 4171,
		Page:         &flow.Page{},
		Plugins: []flow.PluginMark{
			{Plugin: "LimitRanger"}, {Plugin: "ValidatingAdmissionPolicy",
				Opinions: []flow.Opinion{{Kind: flow.PolicyPart, Name: "replicas-max", By: "everywhere"}}},
		},
		Calls: []flow.Call{{Kind: flow.WebhookCall, Name: "sidecar.example.com", By: "sidecars", Flow: &flow.Flow{}},
			{Kind: flow.ConversionCall, Name: "fish.example.com", Flow: &flow.Flow{}}},
		Faults:   []flow.FaultMark{{Action: "hold", Name: "door"}},
		Conflict: &flow.Conflict{Kind: flow.StaleRevision, Sent: 4171, Stored: 4176},
	}
}

func watch(t *testing.T, pending int) *flow.Flow {
	t.Helper()
	w := flow.NewLog(flow.Limits{}).OpenWatch(flow.WatchInfo{})
	w.Reached(9, pending)
	return &flow.Flow{Phase: flow.WatchOpened, Method: "GET", Status: 200, Watch: w,
		Target: flow.Target{Verb: "watch", Resource: "pods"}}
}

// Each filter of the first list matches the refused update, each of the second does not.
func TestFilter_Match(t *testing.T) {
	yes := []string{
		``, ` `, `web`, `WEB`, `deploy*`, `"shop/dep"`, `~w.b/`, `/apis/*/web/*`,
		`verb:update`, `verb:UPDATE`, `verb:up*`, `verb:get,update`, `verb~^up`, `method:put`,
		`code:409`, `code:4xx`, `code:>=400`, `code>=400`, `code<410`, `code:>408`, `code:<=409`, `code:200,>400`,
		`reason:conflict`, `res:deployments`, `res:deployments.apps`, `res:deployments/status`,
		`res:deployments.apps/status`, `res:*.apps`, `res~status$`, `sub:status`, `sub:*`, `user:alice`,
		`user:root`, `user:a*,bob`, `plugin:LimitRanger`, `plugin:limitranger`, `plugin:replicas-max`,
		`plugin~Policy$`, `webhook:sidecar.example.com`, `webhook:sidecars`, `webhook:fish*`, `webhook:*`,
		`since:sync`, `since:SYNC`, `limit:0`,
		`ns:shop`, `name:web`, `name:w?b`, `who:A,B`, `who:run`, `ua:LESSON`, `ua~^kubarium`, `run:s-42`, `run:last`,
		`rv:4171`, `rv:>4170`, `rv:41xx`, `dur:>5ms`, `dur>0.005s`, `dur:7`, `size:5000`, `size:>4KiB`, `size<=5kB`,
		`enc:json`, `enc:table`, `enc:gzip`, `enc:application/json`, `station:store`, `sql:objects`,
		`sql~"^SELECT .* WHERE"`,
		`body:replicas`, `body~"replicas"`, `body:rep*2`, `hdr:accept`, `hdr:json`, `kind:stale`, `kind:request`,
		`since:10s`, `since:5000`, `scenario:lost-update`, `scenario:yes`, `scenario:lost*`, `marked:yes`, `fault:yes`,
		`fault:hold`, `fault:do*`, `!fault:no`,
		`verb:update code:409 reason:Conflict`, `verb:get|code:409`, `verb:get | code:409 ns:shop`, `!verb:get`,
		`!(verb:get|code:200)`, `!!web`,
		`(code:>=400|lag:>100) since:2m`, `res:deployments !ua~kubelet dur:>5ms`,
	}
	no := []string{
		`kube-system`, `verb:get`, `verb:u`, `code:404`, `code:5xx`, `code<409`, `code>409`, `reason:NotFound`,
		`res:pods`, `res:status`,
		`sub:scale`, `user:bob`, `user:roo`, `plugin:PodSecurity`, `plugin:everywhere`, `plugin:sidecar.example.com`,
		`webhook:LimitRanger`, `webhook:example.com`, `since:later`, `since:never`, `limit:>0`, `ns:default`,
		`ns:sho`, `name:we`, `who:b1`, `!who:run`, `ua:kubectl`, `run:s`, `rv:4172`, `dur:>10ms`, `size:<4KiB`, `enc:yaml`,
		`station:commit`,
		`sql:delete`, `body:secret`, `hdr:cookie`, `watch:*`, `lag:>=0`, `kind:exists`, `kind:watch-opened`, `since:4s`,
		`scenario:watch`, `scenario:no`, `marked:no`, `fault:no`, `fault:lose`, `!web`, `web !shop`,
		`(verb:get|code:200) web`, `"deploy*"`,
	}
	moments := map[string]uint64{"sync": 1202, "later": 1203}
	env := filter.Env{Now: noon, LastRun: "s-42", Marked: func(seq uint64) bool { return seq == 1203 },
		Moment: func(name string) (uint64, bool) { before, ok := moments[strings.ToLower(name)]; return before, ok }}
	for _, s := range yes {
		if !mustParse(t, s).Bind(env).Match(conflict()) {
			t.Errorf("%s does not match", s)
		}
	}
	for _, s := range no {
		if mustParse(t, s).Bind(env).Match(conflict()) {
			t.Errorf("%s matches", s)
		}
	}
}

func TestFilter_Match_Watches(t *testing.T) {
	f := watch(t, 31)
	for s, want := range map[string]bool{
		`sub:*`: false, `!sub:*`: true, `plugin:*`: false, `webhook:*`: false, `user:root`: false, `sub:status`: false,
		`watch:1`: true, `watch:2`: false, `watch:*`: true, `watch:open`: true, `watch:closed`: false,
		`lag:31`: true, `lag:>30`: true, `lag:>31`: false, `kind:watch-opened`: true, `kind:request`: false,
		`verb:watch`: true,
	} {
		if got := mustParse(t, s).Match(f); got != want {
			t.Errorf("%s: %v", s, got)
		}
	}
	if mustParse(t, `fault:yes`).Match(f) {
		t.Error("nothing was done to the watch yet")
	}
	f.Watch.Touched(flow.FaultMark{Action: "coalesce"})
	if !mustParse(t, `fault:coalesce`).Match(f) {
		t.Error("fault:coalesce does not match a watch of which an event was coalesced")
	}
	f.Watch.Close(noon, "timeout")
	if !mustParse(t, `watch:closed`).Match(f) {
		t.Error("watch:closed does not match a watch that has ended")
	}
}

// Fields that depend on an Env have a value without one: nothing is marked, and there was no last run.
func TestFilter_Match_ZeroEnv(t *testing.T) {
	for s, want := range map[string]bool{`marked:yes`: false, `marked:no`: true, `run:last`: false, `since:1s`: false,
		`since:sync`: false} {
		if got := mustParse(t, s).Match(conflict()); got != want {
			t.Errorf("%s: %v", s, got)
		}
	}
	if !(*filter.Filter)(nil).Match(conflict()) {
		t.Error("a nil filter hides something")
	}
}

// Completion offers the values of the fields user, plugin and webhook.
func TestSeen(t *testing.T) {
	for field, want := range map[string]string{
		"user": "alice root", "plugin": "LimitRanger ValidatingAdmissionPolicy replicas-max",
		"webhook": "sidecar.example.com sidecars fish.example.com", "verb": "",
	} {
		if got := strings.Join(filter.Seen(conflict(), field), " "); got != want {
			t.Errorf("%s: %s", field, got)
		}
	}
}

// A filter lists the moments that it uses, so that an unknown name is an error and not an empty result.
func TestFilter_Moments(t *testing.T) {
	for s, want := range map[string]string{``: "", `since:10s web`: "", `since:sync`: "sync",
		`!(since:a|verb:get since:b,5s)`: "a b"} {
		if got := strings.Join(mustParse(t, s).Moments(), " "); got != want {
			t.Errorf("%s asks for %q", s, got)
		}
	}
}

func TestParse_Errors(t *testing.T) {
	for _, c := range []struct {
		text   string
		column int
		want   string
	}{
		{`cod:409`, 0, `unknown field "cod", did you mean code?`},
		{`web  vreb:get`, 5, `unknown field "vreb", did you mean verb?`},
		{`ü cod:409`, 2, `unknown field "cod", did you mean code?`},
		{`zebra:1`, 0, `unknown field "zebra"`},
		{`code:abc`, 5, `"abc" is not a number`},
		{`code:200,4o4`, 9, `"4o4" is not a number`},
		{`code~4`, 5, `code is compared with : or > >= < <=, not with ~`},
		{`dur:>fast`, 4, `"fast" is not a duration such as 5ms or 2m`},
		{`size:>4parsec`, 5, `"4parsec" is not a size such as 512 or 4KiB`},
		{`name:>a`, 5, `name has no order, use : or ~`},
		{`since>10s`, 6, `since takes a duration alone, such as since:10s`},
		{`marked:ye`, 7, `marked is yes or no, did you mean yes?`},
		{`verb:`, 5, `a value is missing here`},
		{`verb: get`, 5, `a value is missing here`},
		{`:x`, 0, `a field is missing here`},
		{`body~"["`, 5, "not a regular expression: missing closing ]: `[`"},
		{`(web`, 0, `this parenthesis is not closed`},
		{`web)`, 3, `this parenthesis closes nothing`},
		{`()`, 1, `a term is missing here`},
		{`web|`, 4, `a term is missing here`},
		{`|web`, 0, `a term is missing here`},
		{`web !`, 5, `a term is missing after !`},
		{`name:"web`, 5, `this quote is not closed`},
		{strings.Repeat("(", 200), 101, `nested too deeply`},
		{strings.Repeat("!", 200), 101, `nested too deeply`},
	} {
		_, err := filter.Parse(c.text)
		var e *filter.Error
		if !errors.As(err, &e) {
			t.Errorf("%.40s: no *Error but %v", c.text, err)
			continue
		}
		if e.Error() != c.want || e.Column != c.column {
			t.Errorf("%.40s: column %d: %s", c.text, e.Column, e)
		}
	}
}

func TestFilter_String(t *testing.T) {
	for text, want := range map[string]string{
		` verb:update   code>=400 `:    `verb:update code:>=400`,
		`a | b c|d`:                    `a | b c | d`,
		`a|b`:                          `a|b`,
		`(a|b) c`:                      `(a|b) c`,
		`(a b) c`:                      `a b c`,
		`(a|(b|c))`:                    `a|b|c`,
		`!(a b)`:                       `!(a b)`,
		`!(a|b)`:                       `!(a|b)`,
		`name:"w*b"`:                   `name:"w*b"`,
		`name:w*b,"x y",z`:             `name:w*b,"x y",z`,
		`body~"a|b"`:                   `body~"a|b"`,
		`body~"\d\\d"`:                 `body~"\\d\\d"`,
		`"say \"hi\""`:                 `"say \"hi\""`,
		`~^/api`:                       `~"^/api"`,
		`hdr:"application/json; q=.5"`: `hdr:"application/json; q=.5"`,
	} {
		if got := mustParse(t, text).String(); got != want {
			t.Errorf("%s prints as %s, want %s", text, got, want)
		}
	}
}

// A filter seeks a client only if it names that client, and does not exclude it.
func TestFilter_Seeks(t *testing.T) {
	f := &flow.Flow{Client: flow.Client{Tag: "ui", UserAgent: "kubarium-ui"}, Status: 200}
	for text, want := range map[string]bool{
		"who:ui": true, "who:k1,ui code:200": true, "ua~kubarium": true, "who:k1 | who:ui": true,
		"": false, "code:200": false, "who:k1": false, "!who:ui": false, "!who:k1": false,
	} {
		p, err := filter.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if p.Seeks(f) != want {
			t.Errorf("%q: want %v", text, want)
		}
	}
}

func TestAnd(t *testing.T) {
	for _, c := range []struct {
		text, field, value string
		negate             bool
		want               string
	}{
		{``, "verb", "get", false, `verb:get`},
		{``, "verb", "get", true, `!verb:get`},
		{`web`, "ns", "shop", false, `web ns:shop`},
		{`a|b`, "ns", "shop", false, `(a|b) ns:shop`},
		{`ns:shop web`, "ns", "shop", false, `ns:shop web`},
		{`ns:shop web`, "ns", "shop", true, `web !ns:shop`},
		{`!ns:shop`, "ns", "shop", false, `ns:shop`},
		{``, "name", "a*b c", false, `name:"a*b c"`},
		{`web`, "colour", "red", false, `web`},
		{`web`, "code", "red", false, `web`},
	} {
		if got := filter.And(mustParse(t, c.text), c.field, c.value, c.negate).String(); got != c.want {
			t.Errorf("%s and %s %s: %s, want %s", c.text, c.field, c.value, got, c.want)
		}
	}
	if got := filter.And(nil, "code", "409", false).String(); got != "code:409" {
		t.Errorf("nil and code 409: %s", got)
	}
}

func TestComplete(t *testing.T) {
	seen := func(field string) []string {
		return map[string][]string{"who": {"k1", "B", "my tag"}, "verb": {"get", "proxy"}}[field]
	}
	for _, c := range []struct {
		text   string
		cursor int
		want   []string
	}{
		{"ve", 2, []string{"verb:"}},
		{"!VE", 3, []string{"!verb:"}},
		{"web (s", 6, []string{"web (sub:", "web (size:", "web (station:", "web (sql:", "web (since:",
			"web (scenario:"}},
		{"verb:p", 6, []string{"verb:patch", "verb:proxy"}},
		{"verb:g", 6, []string{"verb:get"}},
		{"verb:get,del", 12, []string{"verb:get,delete", "verb:get,deletecollection"}},
		{"who:", 4, []string{"who:k1", "who:B", `who:"my tag"`}},
		{`who:"m`, 6, []string{`who:"my tag"`}},
		{"code:>=4", 8, []string{"code:>=4xx", "code:>=404", "code:>=409", "code:>=410", "code:>=422"}},
		{"mar code:1", 3, []string{"marked:"}},
		{"marked:", 7, []string{"marked:yes", "marked:no"}},
		{"zebra:x", 7, nil},
		{"body~x", 6, nil},
		{"ve", 99, []string{"verb:"}},
		{"ve", -1, nil},
	} {
		got := filter.Complete(c.text, c.cursor, seen)
		if c.cursor < 0 {
			if len(got) != len(filter.Fields()) {
				t.Errorf("%q at the start: %q", c.text, got)
			}
			continue
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q at %d: %q, want %q", c.text, c.cursor, got, c.want)
		}
	}
}

// Every field has a description for help.
func TestAbout(t *testing.T) {
	for _, name := range filter.Fields() {
		if filter.About(name) == "" {
			t.Errorf("%s says nothing", name)
		}
	}
	if filter.About("colour") != "" {
		t.Error("an unknown field says something")
	}
}

// Matching fields of a flow allocates nothing, so that filtering the whole log leaves no garbage.
func TestFilter_Match_Allocations(t *testing.T) {
	if underRace {
		t.Skip("the race detector makes the pools of package regexp forget")
	}
	f := conflict()
	for _, s := range []string{
		`verb:update code:409 reason:Conflict`, `res:deployments !who:A dur:>5ms`, `web`, `ns:sh* name:w?b`, `rv:4171`,
		`size:>4KiB`,
		`station:store`, `sql:objects`, `body:replicas`, `hdr:accept`, `enc:table`, `kind:stale`, `since:10s|web`,
		`scenario:yes`, `ua~lesson`,
	} {
		parsed := mustParse(t, s)
		if n := testing.AllocsPerRun(100, func() { parsed.Match(f) }); n > 0 {
			t.Errorf("%s: %v allocations", s, n)
		}
	}
}

func BenchmarkFilter_Match(b *testing.B) {
	parsed, err := filter.Parse(`verb:update code:409 !res:pods`)
	if err != nil {
		b.Fatal(err)
	}
	f := conflict()
	b.ReportAllocs()
	for b.Loop() {
		parsed.Match(f)
	}
}

// Any text that parses prints as text that parses to the same filter.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`verb:update code:409 reason:Conflict`, `res:pods !ua~kubelet dur:>5ms`, `run:last`,
		`(code:>=400|lag:>100) since:2m`,
		`body~"replicas"`, `a|b c | !(d "e\"f")`, `name:w*b,"x y",z`, `~^x size:1.5MiB rv:41xx`,
		`code:200,>400 marked:no`, `!!a`, `a*:~"b`,
	} {
		f.Add(s)
	}
	for _, s := range []string{`user:alice,"system:*" !plugin~^Limit`, `webhook:* (plugin:replicas-max|user:root)`,
		`webhook~"\\.example\\.com$" since:1m`} {
		f.Add(s)
	}
	fl := conflict()
	f.Fuzz(func(t *testing.T, text string) {
		first, err := filter.Parse(text)
		if err != nil {
			var e *filter.Error
			if !errors.As(err, &e) || e.Column < 0 || e.Column > len([]rune(text)) {
				t.Fatalf("%q: bad error %v", text, err)
			}
			return
		}
		second, err := filter.Parse(first.String())
		if err != nil {
			t.Fatalf("%q prints as %q, which does not parse: %v", text, first, err)
		}
		if first.String() != second.String() {
			t.Fatalf("%q prints as %q, then as %q", text, first, second)
		}
		env := filter.Env{Now: noon}
		if first.Bind(env).Match(fl) != second.Bind(env).Match(fl) {
			t.Fatalf("%q and %q differ", text, first)
		}
	})
}

func mustParse(t *testing.T, s string) *filter.Filter {
	t.Helper()
	f, err := filter.Parse(s)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return f
}
