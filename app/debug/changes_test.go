package debug_test

import (
	"fmt"
	"strings"
	"testing"

	"kubarium/app/program/programtest"
)

// The change log is told newest first, of everything or of one object; one change comes with its object before and
// after; and what is compacted leaves only the changes that made objects what they are.
func TestChanges(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	cm, debug := p.URL+"/api/v1/namespaces/default/configmaps", p.URL+"/debug/changes"
	programtest.MustCall(t, 201, "POST", cm, programtest.JSONType, `{"metadata":{"name":"a"},"data":{"k":"1"}}`)
	programtest.MustCall(t, 200, "PUT", cm+"/a", programtest.JSONType, `{"metadata":{"name":"a"},"data":{"k":"2"}}`)
	programtest.MustCall(t, 201, "POST", cm, programtest.JSONType, `{"metadata":{"name":"b"}}`)
	programtest.MustCall(t, 200, "DELETE", cm+"/b", "", "")

	all := programtest.MustReadChanges(t, debug)
	if n := len(all.Changes); int64(n) != all.Revision || all.Changes[0].Revision != all.Revision || all.Changes[n-1].Revision != 1 {
		t.Fatalf("%d changes of %d", n, all.Revision)
	}
	if page := programtest.MustReadChanges(t, fmt.Sprintf("%s?before=%d&limit=2", debug, all.Revision-1)); len(page.Changes) != 2 || page.Changes[0].Revision != all.Revision-1 {
		t.Errorf("a page is %+v", page)
	}
	a := programtest.MustReadChanges(t, debug+"?resource=configmaps&namespace=default&name=a")
	if len(a.Changes) != 2 || a.Changes[0].Type != "U" || a.Changes[0].BeforeRevision != a.Changes[1].Revision || a.Changes[1].Type != "C" || a.Changes[0].Bytes == 0 {
		t.Fatalf("of a: %+v", a)
	}
	one := programtest.MustReadChanges(t, fmt.Sprintf("%s?revision=%d", debug, a.Changes[0].Revision)).Changes
	if len(one) != 1 || fmt.Sprint(one[0].Before["data"], one[0].After["data"]) != "map[k:1] map[k:2]" {
		t.Errorf("one change is %+v", one)
	}

	programtest.MustCall(t, 200, "POST", p.URL+"/debug/compact", "", "")
	kept := programtest.MustReadChanges(t, debug+"?resource=configmaps&namespace=default&name=a")
	if len(kept.Changes) != 1 || kept.Changes[0].Revision != a.Changes[0].Revision || kept.Compacted == 0 {
		t.Errorf("after a compaction: %+v", kept)
	}
}

// What is terminating is told of the change that made the object what it is, and of no other.
func TestChanges_terminating(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	cm := p.URL + "/api/v1/namespaces/default/configmaps"
	programtest.MustCall(t, 201, "POST", cm, programtest.JSONType, `{"metadata":{"name":"a","finalizers":["example.io/x"]}}`)
	programtest.MustCall(t, 200, "DELETE", cm+"/a", "", "")
	programtest.MustCall(t, 200, "PATCH", cm+"/a", "application/merge-patch+json", `{"metadata":{"labels":{"l":"1"}}}`)
	if of := programtest.MustReadChanges(t, p.URL+"/debug/changes?terminating"); len(of.Changes) != 1 || of.Changes[0].Name != "a" {
		t.Errorf("terminating are %+v", of.Changes)
	}
	var got []bool
	for _, c := range programtest.MustReadChanges(t, p.URL+"/debug/changes?resource=configmaps&namespace=default&name=a").Changes {
		got = append(got, c.Terminating)
	}
	if fmt.Sprint(got) != "[true false false]" {
		t.Errorf("terminating: %v", got)
	}
}

// A row that is no JSON is told as a text.
func TestChanges_broken(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	programtest.MustCall(t, 201, "POST", p.URL+"/api/v1/namespaces/default/configmaps", programtest.JSONType, `{"metadata":{"name":"a"}}`)
	programtest.MustCall(t, 200, "PUT", p.URL+"/debug/rows?resource=configmaps&namespace=default&name=a", "", "no {json")
	newest := programtest.MustReadChanges(t, p.URL+"/debug/changes?limit=1").Changes[0]
	if !newest.Outside {
		t.Errorf("it is %+v", newest)
	}
	text := programtest.MustCall(t, 200, "GET", fmt.Sprintf("%s/debug/changes?revision=%d", p.URL, newest.Revision), "", "")
	if !strings.Contains(text, `"after":"no {json"`) {
		t.Errorf("it is %s", text)
	}
}

// Whoever asks wrongly is told so.
func TestChanges_refused(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	for query, want := range map[string]string{"?limit=x": "limit is a number", "?revision=-1": "revision is a number", "?name=a": "say which row"} {
		if code, text := programtest.Call(t, "GET", p.URL+"/debug/changes"+query, "", ""); code != 400 || !strings.Contains(text, want) {
			t.Errorf("%s: %d %s", query, code, text)
		}
	}
	if code, _ := programtest.Call(t, "POST", p.URL+"/debug/changes", "", ""); code != 405 {
		t.Errorf("a POST: %d", code)
	}
}
