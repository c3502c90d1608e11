package debug_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kubarium/app/program/programtest"
	"kubarium/flow/recording"
)

// What a client cannot say in Kubernetes' own paths is answered on etcd too, or refused in one line that says what to use.
func TestStore_Debug(t *testing.T) {
	p, client := programtest.MustStartEtcd(t)
	cm, debug := p.URL+"/api/v1/namespaces/default/configmaps", p.URL+"/debug/"
	programtest.MustCall(t, 201, "POST", cm, programtest.JSONType, `{"metadata":{"name":"a"},"data":{"k":"1"}}`)

	row := debug + "rows?resource=configmaps&namespace=default&name=a"
	stored := programtest.MustCall(t, 200, "GET", row, "", "")
	programtest.MustCall(t, 200, "PUT", row, "", strings.Replace(stored, `"1"`, `"2"`, 1))
	programtest.Eventually(t, "the change from outside", func() bool {
		return strings.Contains(programtest.MustCall(t, 200, "GET", cm+"/a?resourceVersion=0", "", ""), `"k":"2"`)
	})
	log := programtest.MustReadChanges(t, debug+"changes?resource=configmaps&namespace=default&name=a")
	if len(log.Changes) != 2 || !log.Changes[0].Outside || log.Changes[0].Type != "U" || log.Changes[1].Outside {
		t.Errorf("the log is %+v", log)
	}
	recorded, err := recording.NewDecoder(strings.NewReader(programtest.MustCall(t, 200, "GET", debug+"recording", "", "")))
	if err != nil {
		t.Fatal(err)
	}
	defer recorded.Close()
	told := map[string]bool{}
	for e, err := recorded.Next(); err == nil; e, err = recorded.Next() {
		for _, c := range []*recording.Change{e.State, e.Change} {
			if c != nil {
				told[c.Resource+"/"+c.Name] = true
			}
		}
	}
	if !told["configmaps/a"] || !told["namespaces/default"] {
		t.Errorf("the recording has %v", told)
	}

	for _, c := range []struct {
		method, path, body, want string
	}{
		{"GET", "snapshots", "", "etcdctl snapshot save"},
		{"POST", "snapshots", `{"name":"a"}`, "etcdctl snapshot save"},
		{"DELETE", "snapshots?name=a", "", "etcdctl snapshot save"},
		{"POST", "restore", `{}`, "etcdutl snapshot restore"},
		{"GET", "plan?sql=SELECT+1", "", "SQLite's"},
	} {
		if code, text := programtest.Call(t, c.method, debug+c.path, programtest.JSONType, c.body); code != 501 || !strings.Contains(text, c.want) || strings.Count(text, "\n") != 1 {
			t.Errorf("%s %s: %d %q", c.method, c.path, code, text)
		}
	}

	if _, err := client.Put(t.Context(), "/others/x", "1"); err != nil {
		t.Fatal(err)
	}
	if code, text := programtest.Call(t, "POST", debug+"compact", "", ""); code != 409 || !strings.Contains(text, `"/others/x"`) || !strings.Contains(text, "--etcd-compact-shared") {
		t.Errorf("compacted beside others: %d %s", code, text)
	}
	if _, err := client.Delete(t.Context(), "/others/x"); err != nil {
		t.Fatal(err)
	}
	programtest.MustCall(t, 200, "POST", debug+"compact", "", "")
}

// A fork of a server on etcd has a database of its own, with the objects as they were at a revision, also where several share one.
func TestStore_Fork(t *testing.T) {
	p, client := programtest.MustStartEtcd(t)
	cm := p.URL + "/api/v1/namespaces/default/configmaps"
	object := `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":%q,"namespace":"default","uid":%[1]q},"data":{"k":"1"}}`
	var puts []clientv3.Op
	for _, name := range []string{"a", "b", "c"} {
		puts = append(puts, clientv3.OpPut("/kubarium/objects/configmaps/default/"+name, fmt.Sprintf(object, name)))
	}
	done, err := client.Txn(t.Context()).Then(puts...).Commit()
	if err != nil {
		t.Fatal(err)
	}
	programtest.MustCall(t, 200, "PATCH", cm+"/a", programtest.MergeType, `{"data":{"k":"2"}}`)
	for _, asked := range []string{`{"revision":%d}`, `{"revision":%d,"file":"fork.db"}`} {
		var fork struct {
			URL, File string
			Revision  int64
		}
		if err := json.Unmarshal([]byte(programtest.MustCall(t, 200, "POST", p.URL+"/debug/fork", programtest.JSONType, fmt.Sprintf(asked, done.Header.Revision))), &fork); err != nil {
			t.Fatal(err)
		}
		if fork.Revision != done.Header.Revision || (fork.File == ":memory:") == strings.Contains(asked, "fork.db") {
			t.Errorf("the fork is %+v", fork)
		}
		list := programtest.MustCall(t, 200, "GET", fork.URL+"/api/v1/namespaces/default/configmaps", "", "")
		if n := strings.Count(list, `"k":"1"`); n != 3 {
			t.Errorf("the fork has %d objects as they were: %s", n, list)
		}
		programtest.MustCall(t, 201, "POST", fork.URL+"/api/v1/namespaces/default/configmaps", programtest.JSONType, `{"metadata":{"name":"d"}}`)
		programtest.MustCall(t, 404, "GET", cm+"/d", "", "")
	}
	if code, text := programtest.Call(t, "POST", p.URL+"/debug/fork", programtest.JSONType, `{"revision":1000000}`); code != 400 {
		t.Errorf("a fork of what is not there yet: %d %s", code, text)
	}
	programtest.MustCall(t, 200, "POST", p.URL+"/debug/compact", "", "")
	if code, text := programtest.Call(t, "POST", p.URL+"/debug/fork", programtest.JSONType, fmt.Sprintf(`{"revision":%d}`, done.Header.Revision)); code != 410 {
		t.Errorf("a fork of what is compacted: %d %s", code, text)
	}
}
