package flow_test

import (
	"net/http"
	"reflect"
	"testing"

	"kubarium/flow"
)

// Credentials are masked everywhere, and the original header is not changed.
func TestMaskHeader(t *testing.T) {
	const token = "base64url.bearer.authorization.k8s.io."
	h := http.Header{
		"Accept": {"*/*"}, "Authorization": {"Bearer s3same"}, "Cookie": {"a=b", "c=d"},
		"Sec-Websocket-Protocol": {token + "czNzYW1l, v4.channel.k8s.io", "a," + token + "eA"},
		"Referer":                {"http://h/a?token=s3same#access_token=s3same", "http://u:s3same@h"},
		"Location":               {"/b?x=1", "/c"},
	}
	before := h.Clone()
	want := http.Header{
		"Accept": {"*/*"}, "Authorization": {"***"}, "Cookie": {"***"},
		"Sec-Websocket-Protocol": {token + "***, v4.channel.k8s.io", "a," + token + "***"},
		"Referer":                {"http://h/a?token=***#access_token=***", "http://***@h"},
		"Location":               {"/b?x=1", "/c"},
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

// Credentials in a query are masked in any spelling, and the rest is kept.
func TestMaskQuery(t *testing.T) {
	for query, want := range map[string]string{
		"": "", "a": "a", "a=%zz&&b=": "a=%zz&&b=",
		"continue=abc&limit=5&labelSelector=token%3Da": "continue=abc&limit=5&labelSelector=token%3Da",
		"token=s3same": "token=***", "a=1&access_token=s3same&b=2": "a=1&access_token=***&b=2",
		"token=s3same&token=s3same": "token=***&token=***",
		"TOKEN=s3same":              "TOKEN=***", "t%6Fken=s3same": "t%6Fken=***", "a=1;token=s3same;b": "a=1;token=***;b",
		"token=s3=same":                "token=***",
		"password=s3same&secrets=true": "password=***&secrets=true", "token": "token", "token=": "token=***",
	} {
		if got := flow.MaskQuery(query, "***"); got != want {
			t.Errorf("%s became %s, want %s", query, got, want)
		}
	}
}
