package customresource

import (
	"context"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"unicode/utf8"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// maxWork bounds what checking an object by its schema may cost, in microseconds as far as an estimate goes: the checks
// themselves cannot be interrupted, and their work is the product of both lengths. An object of as many
// values as a body may have takes most of it.
const maxWork = 800_000

// maxDefaults bounds how many values defaults may add to an object. They take at least 2 MB.
const maxDefaults = 300_000

// A workError means that checking or completing an object would take too long.
type workError struct{ doing, path string }

func (e workError) Error() string {
	return fmt.Sprintf("the object and its schema together are too much work to %s: the limit is reached at %s", e.doing, e.path)
}

// A pattern is a regular expression of a schema with the size of its program, in instructions. Counted repetitions are
// expanded there, and matching a string takes its length times the size.
type pattern struct {
	*regexp.Regexp
	size int
}

func newPattern(text string) pattern {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return pattern{}
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return pattern{}
	}
	compiled, err := regexp.Compile(text)
	if err != nil {
		return pattern{}
	}
	return pattern{compiled, len(program.Inst)}
}

// A measured has what is computed once for a schema.
type measured struct {
	patterns map[string]pattern
	enums    map[*apiextensions.JSON]map[any]bool // the simple values of an enum, by its first
}

// A work is the walk of an object by its schema that estimates the cost of checking it. It visits each pair of a value
// and a schema that the checks do, once, checks its context as it goes, and ends when the budget is spent.
type work struct {
	ctx   context.Context
	left  int
	steps int
	measured
	path []any // strings and numbers
	err  error
}

// affordable returns an error where checking an object takes more than maxWork, or ctx has ended.
func (r *rules) affordable(ctx context.Context, schema *apiextensions.JSONSchemaProps, object map[string]any) error {
	w := &work{ctx: ctx, left: maxWork, measured: r.measured}
	if schema != nil {
		w.pair(schema, object, 2)
	}
	return w.err
}

// spend takes microseconds, and reports whether the walk goes on.
func (w *work) spend(n int) bool {
	if w.err != nil {
		return false
	}
	w.left -= n
	w.steps++
	if w.left < 0 || n > maxWork {
		w.err = workError{"check", w.where()}
	} else if w.steps%1024 == 0 {
		w.err = w.ctx.Err()
	}
	return w.err == nil
}

func (w *work) where() string {
	path := ""
	for _, step := range w.path {
		switch step := step.(type) {
		case string:
			path += "." + step
		case int:
			path += "[" + strconv.Itoa(step) + "]"
		}
	}
	if path == "" {
		return "its root"
	}
	return path[1:]
}

// pair walks a value by a schema; cost is that of a pair in microseconds, which is higher in a branch of anyOf.
// failures are those that the checks find in the value and below it. The checks compare each with all others, in each
// value above.
func (w *work) pair(s *apiextensions.JSONSchemaProps, value any, cost int) (failures int) {
	if !w.spend(cost + len(s.Enum)/16 + len(s.Properties)/10 + len(s.Required)/10) {
		return 0
	}
	failures = w.fails(s, value)
	switch value := value.(type) {
	case map[string]any:
		failures += w.members(s, value, cost)
	case []any:
		if s.XListType != nil && *s.XListType != "atomic" { // each item is put into an ordered set of fields
			w.spend(len(value) * len(value) / 500)
		}
		for i, element := range value {
			if s.Items == nil || s.Items.Schema == nil || w.err != nil {
				break
			}
			w.path = append(w.path, i)
			failures += w.pair(s.Items.Schema, element, cost)
			w.path = w.path[:len(w.path)-1]
		}
	}
	const branch = 8
	for i := range s.AllOf {
		failures += w.pair(&s.AllOf[i], value, branch)
	}
	fewest := -1 // those of the best branch are reported
	for _, branches := range [][]apiextensions.JSONSchemaProps{s.AnyOf, s.OneOf} {
		for i := range branches {
			if f := w.pair(&branches[i], value, branch); fewest < 0 || f < fewest {
				fewest = f
			}
		}
	}
	if s.Not != nil {
		w.pair(s.Not, value, branch)
	}
	failures += max(fewest, 0)
	if failures > 10 {
		w.spend(failures * failures / 8)
	}
	return failures
}

// members walks the members of an object by the schemas of its properties.
func (w *work) members(s *apiextensions.JSONSchemaProps, object map[string]any, cost int) (failures int) {
	for name, member := range object {
		if w.err != nil {
			return failures
		}
		w.path = append(w.path, name)
		if p, known := s.Properties[name]; known {
			failures += w.pair(&p, member, cost)
		} else if a := s.AdditionalProperties; a != nil && a.Schema != nil {
			failures += w.pair(a.Schema, member, cost)
		}
		w.path = w.path[:len(w.path)-1]
	}
	return failures
}

// fails counts what is wrong with a value itself, as far as each fault is a failure of its own.
func (w *work) fails(s *apiextensions.JSONSchemaProps, value any) (n int) {
	if value == nil && s.Nullable {
		return 0
	}
	if !hasType(s, value) {
		n++
	}
	switch value := value.(type) {
	case map[string]any:
		for _, name := range s.Required {
			if _, has := value[name]; !has {
				n++
			}
		}
	case string:
		n += w.failsText(s, value)
	case int64:
		n += failsNumber(s, float64(value))
	case float64:
		n += failsNumber(s, value)
	}
	if len(s.Enum) > 0 && !w.isOneOf(s.Enum, value) {
		n++
	}
	return n
}

