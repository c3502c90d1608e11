package hartest_test

import (
	"strings"
	"testing"

	"kubarium/flow/har/hartest"
)

const good = `{"log":{"version":"1.2","creator":{"name":"a","version":""},"pages":[{"startedDateTime":"2026-11-22T09:08:07.654Z","id":"p","title":"","pageTimings":{}}],"entries":[{
"pageref":"p","startedDateTime":"2026-11-22T09:08:07.654+01:00","time":3,"cache":{},"timings":{"send":0,"wait":1,"receive":2,"dns":-1},
"request":{"method":"GET","url":"http://a/b","httpVersion":"","cookies":[],"headers":[{"name":"a","value":"b"}],"queryString":[],"headersSize":-1,"bodySize":0},
"response":{"status":200,"statusText":"","httpVersion":"","cookies":[],"headers":[],"redirectURL":"","headersSize":-1,"bodySize":0,"content":{"size":0,"mimeType":""}},"_own":1}]}}`

// Violations of the specification are found.
func TestRead(t *testing.T) {
	if log, err := hartest.Read(strings.NewReader(good)); err != nil || len(log["entries"].([]any)) != 1 {
		t.Fatal(log, err)
	}
	for _, c := range [][3]string{
		{`"version":"1.2"`, `"version":"1.1"`, "not a 1.2"},
		{`,"cache":{}`, ``, "has no cache"},
		{`"_own":1`, `"own":1`, "a member own"},
		{`"time":3`, `"time":"3"`, "not a number"},
		{`"time":3`, `"time":4`, "its timings 3"},
		{`"wait":1`, `"wait":-1`, "not a number"},
		{`"dns":-1`, `"dns":-2`, "not a -1"},
		{`"http://a/b"`, `"/b"`, "not a url"},
		{`"cookies":[]`, `"cookies":null`, "not a list"},
		{`"pageref":"p"`, `"pageref":"q"`, "not there"},
		{`07.654+01:00`, `07.654`, "not a time"},
		{`{"name":"a","value":"b"}`, `{"name":"a"}`, "has no value"},
		{`}]}}`, `}]}} {}`, "something follows"},
		{`}]}}`, ``, "EOF"},
	} {
		if _, err := hartest.Read(strings.NewReader(strings.Replace(good, c[0], c[1], 1))); err == nil ||
			!strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: %v, want %q", c[1], err, c[2])
		}
	}
}
