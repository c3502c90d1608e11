package customresource_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/codecs"
)

// list is the schema of a list l of what item says.
func list(item string) string {
	return `{"type":"object","properties":{"l":{"type":"array","items":` + item + `}}}`
}

// each writes n values, apart by commas.
func each(n int, format string) string {
	var all []string
	for i := range n {
		all = append(all, strings.ReplaceAll(format, "%d", fmt.Sprint(i)))
	}
	return strings.Join(all, ",")
}

func mustObject(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(strings.Replace(text, "{", `{"apiVersion":"example.com/v1","kind":"F","metadata":{"name":"x"},`, 1)), &u.Object); err != nil {
		t.Fatal(err)
	}
	return u
}

// works are products of a schema and an object, small at n = 1 and too much work at n = 100.
var works = map[string]struct{ schema, object func(n int) string }{
	"enum": {func(n int) string { return list(`{"type":"string","enum":[` + each(n*100, `"v%d"`) + `]}`) },
		func(n int) string { return `{"l":[` + each(n*100, `"v0"`) + `]}` }},
	"anyOf": {func(n int) string {
		return list(`{"type":"string","anyOf":[` + each(n*10, `{"pattern":"^v%d$"}`) + `]}`)
	},
		func(n int) string { return `{"l":[` + each(n*10, `"v0"`) + `]}` }},
	"oneOf of objects": {func(n int) string {
		return list(`{"type":"object","properties":{"a":{"type":"string"}},"oneOf":[` + each(n*10, `{"properties":{"a":{"enum":["v%d"]}}}`) + `]}`)
	}, func(n int) string { return `{"l":[` + each(n*10, `{"a":"v0"}`) + `]}` }},
	"pattern": {func(n int) string { return list(`{"type":"string","pattern":"((a?){100}){10}$"}`) },
		func(n int) string { return `{"l":["` + strings.Repeat("a", n*4000) + `"]}` }},
	"many patterns": {func(n int) string { return list(`{"type":"string","pattern":"(.*a){30}$"}`) },
		func(n int) string { return `{"l":[` + each(n*100, `"`+strings.Repeat("a", 300)+`"`) + `]}` }},
	"properties": {func(n int) string {
		return list(`{"type":"object","properties":{` + each(n*60, `"p%d":{"type":"string"}`) + `}}`)
	},
		func(n int) string { return `{"l":[` + each(n*60, `{}`) + `]}` }},
	"missing": {func(n int) string {
		return list(`{"type":"object","required":[` + each(n*10, `"p%d"`) + `],"properties":{"p0":{"type":"string"}}}`)
	},
		func(n int) string { return `{"l":[` + each(n*10, `{}`) + `]}` }},
	"wrong types":   {func(int) string { return list(`{"type":"integer"}`) }, func(n int) string { return `{"l":[` + each(n*50, `"v%d"`) + `]}` }},
	"wrong numbers": {func(int) string { return list(`{"type":"integer","maximum":-1}`) }, func(n int) string { return `{"l":[` + each(n*50, `%d`) + `]}` }},
	"wrong texts":   {func(int) string { return list(`{"type":"string","pattern":"^x"}`) }, func(n int) string { return `{"l":[` + each(n*50, `"v%d"`) + `]}` }},
	"wrong lengths": {func(int) string { return list(`{"type":"string","maxLength":1}`) }, func(n int) string { return `{"l":[` + each(n*50, `"v%d"`) + `]}` }},
	"none of anyOf": {func(int) string {
		return `{"type":"object","properties":{"l":{"type":"array","items":{"type":"string"},"anyOf":[{"items":{"pattern":"^x"}}]}}}`
	}, func(n int) string { return `{"l":[` + each(n*50, `"v%d"`) + `]}` }},
	"below allOf": {func(n int) string { return list(`{"type":"integer","allOf":[` + each(n*10, `{"minimum":-1}`) + `]}`) }, func(n int) string { return `{"l":[` + each(n*10, `1`) + `]}` }},
	"additional": {func(n int) string {
		return `{"type":"object","additionalProperties":{"type":"string","enum":[` + each(n*100, `"v%d"`) + `]}}`
	}, func(n int) string { return `{` + each(n*100, `"k%d":"v1"`) + `}` }},
}