func hasType(s *apiextensions.JSONSchemaProps, value any) (ok bool) {
	switch s.Type {
	case "object":
		_, ok = value.(map[string]any)
	case "array":
		_, ok = value.([]any)
	case "string":
		_, ok = value.(string)
	case "boolean":
		_, ok = value.(bool)
	case "integer", "number":
		switch value.(type) {
		case int64, float64:
			ok = true
		}
	default:
		ok = true
	}
	return ok
}

func (w *work) failsText(s *apiextensions.JSONSchemaProps, value string) (n int) {
	if s.Pattern != "" {
		p := w.patterns[s.Pattern]
		cost := p.size * len(value) / 64
		if !w.spend(1+cost) || p.Regexp == nil {
			return 0
		}
		if cost < 10_000 && !p.MatchString(value) { // longer ones are few
			n++
		}
	}
	if s.MaxLength == nil && s.MinLength == nil {
		return n
	}
	length := int64(utf8.RuneCountInString(value))
	if s.MaxLength != nil && length > *s.MaxLength || s.MinLength != nil && length < *s.MinLength {
		n++
	}
	return n
}

func failsNumber(s *apiextensions.JSONSchemaProps, value float64) int {
	if s.Maximum != nil && value > *s.Maximum || s.Minimum != nil && value < *s.Minimum {
		return 1
	}
	return 0
}

// isOneOf reports whether a value is among those of an enum; for lists and maps it does not know.
func (m measured) isOneOf(enum []apiextensions.JSON, value any) bool {
	switch value.(type) {
	case map[string]any, []any:
		return true
	}
	return m.enums[&enum[0]][sameNumber(value)]
}

// sameNumber returns a number in one type, and other values as they are.
func sameNumber(value any) any {
	if n, isInteger := value.(int64); isInteger {
		return float64(n)
	}
	return value
}

func measure(s *apiextensions.JSONSchemaProps) measured {
	m := measured{map[string]pattern{}, map[*apiextensions.JSON]map[any]bool{}}
	m.add(s)
	return m
}

// add adds a schema and the schemas in it.
func (m measured) add(s *apiextensions.JSONSchemaProps) {
	if s == nil {
		return
	}
	if _, known := m.patterns[s.Pattern]; s.Pattern != "" && !known {
		m.patterns[s.Pattern] = newPattern(s.Pattern)
	}
	if len(s.Enum) > 0 {
		values := make(map[any]bool, len(s.Enum))
		for _, value := range s.Enum {
			switch value.(type) {
			case map[string]any, []any:
			default:
				values[sameNumber(value)] = true
			}
		}
		m.enums[&s.Enum[0]] = values
	}
	for _, branches := range [][]apiextensions.JSONSchemaProps{s.AllOf, s.AnyOf, s.OneOf} {
		for i := range branches {
			m.add(&branches[i])
		}
	}
	m.add(s.Not)
	for _, p := range s.Properties {
		m.add(&p)
	}
	if s.Items != nil {
		m.add(s.Items.Schema)
	}
	if s.AdditionalProperties != nil {
		m.add(s.AdditionalProperties.Schema)
	}
}

// A growth counts the values that defaults add to an object.
type growth struct{ left int }

// boundDefaults returns an error where the defaults of a schema would add more than maxDefaults values to an object.
func boundDefaults(object map[string]any, s *structuralschema.Structural) error {
	g := growth{left: maxDefaults}
	if s != nil && !g.fill(object, s) {
		return workError{"complete with defaults", "more than " + strconv.Itoa(maxDefaults) + " values"}
	}
	return nil
}

// fill counts the defaults added below a value, and reports whether the budget lasts. It visits each property of a
// schema.
func (g *growth) fill(value any, s *structuralschema.Structural) bool {
	if s == nil {
		return true
	}
	switch value := value.(type) {
	case map[string]any:
		if g.left -= len(s.Properties) / 64; g.left < 0 {
			return false
		}
		for name := range s.Properties {
			p := s.Properties[name]
			member, has := value[name]
			if !has && p.Default.Object != nil {
				member = p.Default.Object
				if g.left--; g.left < 0 || !g.copy(member) {
					return false
				}
			}
			if member != nil && !g.fill(member, &p) {
				return false
			}
		}
		if a := s.AdditionalProperties; a != nil && a.Structural != nil {
			for name, member := range value {
				if _, known := s.Properties[name]; !known && !g.fill(member, a.Structural) {
					return false
				}
			}
		}
	case []any:
		for _, element := range value {
			if !g.fill(element, s.Items) {
				return false
			}
		}
	}
	return true
}

// copy counts the values in a default.
func (g *growth) copy(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		g.left -= len(value)
		for _, member := range value {
			if g.left < 0 || !g.copy(member) {
				return false
			}
		}
	case []any:
		g.left -= len(value)
		for _, element := range value {
			if g.left < 0 || !g.copy(element) {
				return false
			}
		}
	}
	return g.left >= 0
}
