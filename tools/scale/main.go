// Command scale measures what a Kubarium with many objects costs, against how many there are: its start, its memory, its first
// reads, pages, lists, writes, and what a compaction does to a writer. It makes databases of ConfigMaps of 1 KB and a tenth as
// many Pods, serves each with the binary, and writes a table and a diagram of each figure.
//
//	go run ./tools/scale -out docs/scale
//
// With -store it measures instead how many requests one to four Kubariums on an etcd cluster answer, and with -peer, by turns with them,
// a kube-apiserver on the same cluster:
//
//	go run ./tools/scale -out docs/several -store etcd://127.0.0.1:2379/scale -peer http://127.0.0.1:8001
//
// It needs no network, memory for the objects, and on disk about four times their size. Databases are made in the folder -databases,
// and used again by the next run where that is given; without it they are removed in the end.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// options are what the command line says.
type options struct {
	sizes     []int    // how many ConfigMaps the databases have, or how many servers there are
	store     string   // URL of an etcd cluster with several servers; "" for databases
	peer      string   // URL of another API server; "" for none
	databases string   // folder
	binary    string   // Kubarium's
	serve     []string // further flags of it
	out       string   // folder of the table and the diagrams
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	o, err := readOptions()
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "scale-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if o.databases == "" {
		o.databases = scratch
	}
	if o.binary == "" {
		o.binary = filepath.Join(scratch, "kubarium")
		build := exec.CommandContext(ctx, "go", "build", "-tags", "grpcnotrace", "-o", o.binary, "kubarium")
		if text, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build: %w: %s", err, text)
		}
	}
	t, fn := &table{over: "ConfigMaps"}, measure
	if o.store != "" {
		t, fn = &table{over: "Kubariums"}, measureSeveral
	}
	for _, n := range o.sizes {
		if err := fn(ctx, o, n, t.column(n)); err != nil {
			return fmt.Errorf("%d %s: %w", n, t.over, err)
		}
		if err := t.write(o.out); err != nil { // so that what was measured is there if the next size fails
			return err
		}
	}
	return nil
}

func readOptions() (o options, err error) {
	sizes := flag.String("sizes", "", "how many ConfigMaps, with commas, of which each comes with a tenth as many Pods (default 0 to 1,000,000); with -store how many servers (default 1 to 4)")
	flag.StringVar(&o.store, "store", "", "`URL` of an etcd cluster, as of kubarium serve --store, to measure several servers on it")
	flag.StringVar(&o.peer, "peer", "", "with -store the `URL` of another API server on the same cluster, to be measured by turns")
	flag.StringVar(&o.databases, "databases", "", "`folder` of the databases; those that are there are used again")
	flag.StringVar(&o.binary, "binary", "", "Kubarium's `file`; it is built if none is named")
	serve := flag.String("serve", "--controllers=false --sync=normal", "further `flags` of kubarium serve")
	flag.StringVar(&o.out, "out", "", "`folder` of the table and the diagrams")
	flag.Parse()
	if o.out == "" || flag.NArg() > 0 {
		return o, errors.New("say where the table and the diagrams shall be, by -out FOLDER, and nothing else")
	}
	o.serve = strings.Fields(*serve)
	if *sizes == "" {
		*sizes = "0,1000,10000,100000,1000000"
		if o.store != "" {
			*sizes = "1,2,3,4"
		}
	}
	for text := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return o, fmt.Errorf("-sizes: %q is no number of objects", text)
		}
		o.sizes = append(o.sizes, n)
	}
	slices.Sort(o.sizes)
	return o, nil
}
