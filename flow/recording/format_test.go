package recording_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kubarium/flow/recording"
)

// This release and every later one read recordings of each earlier format correctly. The files in testdata are never
// overwritten: a new format gets a new file (UPDATE=1 writes missing ones).
func TestDecoder_Formats(t *testing.T) {
	name := filepath.Join("testdata", "format-1.kubarium")
	if _, err := os.Stat(name); errors.Is(err, os.ErrNotExist) && os.Getenv("UPDATE") != "" {
		must(t, os.WriteFile(name, everything(t), 0o644))
		must(t, os.WriteFile(strings.TrimSuffix(name, ".kubarium")+".json", told(t, name), 0o644))
	}
	all, err := filepath.Glob(filepath.Join("testdata", "format-*.kubarium"))
	if err != nil || len(all) != recording.Format {
		t.Fatalf("%d recordings for %d formats, %v", len(all), recording.Format, err)
	}
	for _, name := range all {
		want, err := os.ReadFile(strings.TrimSuffix(name, ".kubarium") + ".json")
		if err != nil || !bytes.Equal(told(t, name), want) {
			t.Errorf("%s is not read as it was (%v)", name, err)
		}
	}
}

// told returns the contents of a recording, one entry a line.
func told(t *testing.T, name string) []byte {
	t.Helper()
	defer func(zone *time.Location) { time.Local = zone }(time.Local)
	time.Local = time.UTC // the zone of the expected entries
	f, err := os.Open(name)
	must(t, err)
	defer f.Close()
	all, err := untape(t, f)
	if err != io.EOF {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, e := range all {
		line := map[string]any{"begin": e.Begin, "state": e.State, "change": e.Change, "flow": e.Flow,
			"missed": e.Missed, "moment": e.Moment, "head": e.Head, "end": e.End}
		if e.Frames != nil {
			line["frames"] = map[string]any{"info": e.Frames.Info, "state": e.Frames.State, "frames": e.Frames.Frames}
		}
		text, err := json.Marshal(line)
		must(t, err)
		var plain map[string]any
		must(t, json.Unmarshal(text, &plain))
		for k, v := range plain {
			if v == nil {
				delete(plain, k)
			}
		}
		text, err = json.Marshal(plain)
		must(t, err)
		out.Write(append(text, '\n'))
	}
	return out.Bytes()
}

// everything is a recording with every kind of entry, and something in every field.
func everything(t *testing.T) []byte {
	return tape(t, func(e *recording.Encoder) {
		must(t, e.Begin(recording.Begin{MadeBy: "v1", Run: "run", Segment: 1, At: noon, URL: "http://127.0.0.1:8080",
			DB: "k.db", Revision: 10, Compacted: 5, Objects: true, Published: 3, Selection: "verb:update",
			Secrets: true}))
		f, change := update(1200)
		before := *change
		before.Revision = change.Before
		must(t, e.State(&before))
		must(t, e.Change(change))
		must(t, e.Flow(f))
		must(t, e.Flow(full()))
		must(t, e.Missed(recording.Missed{Others: 2, Own: 1, Upto: 9, ChangesFrom: 4, ChangesTo: 6}))
		must(t, e.Moment(recording.Moment{Name: "sync", Before: 7}))
		must(t, e.Head(recording.Head{Newest: 1200, Compacted: 5, At: noon}))
	})
}
