package tui

import (
	"bytes"
	"compress/gzip"
	"testing"

	"kubarium/flow"
)

// A packed body is shown unpacked, with both sizes, and the sizes that the other encodings would have.
func TestInspector_WireLine(t *testing.T) {
	const body = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","creationTimestamp":null},"data":{"k":"v"}}` + "\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(body)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	d := newDemo(flow.Limits{})
	for _, b := range [][]byte{[]byte(body), packed.Bytes()} {
		f := d.request("A", "get", "deployments", "web", 200, 1)
		f.ResponseBody = flow.Keep(b)
		d.log.Publish(f)
	}
	u, _ := testUI(d, "mono", 160, 48)
	u.keys("]", "]", "o")
	mustSee(t, u, "● json gzip", `"k": "v"`, "○ protobuf", "○ cbor", "of 105 B", "shown as  json  yaml  table  hex")
	u.keys("k")
	mustSee(t, u, "● json 105 B")
}
