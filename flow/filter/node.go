package filter

import (
	"strings"

	"kubarium/flow"
)

// A node is one part of a parsed filter.
type node interface {
	match(f *flow.Flow, env *Env) bool
	print(b *strings.Builder, where position)
}

// A position is where a node is printed; it decides whether parentheses are needed.
type position int

const (
	looseAll position = iota // at the top: no parentheses at all
	inAny                    // a member of a disjunction
	tight                    // a member of a conjunction, or negated
)

// Inner nodes: a conjunction, a disjunction and a negation.
type (
	all  []node // two or more
	some []node // two or more
	not  struct{ of node }
)

// A term tests a field; one matching value is enough.
type term struct {
	field  *field // nil for a bare word
	values []value
}

func (n all) match(f *flow.Flow, env *Env) bool {
	for _, m := range n {
		if !m.match(f, env) {
			return false
		}
	}
	return true
}

func (n some) match(f *flow.Flow, env *Env) bool {
	for _, m := range n {
		if m.match(f, env) {
			return true
		}
	}
	return false
}

func (n not) match(f *flow.Flow, env *Env) bool { return !n.of.match(f, env) }

func (t *term) match(f *flow.Flow, env *Env) bool {
	test := bareWord
	if t.field != nil {
		test = t.field.match
	}
	for i := range t.values {
		if test(f, env, &t.values[i]) {
			return true
		}
	}
	return false
}

// bareWord looks for a word in the path and in the name, which for a create is only in the body.
func bareWord(f *flow.Flow, _ *Env, v *value) bool {
	return v.within(f.Path) || v.within(f.Target.Name)
}

func (n all) print(b *strings.Builder, where position) {
	join(b, n, " ", tight, where == tight)
}

func (n some) print(b *strings.Builder, where position) {
	sep := "|"
	for _, m := range n {
		if _, ok := m.(all); ok {
			sep = " | "
		}
	}
	join(b, n, sep, inAny, where != looseAll)
}

func join(b *strings.Builder, nodes []node, sep string, inside position, parentheses bool) {
	if parentheses {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	for i, m := range nodes {
		if i > 0 {
			b.WriteString(sep)
		}
		m.print(b, inside)
	}
}

func (n not) print(b *strings.Builder, _ position) {
	b.WriteByte('!')
	n.of.print(b, tight)
}

func (t *term) print(b *strings.Builder, _ position) {
	if t.field != nil {
		b.WriteString(t.field.name)
		if t.values[0].op != matches {
			b.WriteByte(':')
		}
	}
	for i := range t.values {
		if i > 0 {
			b.WriteByte(',')
		}
		t.values[i].print(b)
	}
}

// joined joins nodes into one conjunction (all) or disjunction (some) and flattens nested ones; nil if there are none.
func joined[T interface {
	~[]node
	node
}](nodes []node) node {
	var flat T
	for _, n := range nodes {
		if inner, ok := n.(T); ok {
			flat = append(flat, inner...)
		} else {
			flat = append(flat, n)
		}
	}
	switch len(flat) {
	case 0:
		return nil
	case 1:
		return flat[0]
	}
	return flat
}
