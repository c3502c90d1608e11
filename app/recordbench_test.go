package app_test

import (
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/flow/recording"
)

// BenchmarkRecord asks a server that records its run, and in turns one that does not ("bare"): %-of-bare is what is left of the
// throughput. What the recorder does late falls into the other's turn, so turns should take a second or more:
//
//	go test ./app -run '^$' -bench Record -benchtime 100000x
func BenchmarkRecord(b *testing.B) {
	const clients = 16
	for _, verb := range []string{"get", "list", "create", "update"} {
		b.Run(verb, func(b *testing.B) {
			c := programtest.NewClient()
			var recorded *program.Program
			file := filepath.Join(b.TempDir(), "run.kubarium")
			side := func(record string) func(i int64) {
				config := program.Config{Listen: "127.0.0.1:0", DB: filepath.Join(b.TempDir(), "k.db"), History: 60e9, Sync: "full"}
				config.Record.File = record
				p := programtest.MustStartConfig(b, config)
				if record != "" {
					recorded = p
				}
				url := p.URL + "/api/v1/namespaces/default/configmaps"
				free := make(chan string, clients)
				for i := range clients {
					free <- fmt.Sprintf("c%d", i)
					programtest.Send(b, c, "POST", url, programtest.ConfigMap(fmt.Sprintf("c%d", i)))
				}
				return map[string]func(i int64){
					"get":    func(int64) { programtest.Send(b, c, "GET", url+"/c1", nil) },
					"list":   func(int64) { programtest.Send(b, c, "GET", url, nil) },
					"create": func(i int64) { programtest.Send(b, c, "POST", url, programtest.ConfigMap(fmt.Sprintf("n%d", i))) },
					"update": func(i int64) {
						name := <-free
						defer func() { free <- name }()
						programtest.Send(b, c, "PUT", url+"/"+name, programtest.ConfigMapOf(name, i))
					},
				}[verb]
			}
			contest{clients, side(file), side("")}.run(b)
			if err := recorded.Close(); err != nil {
				b.Fatal(err)
			}
			flows, missed := 0, uint64(0)
			for e := range entries(b, file) {
				switch {
				case e.Flow != nil:
					flows++
				case e.Missed != nil:
					missed += e.Missed.Others + e.Missed.Own
				}
			}
			fmt.Fprintf(os.Stderr, "%s: %d requests recorded, %d missed\n", verb, flows, missed)
		})
	}
}

// entries are those of a recording.
func entries(b *testing.B, path string) iter.Seq[*recording.Entry] {
	return func(yield func(*recording.Entry) bool) {
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		d, err := recording.NewDecoder(f)
		if err != nil {
			b.Fatal(err)
		}
		defer d.Close()
		for {
			e, err := d.Next()
			if err == io.EOF {
				return
			}
			if err != nil {
				b.Fatal(err)
			}
			if !yield(e) {
				return
			}
		}
	}
}
