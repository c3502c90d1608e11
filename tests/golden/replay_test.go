package golden_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kubarium/app/program"
	"kubarium/etcdstore/etcdtest"
	"kubarium/tests/golden"
)

var (
	update = flag.Bool("update", false, "raise the numbers of passing cases to what passes now")
	only   = flag.String("case", "", "replay only cases whose name contains this, without counting")
)

// Files with expectations of the replay, next to the recordings.
const (
	passingFile = "testdata/passing.json" // topic: how many cases pass; the number may only rise
	knownFile   = "testdata/known.json"   // topic: case: why it does not pass yet
)

// accounted are the topics in which each failing case must be in knownFile.
var accounted = []string{"crud-and-verbs", "update"}

// TestReplay plays every recorded topic against its own whole Kubarium without controllers, as the recorded server had
// none. -v shows the differences of failing cases; -case picks cases; -update raises the numbers.
func TestReplay(t *testing.T) {
	replayAll(t, func(t *testing.T) program.Config {
		return program.Config{DB: filepath.Join(t.TempDir(), "golden.db"), Sync: "normal"}
	})
}

// TestReplay_Etcd does the same with objects in etcd: the store does not change answers.
func TestReplay_Etcd(t *testing.T) {
	if *update {
		t.Skip("the numbers are those of TestReplay")
	}
	replayAll(t, func(t *testing.T) program.Config {
		return program.Config{Store: program.Etcd{URL: strings.Replace(etcdtest.Start(t, 1).Endpoints()[0], "http", "etcd", 1)},
			Sync: "full"}
	})
}

func replayAll(t *testing.T, config func(t *testing.T) program.Config) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) < 10 {
		t.Fatalf("found %d recordings, %v", len(files), err)
	}
	passing := readJSON[map[string]int](t, passingFile)
	known := readJSON[map[string]map[string]string](t, knownFile)
	var mu sync.Mutex
	reports := map[string]golden.Report{}
	t.Run("topic", func(t *testing.T) {
		for _, name := range files {
			if name == passingFile || name == knownFile {
				continue
			}
			file, err := golden.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(file.Topic, func(t *testing.T) {
				t.Parallel()
				report := replayTopic(t, file, config(t))
				mu.Lock()
				reports[file.Topic] = report
				mu.Unlock()
				if *only == "" {
					checkReport(t, report, passing[file.Topic], known[file.Topic])
				}
			})
		}
	})
	if *only == "" {
		summarize(t, reports, passing)
	}
}

// replayTopic starts a server and replays a file against it.
func replayTopic(t *testing.T, file *golden.File, c program.Config) golden.Report {
	c.Listen, c.History = "127.0.0.1:0", time.Hour
	p, err := program.Start(t.Context(), c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}()
	compact := func() error {
		resp, err := http.Post(p.URL+"/debug/compact", "", nil)
		if err != nil {
			return err
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("compact: %s", resp.Status)
		}
		return nil
	}
	return golden.Replay(t, p.URL, file, golden.Options{Has: []string{"crd"}, Compact: compact,
		Patience: 10 * time.Second, Only: *only})
}

// checkReport shows failed cases, and fails if they are more or others than expected.
func checkReport(t *testing.T, r golden.Report, least int, known map[string]string) {
	for _, result := range r.Results {
		why, named := known[result.Case]
		switch {
		case result.Outcome == golden.Failed && named:
			t.Logf("%s: known to fail: %s", result.Case, why)
		case result.Outcome == golden.Failed:
			t.Logf("%s: %s", result.Case, result.Why)
			if slices.Contains(accounted, r.Topic) {
				t.Errorf("%s fails and %s does not say why", result.Case, knownFile)
			}
		case result.Outcome == golden.Passed && named:
			t.Errorf("%s passes: take it out of %s", result.Case, knownFile)
		}
	}
	if n := r.Count(golden.Passed); n < least {
		t.Errorf("%d cases pass, %d did before", n, least)
	}
}

// summarize prints the topics' numbers, and raises the expected ones on request.
func summarize(t *testing.T, reports map[string]golden.Report, passing map[string]int) {
	var table strings.Builder
	fmt.Fprintf(&table, "\n%-20s %6s %6s %7s %5s\n", "topic", "passed", "failed", "skipped", "kept")
	for _, topic := range slices.Sorted(maps.Keys(reports)) {
		r := reports[topic]
		n := r.Count(golden.Passed)
		fmt.Fprintf(&table, "%-20s %6d %6d %7d %5d\n", topic, n, r.Count(golden.Failed), r.Count(golden.Skipped),
			passing[topic])
		if *update {
			passing[topic] = max(passing[topic], n)
		}
	}
	t.Log(table.String())
	if !*update {
		return
	}
	data, err := json.MarshalIndent(passing, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(passingFile, append(data, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestKnown fails for a name in knownFile that is in no recording.
func TestKnown(t *testing.T) {
	for topic, cases := range readJSON[map[string]map[string]string](t, knownFile) {
		file, err := golden.Load("testdata/" + topic + ".json")
		if err != nil {
			t.Error(err)
			continue
		}
		for name, why := range cases {
			if !slices.ContainsFunc(file.Cases, func(c *golden.Case) bool { return c.Name == name }) {
				t.Errorf("%s has no case %s", topic, name)
			}
			if why == "" {
				t.Errorf("%s/%s has no reason", topic, name)
			}
		}
	}
}

func readJSON[T any](t *testing.T, name string) (v T) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}
