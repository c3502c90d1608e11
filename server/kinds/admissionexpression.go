package kinds

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

const maxMatchConditions = 64

// What an expression of a policy must come to.
var (
	truth      = []*cel.Type{cel.BoolType}
	text       = []*cel.Type{cel.StringType}
	maybeText  = []*cel.Type{cel.StringType, cel.NullType}
	anything   = []*cel.Type{cel.AnyType, cel.DynType}
	jsonPatch  = []*cel.Type{cel.ListType(types.NewObjectType("JSONPatch"))}
	appliedObj = []*cel.Type{types.NewObjectType("Object")}
)

// An expression is a text in CEL and what it must come to. name is that of a variable.
type expression struct {
	name, text string
	returns    []*cel.Type
}

func (e *expression) GetExpression() string    { return e.text }
func (e *expression) ReturnTypes() []*cel.Type { return e.returns }
func (e *expression) GetName() string          { return e.name }

// expressions are those that the old object had: what compiled once may stay, whatever newer servers think of it.
type expressions map[string]bool

func (known expressions) addConditions(conditions []admissionv1.MatchCondition) {
	for _, c := range conditions {
		known[c.Expression] = true
	}
}

// environment says by which rules an expression is compiled.
func (known expressions) environment(text string) environment.Type {
	if known[text] {
		return environment.StoredExpressions
	}
	return environment.NewExpressions
}

// baseEnvironment is made when the first expression is compiled: it takes tens of milliseconds.
var baseEnvironment = sync.OnceValue(func() *environment.EnvSet {
	return environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
})

// plainCompiler knows no variables of a policy's own.
var plainCompiler = sync.OnceValue(func() plugincel.Compiler { return plugincel.NewCompiler(baseEnvironment()) })

// A compilation compiles the expressions of one policy, whose variables it remembers.
type compilation struct {
	known    expressions
	compiler plugincel.Compiler // nil before the first expression
	composed *plugincel.CompositedCompiler
	declared plugincel.OptionalVariableDeclarations
	failed   error
}

func (c *compilation) open(variables bool) {
	switch {
	case c.compiler != nil || c.failed != nil:
	case !variables:
		c.compiler = plainCompiler()
	default:
		c.composed, c.failed = plugincel.NewCompositedCompiler(baseEnvironment())
		if c.failed == nil {
			c.compiler = c.composed
		}
	}
}

// compile checks an expression; at is blamed for what is wrong with it.
func (c *compilation) compile(e *expression, declared plugincel.OptionalVariableDeclarations, at *field.Path) field.ErrorList {
	if c.failed != nil {
		return field.ErrorList{field.InternalError(at, c.failed)}
	}
	result := c.compiler.CompileCELExpression(e, declared, c.known.environment(e.text))
	return compiled(e, result.Error, at)
}

// declare checks a variable and lets later expressions use it.
func (c *compilation) declare(e *expression, at *field.Path) field.ErrorList {
	if c.failed != nil {
		return field.ErrorList{field.InternalError(at, c.failed)}
	}
	result := c.composed.CompileAndStoreVariable(e, c.declared, c.known.environment(e.text))
	return compiled(e, result.Error, at)
}

func compiled(e *expression, err *apiservercel.Error, at *field.Path) field.ErrorList {
	switch {
	case err == nil:
		return nil
	case err.Type == apiservercel.ErrorTypeRequired:
		return field.ErrorList{field.Required(at, err.Detail)}
	case err.Type == apiservercel.ErrorTypeInvalid:
		return field.ErrorList{field.Invalid(at, e.text, err.Detail)}
	case err.Type == apiservercel.ErrorTypeInternal:
		return field.ErrorList{field.InternalError(at, err)}
	}
	return field.ErrorList{field.InternalError(at, fmt.Errorf("unsupported error type: %w", err))}
}

// validateMatchConditions checks conditions, each with a name of its own. params says that they may speak of parameters.
func validateMatchConditions(conditions []admissionv1.MatchCondition, params bool, known expressions, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(conditions) > maxMatchConditions {
		errs = append(errs, field.TooMany(at, len(conditions), maxMatchConditions))
	}
	c := &compilation{known: known}
	seen := map[string]bool{}
	for i, m := range conditions {
		at := at.Index(i)
		if trimmed := strings.TrimSpace(m.Expression); trimmed == "" {
			errs = append(errs, field.Required(at.Child("expression"), ""))
		} else {
			c.open(false)
			declared := plugincel.OptionalVariableDeclarations{HasParams: params, HasAuthorizer: true}
			errs = append(errs, c.compile(&expression{text: trimmed, returns: truth}, declared, at.Child("expression"))...)
		}
		if m.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), ""))
			continue
		}
		errs = append(errs, named(at.Child("name"), m.Name, validation.IsQualifiedName(m.Name))...)
		errs = append(errs, once(seen, m.Name, at.Child("name"))...)
	}
	return errs
}

var (
	celName = regexp.MustCompile("^[_a-zA-Z][_a-zA-Z0-9]*$")
	// celReserved are no names (CEL's grammar, RESERVED).
	celReserved = strings.Fields("true false null in as break const continue else for function if import let loop package namespace return var void while")
)

func validateVariables(variables []admissionv1.Variable, c *compilation, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, v := range variables {
		at := at.Index(i)
		switch {
		case strings.TrimSpace(v.Name) == "":
			errs = append(errs, field.Required(at.Child("name"), "name is not specified"))
		case !celName.MatchString(v.Name) || slices.Contains(celReserved, v.Name):
			errs = append(errs, field.Invalid(at.Child("name"), v.Name, "name is not a valid CEL identifier"))
		}
		if strings.TrimSpace(v.Expression) == "" {
			errs = append(errs, field.Required(at.Child("expression"), "expression is not specified"))
			continue
		}
		c.open(true)
		if c.composed == nil && c.failed == nil {
			c.failed = errors.New("variable composition is not allowed")
		}
		errs = append(errs, c.declare(&expression{name: v.Name, text: v.Expression, returns: anything}, at.Child("expression"))...)
	}
	return errs
}
