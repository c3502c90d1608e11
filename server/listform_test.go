package server_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/codecs"
	"kubarium/flow"
	"kubarium/server"
)

// hardValues are texts that an encoder might break, escape or fold.
var hardValues = []string{
	"", " ", "- 0", "items: []", "\"0\"", "null", "1e3", "0x10", "<a href='x'>&</a>", "line\nline\n\n", "\ttab", "naïve — ünïcode 🦆", "a: b # c",
	strings.Repeat("folded at eighty columns ", 20), strings.Repeat("x", 300), "{\"metadata\":{\"name\":\"inner\"}}",
}

// mustHold serves n ConfigMaps with hard values, each of at least that many bytes.
func mustHold(t *testing.T, n, size int) string {
	t.Helper()
	old := time.Now().AddDate(-20, 0, -7) // so that ages stay the same meanwhile
	url, _ := mustServe(t, func(o *server.Options) { o.Registry.Now = func() time.Time { return old } })
	if code, body := send(t, url, request{method: "POST", path: "/api/v1/namespaces", contentType: "application/json", body: `{"metadata":{"name":"default"}}`}); code != http.StatusCreated {
		t.Fatal(code, body)
	}
	for i := range n {
		data := map[string]any{"fill": strings.Repeat("y", size)}
		for k, v := range hardValues {
			data[fmt.Sprintf("k%d", k)] = v
		}
		if i%3 == 0 {
			data = nil
		}
		body, err := json.Marshal(map[string]any{"metadata": map[string]any{"name": fmt.Sprintf("c%03d", i), "annotations": map[string]string{"hard": hardValues[i%len(hardValues)]}}, "data": data})
		if err != nil {
			t.Fatal(err)
		}
		if code, text := send(t, url, request{method: "POST", path: configMaps, contentType: "application/json", body: string(body)}); code != http.StatusCreated {
			t.Fatal(code, text)
		}
	}
	return url
}

// A list that is written item by item is, byte for byte, the list written whole: indented and as YAML the compact one
// rewritten, and compressed the same bytes.
func TestServer_listForms(t *testing.T) {
	for _, n := range []int{0, 1, 2, 200} {
		url := mustHold(t, n, 900)
		for _, view := range []string{"", ";as=Table;g=meta.k8s.io;v=v1", ";as=Table;g=meta.k8s.io;v=v1beta1", ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"} {
			get := func(query, mediaType string) string {
				code, body := send(t, url, request{method: "GET", path: configMaps + query, header: http.Header{"Accept": {mediaType + view}, "Accept-Encoding": {"identity"}}})
				if code != http.StatusOK {
					t.Fatalf("%d of %s as %s%s: %d %s", n, query, mediaType, view, code, body)
				}
				return body
			}
			compact := get("", "application/json")
			if !json.Valid([]byte(compact)) || !strings.HasSuffix(compact, "}\n") {
				t.Fatalf("%d%s: no compact JSON: %.200s", n, view, compact)
			}
			var pretty bytes.Buffer
			if err := json.Indent(&pretty, []byte(strings.TrimSuffix(compact, "\n")), "", "  "); err != nil {
				t.Fatal(err)
			}
			same(t, fmt.Sprintf("%d%s, pretty", n, view), get("?pretty=true", "application/json"), pretty.String())
			yaml, err := codecs.YAMLFromJSON([]byte(compact))
			if err != nil {
				t.Fatal(err)
			}
			same(t, fmt.Sprintf("%d%s, YAML", n, view), get("", "application/yaml"), string(yaml))
			for _, mediaType := range []string{"application/json", "application/yaml", "application/json;pretty=1"} {
				want := get("", mediaType)
				got, header := mustUnzip(t, url+configMaps, mediaType+view)
				same(t, fmt.Sprintf("%d%s, %s compressed", n, view, mediaType), got, want)
				if long := len(want) > 128<<10; long != (header.Get("Content-Encoding") == "gzip") || long != (header.Get("Vary") == "Accept-Encoding") {
					t.Errorf("%d%s, %s: %d bytes have headers %v", n, view, mediaType, len(want), header)
				}
			}
			if strings.Contains(view, "Table") {
				var table metav1.Table
				if err := json.Unmarshal([]byte(compact), &table); err != nil || len(table.Rows) != n || len(table.ColumnDefinitions) == 0 {
					t.Errorf("%d%s: %d rows, %d columns, %v", n, view, len(table.Rows), len(table.ColumnDefinitions), err)
				}
			}
		}
	}
}

// same compares two texts and shows where they part.
func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	t.Errorf("%s: at byte %d\n%.80q\nwant\n%.80q", what, i, got[i:], want[i:])
}

