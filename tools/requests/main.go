// Command requests asks Kubarium and a kube-apiserver the same odd requests, and prints each answer that differs.
//
// The requests are the lines of requests.txt: for each resource and each subresource that both serve by their
// discovery, and once for documents, paths and single objects. Both servers get them one after the other, in the order
// of the file, in a namespace of this run. Values that a server chooses by itself are not compared (compare.go). A
// difference that docs/differences.md names is counted and not printed (known.go); any other makes the command exit
// with 1.
//
// Both servers must have the same admission plugins, authorization modes and feature gates, and no controllers: start Kubarium
// with --controllers=false. Their clients must be in system:masters.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

// errDifferent is the end of a run in which an answer differed that no known difference explains.
var errDifferent = errors.New("not the same")

// options are what the command line says.
type options struct {
	kubarium, kubernetes string
	only                 string // part of a request's text; "" means all requests
	examples             int    // different answers to print of one line of requests.txt
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	flag.StringVar(&o.kubarium, "kubarium", "http://127.0.0.1:8080", "`URL` of Kubarium")
	flag.StringVar(&o.kubernetes, "kubernetes", "", "`URL` of kube-apiserver")
	flag.StringVar(&o.only, "only", "", "send only requests with this `text`, and those that make and remove objects")
	flag.IntVar(&o.examples, "examples", 3, "how many different answers are printed of each line of requests.txt")
	flag.Parse()
	switch err := run(ctx, o, os.Stdout); {
	case errors.Is(err, errDifferent):
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "requests:", err)
		os.Exit(2)
	}
}
