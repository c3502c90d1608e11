// Package filter is the language in which users say which flows they mean: those that the terminal UI shows, those that
// /debug/flows returns, those that a test counts.
//
// Adjacent terms are a conjunction, "a|b" is a disjunction that binds looser, "!term" a negation, and parentheses
// group. A term is a field, an operator and a value: ":" for equality or a glob, "~" for a regular expression, and the
// comparisons of fields that have an order, written "dur>5ms" or "dur:>5ms". "field:x,y" accepts either value. A word
// without a field is searched in path and name. A value in double quotes is taken literally. Case does not matter
// except in regular expressions.
//
// A Filter is immutable and safe for concurrent use. It knows only flows: what depends on the time or on the user's
// marks comes from an Env.
package filter

import (
	"slices"
	"strings"
	"time"

	"kubarium/flow"
)

// A Filter decides which flows are shown. Its zero value and nil show all of them.
type Filter struct {
	root node // nil matches everything
	env  Env
}

// An Env is what a filter needs to know in addition to the flow. Its zero value is usable.
type Env struct {
	Now     time.Time             // for since; zero means the time of the match
	Marked  func(seq uint64) bool // for marked; nil means that nothing is marked
	LastRun string                // for run:last, the Kubectl-Session of the newest kubectl run; "" if there was none
	// Moment returns the newest flow before a named moment, as flow.Log.Moment does, for since:sync; nil means no
	// moments.
	Moment func(name string) (before uint64, ok bool)
}

// Bind returns a filter with the same terms that uses env.
func (f *Filter) Bind(env Env) *Filter {
	if f == nil {
		return &Filter{env: env}
	}
	return &Filter{root: f.root, env: env}
}

// Match reports whether the filter shows fl.
func (f *Filter) Match(fl *flow.Flow) bool {
	return f == nil || f.root == nil || f.root.match(fl, &f.env)
}

// Seeks reports whether the filter names the client of fl: whether one of its terms about who or ua, not negated,
// matches fl.
func (f *Filter) Seeks(fl *flow.Flow) bool { return f != nil && seeks(f.root, fl, &f.env) }

func seeks(n node, fl *flow.Flow, env *Env) bool {
	any := func(m node) bool { return seeks(m, fl, env) }
	switch n := n.(type) {
	case all:
		return slices.ContainsFunc(n, any)
	case some:
		return slices.ContainsFunc(n, any)
	case *term:
		return n.field != nil && (n.field.name == "who" || n.field.name == "ua") && n.match(fl, env)
	}
	return false
}

// Moments returns the names of the moments that the filter uses.
func (f *Filter) Moments() []string {
	if f == nil {
		return nil
	}
	var found []string
	eachTerm(func(t *term) {
		for _, v := range t.values {
			if t.field != nil && t.field.name == "since" && v.low == atMoment {
				found = append(found, v.text)
			}
		}
	}, f.root)
	return found
}

// eachTerm calls fn with the terms of nodes, in their order, negated or not.
func eachTerm(fn func(*term), nodes ...node) {
	for _, n := range nodes {
		switch n := n.(type) {
		case all:
			eachTerm(fn, n...)
		case some:
			eachTerm(fn, n...)
		case not:
			eachTerm(fn, n.of)
		case *term:
			fn(n)
		}
	}
}

// Fields returns the names of the fields that the filter uses, each once, in the order of their first use.
func (f *Filter) Fields() []string {
	if f == nil {
		return nil
	}
	var found []string
	eachTerm(func(t *term) {
		if t.field != nil && !slices.Contains(found, t.field.name) {
			found = append(found, t.field.name)
		}
	}, f.root)
	return found
}

// Empty reports whether the filter has no terms, and so shows everything.
func (f *Filter) Empty() bool { return f == nil || f.root == nil }

// String returns text that Parse reads back as the same filter; "" if it is empty.
func (f *Filter) String() string {
	if f.Empty() {
		return ""
	}
	var b strings.Builder
	f.root.print(&b, looseAll)
	return b.String()
}

// And returns f narrowed to flows whose field has exactly this value or, with negate, to the others. If f has the
// opposite term at its top, it is dropped. An unknown field, or a value that the field cannot have, leaves f as it is.
func And(f *Filter, field, value string, negate bool) *Filter {
	if f == nil {
		f = &Filter{}
	}
	t, err := parseTerm(field, value)
	if err != nil {
		return f
	}
	var add, opposite node = t, not{t}
	if negate {
		add, opposite = opposite, add
	}
	terms := f.terms()
	terms = slices.DeleteFunc(terms, func(n node) bool { return text(n) == text(opposite) })
	if !slices.ContainsFunc(terms, func(n node) bool { return text(n) == text(add) }) {
		terms = append(terms, add)
	}
	return &Filter{root: joined[all](terms), env: f.env}
}

// terms returns a copy of the members of the conjunction at the top of the filter.
func (f *Filter) terms() []node {
	switch root := f.root.(type) {
	case nil:
		return nil
	case all:
		return slices.Clone(root)
	default:
		return []node{root}
	}
}

func text(n node) string {
	var b strings.Builder
	n.print(&b, tight)
	return b.String()
}
