package story

import (
	"bytes"
	"encoding/json"
	"strings"

	"kubarium/server/flow"
)

// mask stands in the place of what is secret. It is no base64, so that a Secret's data cannot be overwritten with it.
const mask = "<REDACTED>"

// secretFields are the fields of bodies, at any depth, whose contents are secret.
var secretFields = map[string]bool{"data": true, "stringData": true, "token": true, "kubectl.kubernetes.io/last-applied-configuration": true}

// holdsSecrets reports whether the body of this request may hold what not everybody should see. A patch of several
// operations counts as well, since its values are somewhere in it.
func holdsSecrets(f *flow.Flow) bool {
	return f.Target.Resource == "secrets" || f.Target.Resource == "tokenreviews" || f.Target.Subresource == "token"
}

// maskedBody returns a JSON body with what is secret masked; false if it is not JSON.
func maskedBody(body []byte) (string, bool) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return "", false
	}
	if operations, ok := v.([]any); ok {
		maskOperations(operations)
	} else {
		maskFields(v)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return "", false
	}
	return strings.TrimSpace(b.String()), true
}

func maskFields(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			maskFields(e)
		}
	case map[string]any:
		for key, e := range v {
			if secretFields[key] {
				v[key] = masked(e)
			} else {
				maskFields(e)
			}
		}
	}
}

// masked keeps the keys of a map and hides all its values.
func masked(v any) any {
	if m, ok := v.(map[string]any); ok {
		for key := range m {
			m[key] = mask
		}
		return m
	}
	return mask
}

// maskOperations hides the values of a JSON patch: any of them may be secret, whatever its path.
func maskOperations(operations []any) {
	for _, o := range operations {
		if m, ok := o.(map[string]any); ok && m["value"] != nil {
			m["value"] = mask
		}
	}
}
