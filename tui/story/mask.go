package story

import (
	"kubarium/flow"
	"kubarium/flow/redact"
)

// mask replaces secrets. It is not base64, so that a Secret's data cannot be overwritten with it.
const mask = "<REDACTED>"

// holdsSecrets reports whether the objects of this request contain secrets.
func holdsSecrets(f *flow.Flow) bool { return redact.Keys(f) != nil }
