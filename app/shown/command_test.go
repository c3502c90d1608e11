//go:build unix

package shown_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"kubarium/app/child"
	"kubarium/app/shown"
	"kubarium/flow"
)

// The tags are those of the command's requests alone, the newest first; the UI hears of servers that it starts, and of
// its end.
func TestCommand(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p, err := child.Begin([]string{"sh", "-c", "read line; exit 3"}, os.Environ(), child.Streams{In: in}, true)
	if err != nil {
		t.Fatal(err)
	}
	log, folder := flow.NewLog(flow.Limits{}), t.TempDir()
	recorded := func(name string) {
		if err := os.WriteFile(filepath.Join(folder, name+".kubarium"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	recorded("its-own")
	c := shown.Command(t.Context(), p, log, "sh", "", folder)
	a, b := flow.Client{Tag: "a", Via: flow.ViaRun}, flow.Client{Tag: "b", Via: flow.ViaRun}
	for _, one := range []flow.Client{a, b, {Tag: "c"}, a} {
		log.Publish(&flow.Flow{Client: one})
	}
	for range 6000 {
		if slices.Equal(c.Tags(), []string{"a", "b"}) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if got := c.Tags(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("the tags are %v", got)
	}
	hear := func(what string, yes func() bool) {
		t.Helper()
		for end := time.After(time.Minute); !yes(); {
			select {
			case <-c.Changed:
			case <-end:
				t.Fatalf("the UI does not hear of %s", what)
			}
		}
	}
	if ended, _ := c.Done(); ended || c.Servers() != 0 {
		t.Fatalf("ended %t, %d servers", ended, c.Servers())
	}
	recorded("of-the-command")
	<-c.Changed
	hear("a server", func() bool { return c.Servers() == 1 })
	out.Close()
	hear("the end", func() bool { ended, code := c.Done(); return ended && code == 3 })
}
