package expr

import "testing"

// The last key is that of the field, whatever leads there.
func TestLastKey(t *testing.T) {
	for path, want := range map[string]string{
		"metadata.resourceVersion": "resourceVersion", "metadata.labels['x.io/y']": "x.io/y", "items[0]": "items",
		"status.conditions[type=example.com/Clean].status": "status", "a[": "",
	} {
		if got := LastKey(path); got != want {
			t.Errorf("%s: %q, not %q", path, got, want)
		}
	}
}
