package shown_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/app/shown"
)

// BenchmarkOpenRun opens a recording of 100,000 requests: half of them gets, a quarter each creates and updates of objects of 1 KB.
func BenchmarkOpenRun(b *testing.B) {
	config := program.Config{Listen: "127.0.0.1:0", DB: filepath.Join(b.TempDir(), "k.db"), History: 60e9, Sync: "off"}
	config.Record.File = filepath.Join(b.TempDir(), "run.kubarium")
	p := programtest.MustStartConfig(b, config)
	url := p.URL + "/api/v1/namespaces/default/configmaps"
	c := programtest.NewClient()
	var done atomic.Int64
	programtest.Parallel(8, 25_000, &done, func(i int64) {
		name := fmt.Sprintf("c%d", i)
		programtest.Send(b, c, "POST", url, programtest.ConfigMap(name))
		programtest.Send(b, c, "GET", url+"/"+name, nil)
		programtest.Send(b, c, "PUT", url+"/"+name, programtest.ConfigMapOf(name, i))
		programtest.Send(b, c, "GET", url+"/"+name, nil)
	})
	if err := p.Close(); err != nil {
		b.Fatal(err)
	}
	s, err := os.Stat(config.Record.File)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		r, err := shown.Open(b.Context(), config.Record.File, programtest.Discard())
		if err != nil {
			b.Fatal(err)
		}
		if n := r.Log.Stats().Flows; n < 100_000 {
			b.Fatal(n)
		}
		b.StopTimer()
		if err := shown.Close([]*shown.Run{r}); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(s.Size())/100_000, "B/flow")
}
