package bodies_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/codecs"
	"kubarium/flow"
	"kubarium/flow/bodies"
)

// One object has the same JSON from each encoding.
func TestJSON(t *testing.T) {
	options := &metav1.DeleteOptions{DryRun: []string{"All"}}
	options.Kind, options.APIVersion = "DeleteOptions", "v1"
	want := map[string]any{"kind": "DeleteOptions", "apiVersion": "v1", "dryRun": []any{"All"}}
	for _, c := range codecs.All {
		var b bytes.Buffer
		if err := c.Encode(&b, options, false); err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(bodies.JSON(flow.Keep(b.Bytes())), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v", c.Name, got, err)
		}
	}
}

// A body that is neither an object nor an array has no JSON.
func TestJSON_None(t *testing.T) {
	for _, text := range []string{"", "7", `"text"`, "a text", "k8s\x00\x01", "\xff\xff", "{", "\x00", "a: b: c"} {
		if got := bodies.JSON(flow.Keep([]byte(text))); got != nil {
			t.Errorf("%q: %s", text, got)
		}
	}
	if got := bodies.JSON(flow.Body{Kept: []byte("{}"), Cut: true}); got != nil {
		t.Errorf("cut: %s", got)
	}
	if got := bodies.JSON(flow.Keep([]byte(" [1]"))); string(got) != " [1]" {
		t.Errorf("array: %s", got)
	}
}
