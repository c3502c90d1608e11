package server_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// The lists of metadata and its names are bounded before anything is made of them; what the bounds name is told.
func TestServer_boundMetadata(t *testing.T) {
	url := serveDefault(t)
	many := func(n int, form string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = fmt.Sprintf(form, i)
		}
		return strings.Join(parts, ",")
	}
	long := strings.Repeat("x", 20_000)
	entry := `{"manager":"m%d","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:a":{}}}}`
	for _, c := range []struct {
		name, metadata string
		code           int
		want           string
	}{
		{"owners", `"ownerReferences":[` + many(8000, `{"apiVersion":"v1","kind":"X","name":"a","uid":"u%d"}`) + `]`, 201, ""},
		{"too many owners", `"ownerReferences":[` + many(10_000, `{"apiVersion":"v1","kind":"X","name":"a","uid":"u%d"}`) + `,{}]`, 413, "limit is 10000 objects in one list"},
		{"too many finalizers", `"finalizers":[` + many(10_001, `"a/b%d"`) + `]`, 422, "metadata.finalizers: Too many: 10001"},
		{"managers", `"managedFields":[` + many(1000, entry) + `]`, 201, ""},
		{"too many managers", `"managedFields":[` + many(1001, entry) + `]`, 422, "metadata.managedFields: Too many: 1001"},
		{"a long label", `"labels":{"` + long + `":"v"}`, 422, "metadata.labels: Too long"},
		{"a long generated name", `"generateName":"` + long + `"`, 422, "metadata.name: Too long"},
		{"many faults", `"labels":{` + many(1000, `"bad key %d":"v"`) + `}`, 422, "of all faults the first 200 are told"},
	} {
		body := `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x",` + c.metadata + `}}`
		if code, got := send(t, url, request{method: "POST", path: configMaps + "?dryRun=All", contentType: "application/json", body: body}); code != c.code || !strings.Contains(got, c.want) {
			t.Errorf("%s: %d %.300s; want %d %s", c.name, code, got, c.code, c.want)
		}
	}
}

// Of two owner references that are the same in all but a pointer's target, both stay; of equal ones, one.
func TestServer_ownersTwice(t *testing.T) {
	url := serveDefault(t)
	ref := func(more string) string { return `{"apiVersion":"v1","kind":"X","name":"a","uid":"u"` + more + `}` }
	body := `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x","ownerReferences":[` + strings.Join([]string{
		ref(""), ref(`,"controller":true`), ref(`,"controller":true`), ref(`,"controller":false`), ref(`,"blockOwnerDeletion":false`), ref(""),
	}, ",") + `]}}`
	resp, got := postConfigMap(t, url, body)
	warning := strings.Join(resp.Header["Warning"], " ")
	if n := strings.Count(string(got), `"uid":"u"`); resp.StatusCode != 201 || n != 4 || !strings.Contains(warning, "duplicate UID(s) observed: u, u") {
		t.Errorf("%d: %d owners, %s", resp.StatusCode, n, warning)
	}
}

// Clients who promise large bodies and send them slowly keep nobody from being answered: small requests go on at once, and
// large ones are asked to come again when there is no room for them.
func TestServer_slowLargeBodies(t *testing.T) {
	url := serveDefault(t)
	ctx, leave := context.WithCancel(t.Context())
	var slow sync.WaitGroup
	defer slow.Wait()
	defer leave()
	for range 8 {
		slow.Go(func() { sendSlowly(ctx, t, strings.TrimPrefix(url, "http://")) })
	}
	large := `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"large"},"data":{"k":"` + strings.Repeat("x", 1<<20) + `"}}`
	resp, got := postConfigMap(t, url, large)
	for tries := 0; resp.StatusCode != http.StatusTooManyRequests && tries < 100; tries++ { // until all of them have their room
		time.Sleep(20 * time.Millisecond)
		resp, got = postConfigMap(t, url, large)
	}
	if resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") != "1" {
		t.Errorf("a large one: %d %s", resp.StatusCode, got)
	}
	body := `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"small"}}`
	if code, got := send(t, url, request{method: "POST", path: configMaps, contentType: "application/json", body: body}); code != http.StatusCreated {
		t.Errorf("a small one: %d %s", code, got)
	}
	leave()
	slow.Wait()
	for range 100 {
		if resp, got = postConfigMap(t, url, large); resp.StatusCode == http.StatusCreated || resp.StatusCode == http.StatusConflict {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("a large one when they have gone: %d %s", resp.StatusCode, got)
}

// sendSlowly sends the beginning of a large body, and the rest never.
func sendSlowly(ctx context.Context, t *testing.T, address string) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 3000000\r\n\r\n", configMaps)
	_, _ = io.WriteString(conn, strings.Repeat(" ", 100_000))
	<-ctx.Done()
}

// postConfigMap creates a ConfigMap.
func postConfigMap(t *testing.T, url, body string) (*http.Response, []byte) {
	t.Helper()
	resp, err := http.Post(url+configMaps, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, got
}