// What grows as a product is refused with a Status that says so; a little of it is checked, and what is too much is refused long
// before it would be done: all of it would take minutes.
func TestVersion_afford(t *testing.T) {
	const minute = time.Minute // a little takes seconds under the race detector on a busy machine
	for name, w := range works {
		for _, n := range []int{1, 100} {
			row, u := mustRow(t, w.schema(n)), mustObject(t, w.object(n))
			if _, err := row.Coerce(u, false); err != nil {
				t.Fatal(name, err)
			}
			began := time.Now()
			errs := row.Strategy.Validate(t.Context(), u)
			took := time.Since(began)
			if much := n > 1; much != tooMuch(errs) || took > minute {
				t.Errorf("%s %d: %v after %v", name, n, errs, took)
			}
		}
	}
}

// Objects as large as can be stored are checked, where their schema is like those that there are.
func TestVersion_afford_large(t *testing.T) {
	name := `{"type":"string","maxLength":253,"pattern":"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"}`
	rule := `{"type":"object","required":["host"],"properties":{"host":` + name + `,"port":{"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true},
		"kind":{"type":"string","enum":["a","b","c"]},"paths":{"type":"array","items":` + name + `}}}`
	for what, c := range map[string]struct{ schema, object string }{
		"numbers": {list(`{"type":"integer"}`), `{"l":[` + each(codecs.MaxValues, `%d`) + `]}`},
		"objects": {list(rule), `{"l":[` + each(codecs.MaxItems, `{"host":"host-%d.example.com","port":80,"kind":"b","paths":["a","b-%d","some-longer-name.example.com"]}`) + `]}`},
		"a text":  {list(`{"type":"string"}`), `{"l":["` + strings.Repeat("x", 3<<20) + `"]}`},
	} {
		row, u := mustRow(t, c.schema), mustObject(t, c.object)
		if errs := row.Strategy.Validate(t.Context(), u); tooMuch(errs) {
			t.Errorf("%s, %d KiB: %v", what, len(c.object)>>10, errs)
		}
	}
}

// Who has gone is not checked for.
func TestVersion_afford_gone(t *testing.T) {
	row, u := mustRow(t, list(`{"type":"integer"}`)), mustObject(t, `{"l":[`+each(10_000, `%d`)+`]}`)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if errs := row.Strategy.Validate(gone, u); len(errs) != 1 || errs[0].Type != field.ErrorTypeInternal || errs[0].Detail != context.Canceled.Error() {
		t.Error(errs)
	}
}

// tooMuch reports whether an object was not checked because that is too much work.
func tooMuch(errs field.ErrorList) bool {
	return len(errs) == 1 && errs[0].Type == field.ErrorTypeForbidden && strings.Contains(errs[0].Detail, "too much work")
}

// Defaults that would make an object larger than any that can be stored are not filled in.
func TestVersion_defaults(t *testing.T) {
	for _, n := range []int{10, 1000} {
		row := mustRow(t, list(`{"type":"object","properties":{`+each(n, `"p%d":{"type":"string","default":"x"}`)+`}}`))
		u := mustObject(t, `{"l":[`+each(n, `{}`)+`]}`)
		_, err := row.Coerce(u, false)
		if much := n > 10; much != apierrors.IsRequestEntityTooLargeError(err) || !much && err != nil {
			t.Errorf("%d: %v", n, err)
		}
		if _, err := row.Decode([]byte(`{"apiVersion":"example.com/v1","kind":"F","l":[` + each(n, `{}`) + `]}`)); n > 10 != (err != nil) {
			t.Errorf("%d as stored: %v", n, err)
		}
	}
}
