package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A kindReport is what came of one kind. One goroutine writes it.
type kindReport struct {
	kind     served
	objects  int
	requests int
	codes    map[string]map[int]int // answers of kube-apiserver to writes, by step and code
	groups   map[string]*groupReport
	met      met
	fields   int
	missed   []string
	silent   []int // objects with which kube-apiserver panicked; there is nothing to compare
	err      error
}

// A groupReport is of differences of one sort.
type groupReport struct {
	what    string
	step    string
	count   int
	index   int // of the first object
	example []difference
	answers [2]*answer
}

func newKindReport(k served, p *plan) *kindReport {
	return &kindReport{
		kind: k, codes: map[string]map[int]int{}, groups: map[string]*groupReport{}, fields: len(p.order) + len(p.status),
		met: met{main: map[field]bool{}, status: map[field]bool{}},
	}
}

func (k *kindReport) note(index int, step string, kubarium, kubernetes *answer) {
	if k.codes[step] == nil {
		k.codes[step] = map[int]int{}
	}
	k.codes[step][kubernetes.code]++
	if kubernetes.code == noAnswer {
		k.silent = append(k.silent, index)
		return
	}
	all := compare(kubarium, kubernetes)
	if len(all) == 0 {
		return
	}
	k.add(&groupReport{what: group(kubarium, kubernetes, all), step: step, index: index, example: all, answers: [2]*answer{kubarium, kubernetes}})
}

// refuseSeed notes that an object of the seeds was not taken, which is a fault of this command or a difference.
func (k *kindReport) refuseSeed(index int) {
	k.add(&groupReport{what: "a valid object was refused or answered differently", step: "create as seeded", index: index})
}

func (k *kindReport) add(g *groupReport) {
	key := g.step + "\n" + g.what
	if k.groups[key] == nil {
		k.groups[key] = g
	}
	k.groups[key].count++
}

// different counts the answers that differ.
func (k *kindReport) different() int {
	n := 0
	for _, g := range k.groups {
		n += g.count
	}
	return n
}

// accepted says how many of a step's answers were successes, as a part of all.
func (k *kindReport) accepted(step string) string {
	good, all := 0, 0
	for code, n := range k.codes[step] {
		all += n
		if code < 300 {
			good += n
		}
	}
	if all == 0 {
		return "-"
	}
	return fmt.Sprintf("%d%%", 100*good/all)
}

// A printer writes reports, one at a time.
type printer struct {
	mu      sync.Mutex
	out     io.Writer
	verbose bool
}

func (p *printer) kind(k *kindReport) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.out, "%s: %d objects, %d requests, accepted %s of creates, %s of updates", name(k.kind), k.objects, k.requests, k.accepted("create"), k.accepted("update"))
	for _, sub := range k.kind.subresources {
		fmt.Fprintf(p.out, ", %s of %s", k.accepted("update "+sub), sub)
	}
	fmt.Fprintf(p.out, "; different answers %d; fields met %d of %d\n", k.different(), k.fields-len(k.missed), k.fields)
	if p.verbose {
		fmt.Fprintf(p.out, "  creates by code: %v; updates: %v\n", k.codes["create"], k.codes["update"])
	}
	if p.verbose && len(k.missed) > 0 {
		fmt.Fprintf(p.out, "  not met: %s\n", strings.Join(k.missed, " "))
	}
	for _, key := range slices.Sorted(maps.Keys(k.groups)) {
		p.group(k.groups[key])
	}
	if len(k.silent) > 0 {
		fmt.Fprintf(p.out, "  kube-apiserver gave no answer (it panicked): --only %v\n", k.silent)
	}
	if k.err != nil {
		fmt.Fprintf(p.out, "  error: %v\n", k.err)
	}
}

func (p *printer) group(g *groupReport) {
	fmt.Fprintf(p.out, "  %d× %s (--only %d): %s\n", g.count, g.step, g.index, g.what)
	for i, d := range g.example {
		if i == 3 && !p.verbose {
			break
		}
		fmt.Fprintf(p.out, "      %s\n", d)
	}
	if !p.verbose {
		return
	}
	for i, who := range []string{"Kubarium", "Kubernetes"} {
		if a := g.answers[i]; a != nil {
			data, _ := json.Marshal(a.value)
			fmt.Fprintf(p.out, "      %s: %d %s\n", who, a.code, data)
		}
	}
}

func name(k served) string {
	if k.gvk.Group == "" {
		return k.gvk.Version + " " + k.gvk.Kind
	}
	return k.gvk.GroupVersion().String() + " " + k.gvk.Kind
}
