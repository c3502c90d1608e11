package program_test

import (
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/flow"
)

// The requests of the port for a command are known whatever their User-Agent; those of the plain port are not.
func TestProgram_commandPort(t *testing.T) {
	c := program.Config{Listen: "127.0.0.1:0", DB: ":memory:", History: time.Minute, Sync: "off", Command: true}
	p := programtest.MustStartConfig(t, c)
	if p.CommandURL == "" || p.CommandURL == p.URL {
		t.Fatalf("the port for a command is %q, the plain one %q", p.CommandURL, p.URL)
	}
	const maps = "/api/v1/namespaces/default/configmaps"
	programtest.MustCall(t, 201, "POST", p.CommandURL+maps, programtest.JSONType, programtest.NamedMap("by-command"))
	programtest.MustCall(t, 200, "GET", p.URL+maps+"/by-command", "", "")
	ctx := t.Context()
	programtest.WatchEvents(ctx, t, p.CommandURL+maps+"?watch=true")
	seen := map[string]flow.Client{} // by verb
	programtest.Eventually(t, "the record of the watch", func() bool {
		flows, _ := p.Log.Since(0, 0)
		for _, f := range flows {
			if !f.Client.Own() && f.Target.Resource == "configmaps" {
				seen[f.Target.Verb] = f.Client
			}
		}
		return seen["watch"].Tag != ""
	})
	for verb, via := range map[string]string{"create": flow.ViaRun, "get": "", "watch": flow.ViaRun} {
		if seen[verb].Via != via {
			t.Errorf("%s came via %q, want %q", verb, seen[verb].Via, via)
		}
	}
	if seen["create"].Tag == seen["get"].Tag || seen["create"].Tag != seen["watch"].Tag {
		t.Errorf("the command and another client with its User-Agent are %+v", seen)
	}
	for _, w := range p.Log.Watches(time.Hour) {
		if w.Target.Resource == "configmaps" && !w.Client.Own() && w.Client.Via != flow.ViaRun {
			t.Errorf("the watch is of %+v", w.Client)
		}
	}
}

// Without a command there is no such port.
func TestProgram_noCommandPort(t *testing.T) {
	if p := programtest.MustStart(t, "off"); p.CommandURL != "" {
		t.Errorf("there is a port for a command: %s", p.CommandURL)
	}
}
