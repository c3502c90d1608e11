package planted_test

import (
	"compress/gzip"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"kubarium/flow/recording"
	"kubarium/flow/redact"
	"kubarium/tests/planted"
)

var (
	update = flag.Bool("update", false, "record the exercises again, for the tests of analysis, in some minutes")
	only   = flag.String("only", "", "with -update, the one exercise to record")
)

// recordings is where the doctor's tests read the flows of each mistake and of its twin.
const recordings = "../../analysis/doctor/testdata/planted"

// The recordings are all there: one of each mistake and one of its twin. With -update they are made.
func TestRecordings(t *testing.T) {
	for _, name := range planted.Names() {
		if *only != "" && name != *only {
			continue
		}
		for _, file := range []struct {
			suffix string
			mended bool
		}{{"", false}, {"-mended", true}} {
			path := filepath.Join(recordings, name+file.suffix+".jsonl.gz")
			if *update {
				record(t, name, file.mended, false).save(t, path)
			} else if _, err := os.Stat(path); err != nil {
				t.Errorf("%v; record it with -update", err)
			}
		}
	}
}

// save writes a run as JSON Lines, with what is secret masked.
func (r run) save(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	w := recording.NewWriter(z)
	for _, one := range r {
		if one.Client.Own() && len(one.Effects) == 0 {
			continue // what Kubarium's controllers read says nothing of the one under test
		}
		if err := w.Flow(redact.Flow(one)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}
