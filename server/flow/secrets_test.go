package flow_test

import (
	"net/http"
	"reflect"
	"testing"

	"kubarium/server/flow"
)

// What proves who someone is is masked wherever it stands, and the header that was kept is not changed.
func TestMaskHeader(t *testing.T) {
	const token = "base64url.bearer.authorization.k8s.io."
	h := http.Header{
		"Accept": {"*/*"}, "Authorization": {"Bearer s3same"}, "Cookie": {"a=b", "c=d"},
		"Sec-Websocket-Protocol": {token + "czNzYW1l, v4.channel.k8s.io", "a," + token + "eA"},
	}
	before := h.Clone()
	want := http.Header{
		"Accept": {"*/*"}, "Authorization": {"***"}, "Cookie": {"***"},
		"Sec-Websocket-Protocol": {token + "***, v4.channel.k8s.io", "a," + token + "***"},
	}
	if got := flow.MaskHeader(h, "***"); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(h, before) {
		t.Errorf("%v, and %v is left", got, h)
	}
	for _, h := range []http.Header{nil, {"Accept": {"*/*"}, "Sec-Websocket-Protocol": {"v4.channel.k8s.io"}}} {
		if got := flow.MaskHeader(h, "***"); !reflect.DeepEqual(got, h) {
			t.Errorf("%v became %v", h, got)
		}
	}
}
