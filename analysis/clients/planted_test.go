package clients_test

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"kubarium/analysis/clients"
	"kubarium/flow"
	"kubarium/flow/recording"
)

// planted are the parts of what must be said first of each controller that hangs.
var planted = map[string]struct {
	kind clients.Kind
	says []string
}{
	"stuck-finalizer": {clients.Finalizer, []string{
		"sites/shop in default-shop is terminating for ",
		"waits for the finalizer planted.example.com/site, which it added itself (#",
		"its watch of sites in default-shop was sent the deletion", "it has sent nothing about it since"}},
	"conflict-loop": {clients.ConflictLoop, []string{
		"updates of status of sites/shop in default-shop were refused with 409 in a row: it sends rv ",
		"again and again",
		"was written by itself (#", "between the last tries it waited ",
		"it would end if it took the object from there"}},
	"refused-429": {clients.Throttled, []string{
		"the update of deployments/shop in default-shop was ", "the server asks it to wait 2.0 s (Retry-After)",
		"refused by the fault rule default-shop"}},
	"ended-watch": {clients.EndedWatch, []string{
		"its watch of configmaps in default-shop with metadata.name=settings ended ", "no other took its place",
		"it ended with a timeout", "has not been sent at most 1 change after rv ",
		"the last one of configmaps/settings in default-shop"}},
}

// The first thing said of each controller that hangs is why, also from its recording alone; of its twin, that it waits
// for the next event.
func TestClient_Waits_planted(t *testing.T) {
	for name, want := range planted {
		w := firstWait(t, name)
		if w.Kind != want.kind {
			t.Errorf("%s: %s", name, text(w))
		}
		for _, part := range want.says {
			if !strings.Contains(text(w), part) {
				t.Errorf("%s: it does not say %q:\n%s", name, part, text(w))
			}
		}
		w = firstWait(t, name+"-mended")
		if w.Kind != clients.Idle || !strings.Contains(w.What, "for the next event of its ") {
			t.Errorf("%s-mended: %s", name, text(w))
		}
	}
}

// firstWait is what the controller of a recording waits for ten seconds after its last request.
func firstWait(t *testing.T, name string) clients.Wait {
	t.Helper()
	log := flow.NewLog(flow.Limits{KeepEnded: flow.Forever})
	r := clients.NewReader(func() []*flow.Watch { return log.Watches(flow.Forever) })
	var end time.Time
	for _, f := range recorded(t, "testdata/planted/"+name+".jsonl.gz") {
		log.Adopt(f)
		r.Add(f)
		if at := f.Start.Add(f.Duration); at.After(end) {
			end = at
		}
	}
	for _, tag := range r.Tags() {
		if c := r.Of(tag, end.Add(10*time.Second)); c.UserAgent == "site-controller/v1" {
			for _, w := range c.Waits {
				t.Logf("%s: %s", name, text(w))
			}
			return c.Waits[0]
		}
	}
	t.Fatalf("%s has no controller", name)
	return clients.Wait{}
}

// recorded are the flows of a compressed file of JSON Lines.
func recorded(t *testing.T, path string) (flows []*flow.Flow) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for r := bufio.NewReader(z); ; {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return flows
		}
		if err != nil {
			t.Fatal(err)
		}
		l, err := recording.Read(line)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		flows = append(flows, l.Flow)
	}
}
