// Command access asks Kubarium and a kube-apiserver who may do what, and prints each answer that differs.
//
// On both it binds default roles to users of its own, one each, and asks a SubjectAccessReview for every role, every
// resource and subresource that either server discovers, every verb, cluster-wide and in a namespace, and for paths
// that are no resource. It compares the whole status: allowed, denied, the reason, an error. Then it compares the rules
// that each user gets for itself, where Kubarium lets its client impersonate them, and the answers to odd and malformed
// reviews.
//
// Both servers must be in mode RBAC. Its client must be in system:masters on both. kube-apiserver needs no controllers:
// this command fills the aggregated roles, as kube-controller-manager would. Its objects, whose names begin with
// "access-", stay, and the next run uses them again.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

// errDifferent is the end of a run in which something differed.
var errDifferent = errors.New("not the same")

// options are what the command line says.
type options struct {
	kubarium   string
	kubernetes string
	examples   int // different answers to print
	parallel   int // questions at a time
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, readOptions())
	switch {
	case errors.Is(err, errDifferent):
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "access:", err)
		os.Exit(2)
	}
}

func readOptions() options {
	var o options
	flag.StringVar(&o.kubarium, "kubarium", "http://127.0.0.1:8080", "`URL` of Kubarium in mode RBAC")
	flag.StringVar(&o.kubernetes, "kubernetes", "", "`URL` of kube-apiserver in mode RBAC; its client must be in system:masters")
	flag.IntVar(&o.examples, "examples", 20, "how many different answers are printed")
	flag.IntVar(&o.parallel, "parallel", 8, "how many questions are asked at a time")
	flag.Parse()
	return o
}
