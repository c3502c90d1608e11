package program_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/app/program/programtest"
	"kubarium/etcdstore/etcdtest"
)

// While etcd's quota is used up objects are deleted over HTTP, one by one and as a collection, and watches see it; what needs a write first is
// refused. When there is space, all goes on.
func TestStore_full(t *testing.T) {
	cluster := etcdtest.Start(t, 1, "--quota-backend-bytes", "12000000")
	client := cluster.Client(t)
	p := programtest.MustStartConfig(t, programtest.OnEtcd(cluster, t.TempDir()))
	url := p.URL + "/api/v1/namespaces/default/configmaps"
	programtest.MustCall(t, http.StatusCreated, "POST", p.URL+"/api/v1/namespaces", programtest.JSONType, `{"metadata":{"name":"made"}}`)
	data := strings.Repeat("x", 200_000)
	made, code := 0, 0
	for ; code != http.StatusInsufficientStorage && made < 200; made++ {
		code, _ = programtest.Call(t, "POST", url, programtest.JSONType, fmt.Sprintf(`{"metadata":{"name":"cm-%d","finalizers":%s},"data":{"k":%q}}`, made, finalizers(made), data))
	}
	list := programtest.MustListObjects(t, url)
	s := programtest.MustStatus(t, http.StatusInsufficientStorage, "PATCH", url+"/cm-1", programtest.MergeType, `{"data":{"k":"v"}}`)
	if !strings.Contains(s.Message, "delete what is not needed") {
		t.Errorf("%q", s.Message)
	}
	programtest.MustStatus(t, http.StatusInsufficientStorage, "DELETE", url+"/cm-0", "", "") // has a finalizer
	programtest.MustStatus(t, http.StatusInsufficientStorage, "DELETE", url+"/cm-1?propagationPolicy=Foreground", "", "")
	programtest.MustStatus(t, http.StatusInsufficientStorage, "DELETE", p.URL+"/api/v1/namespaces/made", "", "")
	programtest.MustCall(t, http.StatusOK, "DELETE", url+"/cm-1", "", "")
	e := programtest.FirstEvent(t, fmt.Sprintf("%s?watch=true&resourceVersion=%d", url, list.Version))
	var seen struct {
		Metadata struct{ Name string }
		Data     map[string]string
	}
	if err := json.Unmarshal(e.Object, &seen); err != nil || e.Type != "DELETED" || seen.Metadata.Name != "cm-1" || seen.Data["k"] != data {
		t.Errorf("the watch tells %s of %s, %d bytes, %v", e.Type, seen.Metadata.Name, len(seen.Data["k"]), err)
	}
	programtest.MustStatus(t, http.StatusNotFound, "GET", url+"/cm-1", "", "")
	programtest.MustStatus(t, http.StatusInsufficientStorage, "DELETE", url, "", "") // cm-0 again; the others may be gone
	for i := 2; i < made; i++ {
		if code, text := programtest.Call(t, "DELETE", fmt.Sprintf("%s/cm-%d", url, i), "", ""); code != http.StatusOK && code != http.StatusNotFound {
			t.Fatalf("cm-%d: %d %s", i, code, text)
		}
	}
	programtest.MustCall(t, http.StatusOK, "DELETE", url+"?fieldSelector=metadata.name!=cm-0", "", "")
	at, err := client.Get(t.Context(), "none")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Compact(t.Context(), at.Header.Revision); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Defragment(t.Context(), cluster.Endpoints()[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := client.AlarmDisarm(t.Context(), &clientv3.AlarmMember{}); err != nil {
		t.Fatal(err)
	}
	programtest.MustCall(t, http.StatusCreated, "POST", url, programtest.JSONType, `{"metadata":{"name":"new"}}`)
	if left := programtest.MustListObjects(t, url); len(left.Objects) > 3 { // and the root CA's
		t.Errorf("left are %d objects", len(left.Objects))
	}
}

// finalizers keep the first object from being removed at once.
func finalizers(i int) string {
	if i == 0 {
		return `["example.com/keep"]`
	}
	return "[]"
}

// A server whose etcd has become an older backup ends its watches with the reason, and begins none: on the lost revisions others may build.
func TestStore_olderBackup(t *testing.T) {
	cluster := etcdtest.Start(t, 1)
	p := programtest.MustStartConfig(t, programtest.OnEtcd(cluster, t.TempDir()))
	url := p.URL + "/api/v1/namespaces/default/configmaps"
	programtest.MustCall(t, http.StatusCreated, "POST", url, programtest.JSONType, `{"metadata":{"name":"a"}}`)
	list := programtest.MustListObjects(t, url)
	watch := fmt.Sprintf("%s?watch=true&resourceVersion=%d", url, list.Version)
	open, err := http.Get(watch)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Body.Close()
	m := cluster.Members()[0]
	m.Kill()
	m.Forget()
	m.Restart()
	cluster.Await()
	const text = "its data is not what it was"
	var e programtest.RawEvent
	if err := json.NewDecoder(open.Body).Decode(&e); err != nil || e.Type != "ERROR" || !strings.Contains(string(e.Object), `"code":503`) || !strings.Contains(string(e.Object), text) {
		t.Errorf("the watch ended with %s %s, %v", e.Type, e.Object, err)
	}
	for _, path := range []string{watch, url + "/a", url} {
		if s := programtest.MustStatus(t, http.StatusServiceUnavailable, "GET", path, "", ""); !strings.Contains(s.Message, text) {
			t.Errorf("%s: %q", path, s.Message)
		}
	}
	programtest.MustCall(t, http.StatusOK, "GET", url+"/a?resourceVersion=0", "", "")
}