// mustUnzip reads an answer that may come compressed.
func mustUnzip(t *testing.T, url, accept string) (string, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", accept)
	req.Header.Set("Accept-Encoding", "deflate, gzip")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var from io.Reader = resp.Body
	if resp.Header.Get("Content-Encoding") == "gzip" {
		if from, err = gzip.NewReader(resp.Body); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), resp.Header
}

// Of a list that is much longer than what a flow keeps of an answer, the flow has the beginning; of others, all or the
// first 256 KiB. How long it was is known of each.
func TestServer_keptOfLists(t *testing.T) {
	url, log := mustServe(t, nil)
	if code, body := send(t, url, request{method: "POST", path: "/api/v1/namespaces", contentType: "application/json", body: `{"metadata":{"name":"default"}}`}); code != http.StatusCreated {
		t.Fatal(code, body)
	}
	for i := range 6 {
		body := fmt.Sprintf(`{"metadata":{"name":"c%d"},"data":{"fill":"%s"}}`, i, strings.Repeat("x", 100<<10))
		if code, text := send(t, url, request{method: "POST", path: configMaps, contentType: "application/json", body: body}); code != http.StatusCreated {
			t.Fatal(code, text)
		}
	}
	for _, c := range []struct {
		query, accept, encoding string
		kept                    int // 0 for all
	}{
		{"?limit=2", "application/json", "identity", 0},
		{"?limit=4", "application/json", "identity", flow.MaxBody},
		{"", "application/json", "identity", flow.MaxLong},
		{"", "application/yaml", "identity", flow.MaxLong},
		{"", "application/vnd.kubernetes.protobuf", "identity", flow.MaxBody}, // below 1 MiB it is written in one piece
		{"", "application/json;as=Table;g=meta.k8s.io;v=v1", "identity", 0},
		{"", "application/json", "gzip", 0},
	} {
		code, answer := send(t, url, request{method: "GET", path: configMaps + c.query, header: http.Header{"Accept": {c.accept}, "Accept-Encoding": {c.encoding}}})
		flows, _ := log.Since(0, 0)
		b := flows[len(flows)-1].ResponseBody
		if c.kept == 0 {
			c.kept = len(answer)
		}
		if code != http.StatusOK || len(b.Kept) != c.kept || b.Total != int64(len(answer)) || b.Cut != (c.kept < len(answer)) || !strings.HasPrefix(answer, string(b.Kept)) {
			t.Errorf("%s as %s, %s: %d, of %d bytes %d are kept, of %d; cut %v", c.query, c.accept, c.encoding, code, len(answer), len(b.Kept), b.Total, b.Cut)
		}
	}
}

// What is compressed: more than 128 KiB, for a client that says the very word, unless the gate is closed.
func TestServer_compress(t *testing.T) {
	url := serveDefault(t)
	const overhead = 1 << 10 // more than what an object has beside its data
	put := func(name string, size int) int {
		body := `{"metadata":{"name":"` + name + `"},"data":{"k":"` + strings.Repeat("z", size) + `"}}`
		_, text := send(t, url, request{method: "POST", path: configMaps, contentType: "application/json", body: body})
		return len(text)
	}
	// An object whose answer has exactly 128 KiB, and one with a byte more.
	size := 128<<10 - overhead
	size += 128<<10 - put("probe-a", size)
	if got := put("exact-a", size); got != 128<<10 {
		t.Fatalf("%d bytes", got)
	}
	put("above-a", size+1)
	for _, c := range []struct {
		name, path, encoding string
		want                 bool
	}{
		{"at the threshold", "/exact-a", "gzip", false},
		{"above it", "/above-a", "gzip", true},
		{"among others", "/above-a", "br, gzip", true},
		{"not asked", "/above-a", "identity", false},
		{"with a quality", "/above-a", "gzip;q=1.0", false},
		{"anything", "/above-a", "*", false},
		{"in capitals", "/above-a", "GZIP", false},
		{"a list", "", "gzip", true},
		{"a short page", "?fieldSelector=metadata.name=none", "gzip", false},
	} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", url+configMaps+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept-Encoding", c.encoding)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := resp.Header.Get("Content-Encoding") == "gzip"; got != c.want {
			t.Errorf("%s: compressed %v, want %v", c.name, got, c.want)
		}
	}
	off := serveWith(t, "APIResponseCompression=false")
	body := `{"metadata":{"name":"large"},"data":{"k":"` + strings.Repeat("z", 200<<10) + `"}}`
	if code, _ := send(t, off, request{method: "POST", path: configMaps, contentType: "application/json", body: body}); code != http.StatusCreated {
		t.Fatal(code)
	}
	if text, header := mustUnzip(t, off+configMaps, "application/json"); header.Get("Content-Encoding") != "" || !strings.Contains(text, "zzz") {
		t.Errorf("compressed with the gate off: %v", header)
	}
}
