// Command differences asks Kubarium and a kube-apiserver the same, and prints each answer that differs.
//
// It takes the built-in kinds that both serve from their discovery. Of each kind it makes objects out of valid ones
// (the folder seeds) by setting, removing, doubling and reordering fields, so that every field of the kind's Go type is
// met in a run. Each object is created, read in all forms, updated through the main resource and each subresource that
// shows it, and deleted. The same seed and count send the same requests, except for the names' first letters, which are
// new in each run. It speaks HTTP and knows nothing of how either server works; normalize.go alone says what is not
// compared.
//
// NamespaceLifecycle must be the only admission plugin of both: others make objects with names of their own. And
// neither server may have controllers: their writes would come between two answers.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
)

// errDifferent is the end of a run in which something differed, or a field was not met.
var errDifferent = errors.New("not the same")

// options are what the command line says.
type options struct {
	kubarium   string
	kubernetes string
	kinds      []string // kinds or resources, in any case; none means all
	count      int      // mutated objects of each kind
	seed       uint64
	only       int // index of the one object to try; -1 means all
	verbose    bool
	parallel   int // kinds at a time
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, readOptions())
	switch {
	case errors.Is(err, errDifferent):
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "differences:", err)
		os.Exit(2)
	}
}

func readOptions() options {
	var o options
	flag.StringVar(&o.kubarium, "kubarium", "http://127.0.0.1:8080", "`URL` of Kubarium")
	flag.StringVar(&o.kubernetes, "kubernetes", "", "`URL` of kube-apiserver; its client must be in system:masters")
	kinds := flag.String("kinds", "", "the `kinds` or resources to compare, with commas; none means all that both serve")
	flag.IntVar(&o.count, "count", 200, "mutated objects of each kind")
	flag.Uint64Var(&o.seed, "seed", 1, "what the mutations are chosen by; the same seed and count send the same requests")
	flag.IntVar(&o.only, "only", -1, "try the object with this `index` alone, as a difference names it; -1 means all")
	flag.BoolVar(&o.verbose, "verbose", false, "print both answers of each example, and the fields that were not met")
	flag.IntVar(&o.parallel, "parallel", 4, "how many kinds are compared at a time")
	flag.Parse()
	o.kubarium, o.kubernetes = strings.TrimSuffix(o.kubarium, "/"), strings.TrimSuffix(o.kubernetes, "/")
	if *kinds != "" {
		o.kinds = strings.Split(strings.ToLower(*kinds), ",")
	}
	return o
}
