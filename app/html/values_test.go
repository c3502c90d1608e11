package html

import (
	"encoding/json"
	"reflect"
	"testing"
)

// read is a value as the page reads it.
func read(t *testing.T, v *Values, n int) any {
	t.Helper()
	if n%2 == 0 {
		var out any
		if err := json.Unmarshal(v.Scalars[n/2], &out); err != nil {
			t.Fatal(err)
		}
		if big, ok := out.(map[string]any); ok {
			return json.Number(big["n"].(string))
		}
		return out
	}
	at := (n - 1) / 2
	var node []int
	if err := json.Unmarshal(v.Nodes[at], &node); err != nil {
		t.Fatal(err)
	}
	part := func(n int) any {
		if n%2 == 1 {
			n = 2*(at-(n-1)/2) + 1
		}
		return read(t, v, n)
	}
	if node[0] == 1 {
		out := []any{}
		for _, n := range node[1:] {
			out = append(out, part(n))
		}
		return out
	}
	out := map[string]any{}
	for i := 1; i < len(node); i += 2 {
		out[read(t, v, 2*node[i]).(string)] = part(node[i+1])
	}
	return out
}

func TestValues(t *testing.T) {
	v := NewValues()
	for _, text := range []string{
		`null`, `true`, `-1.5`, `"a\"é\u2028</script>"`, `[]`, `{}`, ` [1, [2], {"a": []}] `,
		`{"metadata":{"name":"a","labels":{"a":"b"}},"spec":[{"x":1},{"x":1}],"\"":null}`,
	} {
		var want any
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if got := read(t, v, v.Add([]byte(text))); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is read as %v", text, got)
		}
	}
	if got := read(t, v, v.Add([]byte(`12345678901234567890`))); got != json.Number("12345678901234567890") {
		t.Errorf("a number that a browser would round: %v", got)
	}
	nodes := len(v.Nodes)
	if a, b := v.Add([]byte(`{"spec": [{"x":1} ,{"x":1}]}`)), v.Any(map[string]any{"spec": []any{map[string]any{"x": 1}, map[string]any{"x": 1}}}); a != b || len(v.Nodes) != nodes+1 {
		t.Errorf("the same value has two numbers, %d and %d, or %d nodes more", a, b, len(v.Nodes)-nodes)
	}
}

// What is added is read as it was, whatever it is.
func FuzzValues(f *testing.F) {
	f.Add([]byte(`{"a":[1,"x",{"a":[1,"x"]}]}`))
	f.Add([]byte(`[1e400,-0,0.10,"\ud800"]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var want any
		if !json.Valid(text) || json.Unmarshal(text, &want) != nil {
			return
		}
		v := NewValues()
		got := read(t, v, v.Add(text))
		a, _ := json.Marshal(plain(got))
		b, _ := json.Marshal(plain(want))
		if string(a) != string(b) {
			t.Errorf("%s is read as %s, not %s", text, a, b)
		}
	})
}

// plain makes the numbers of a value alike.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, _ := v.Float64()
		return f
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k])
		}
	}
	return v
}
