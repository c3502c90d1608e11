package label_test

import (
	"strings"
	"testing"

	"kubarium/flow"
	"kubarium/tui/label"
)

// A credential in a query is masked in every list.
func TestExtra_credential(t *testing.T) {
	f := &flow.Flow{Target: flow.Target{Verb: "get"}, Query: "limit=5&token=s3same"}
	if got := label.Extra(f); strings.Contains(got, "s3same") || !strings.Contains(got, "limit=5&token="+flow.Hidden) {
		t.Error(got)
	}
}
