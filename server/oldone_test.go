package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// An object as it was is a list of its name at a revision. Others whose names begin so are not in it, one that was not there yet is not,
// and the change log is read for that object alone.
func TestServer_oldObject(t *testing.T) {
	base, log := mustServe(t, nil)
	const configMaps = "/api/v1/namespaces/d/configmaps"
	send(t, base, request{method: "POST", path: "/api/v1/namespaces", contentType: "application/json", body: `{"metadata":{"name":"d"}}`})
	for _, name := range []string{"web", "web-1", "a"} {
		send(t, base, request{method: "POST", path: configMaps, contentType: "application/json", body: fmt.Sprintf(`{"metadata":{"name":%q},"data":{"k":"old"}}`, name)})
	}
	var list struct {
		Metadata struct{ ResourceVersion string }
		Items    []struct {
			Metadata struct{ Name string }
			Data     map[string]string
		}
	}
	_, body := send(t, base, request{method: "GET", path: configMaps})
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatal(err)
	}
	then := list.Metadata.ResourceVersion
	for _, name := range []string{"web", "web-1", "web-2"} {
		send(t, base, request{method: "DELETE", path: configMaps + "/" + name})
		send(t, base, request{method: "POST", path: configMaps, contentType: "application/json", body: fmt.Sprintf(`{"metadata":{"name":%q},"data":{"k":"new"}}`, name)})
	}
	for _, c := range []struct {
		path, selector, want string
		rows                 int // of the change log that were read
	}{
		{configMaps, "metadata.name=web", "web=old", 2},
		{configMaps, "metadata.name=web-1", "web-1=old", 1},
		{configMaps, "metadata.name=web-2", "", 0},
		{configMaps, "metadata.name!=web", "a=old web-1=old", 3},
		{configMaps, "metadata.name=", "", 3},
		{"/api/v1/configmaps", "metadata.name=web", "web=old", 3},
	} {
		send(t, base, request{method: "GET", path: c.path + "?resourceVersionMatch=Exact&resourceVersion=" + then + "&fieldSelector=" + strings.ReplaceAll(c.selector, "=", "%3D")})
		flows, _ := log.Since(log.Stats().Newest-1, 0)
		list.Items = nil
		if err := json.Unmarshal(flows[0].ResponseBody.Kept, &list); err != nil {
			t.Fatal(err)
		}
		var have []string
		for _, x := range list.Items {
			have = append(have, x.Metadata.Name+"="+x.Data["k"])
		}
		if text := strings.Join(have, " "); text != c.want || list.Metadata.ResourceVersion != then {
			t.Errorf("%s of %s: %q at rv %s", c.selector, c.path, text, list.Metadata.ResourceVersion)
		}
		if n := flows[0].Statements[len(flows[0].Statements)-1].Rows; int(n) != c.rows {
			t.Errorf("%s of %s: %d rows were read, want %d", c.selector, c.path, n, c.rows)
		}
	}
}
