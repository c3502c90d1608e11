package glass_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	"kubarium/app/glass"
	"kubarium/app/program/programtest"
	"kubarium/flow"
	"kubarium/flow/object"
	"kubarium/server/glass/seen"
)

const mapsOfDefault = "/api/v1/namespaces/default/configmaps"

// mustFill makes n ConfigMaps of 16 KiB, most of it metadata that packs badly.
func mustFill(t *testing.T, url string, n int) {
	t.Helper()
	for i := range n {
		pad := make([]byte, 12<<10)
		_, _ = rand.Read(pad) // which never fails
		programtest.MustCall(t, 201, "POST", url+mapsOfDefault, programtest.JSONType,
			fmt.Sprintf(`{"metadata":{"name":"m%d","annotations":{"pad":%q}},"data":{"k":"v"}}`, i, base64.StdEncoding.EncodeToString(pad)))
	}
}

func mapKey(i int) seen.Key {
	return seen.Key{Resource: "configmaps", Namespace: "default", Name: fmt.Sprint("m", i)}
}

// Of a list that is longer than what the flow keeps of it, all is known that the server recorded, and each object.
func TestGlass_lists(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	const many = 40
	mustFill(t, p.URL, many)
	partial := ";as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
	for _, accept := range []string{"application/json", protobuf, asTable, "application/json" + partial, protobuf + partial} {
		for _, encoding := range []string{"", "gzip"} {
			g, client := mustStart(t, glass.Config{Target: targetOf(p.URL)})
			resp, text := ask(t, client, "GET", g.URL+mapsOfDefault, "", "Accept", accept, "Accept-Encoding", encoding)
			if resp.Header.Get("Content-Encoding") != encoding || len(text) <= flow.MaxBody {
				t.Errorf("%s %s: %d bytes, packed as %q", accept, encoding, len(text), resp.Header.Get("Content-Encoding"))
			}
			flows, _ := g.Log.Since(0, 0)
			f := flows[len(flows)-1]
			if len(flows) != 1 || f.Page == nil || f.Page.Items < many || len(f.Notes) > 0 || !f.ResponseBody.Cut {
				t.Fatalf("%s %s: %d requests, page %+v, notes %q", accept, encoding, len(flows), f.Page, f.Notes)
			}
			programtest.Eventually(t, "the server's record", func() bool {
				theirs, _ := p.Log.Since(0, 0) // its own requests may come last
				return slices.ContainsFunc(theirs, func(one *flow.Flow) bool {
					return one.ResponseHeader.Get("Audit-Id") == f.ResponseHeader.Get("Audit-Id") && facts(one) == facts(f)
				})
			})
			if head, _ := g.Log.Head(); head != f.Page.Snapshot {
				t.Errorf("%s %s: the screen's newest version is %d, not %d", accept, encoding, head, f.Page.Snapshot)
			}
			whole := accept == "application/json" || accept == protobuf
			for i := range many {
				v, ok := g.Seen.At(mapKey(i), 0)
				o := object.Parse(v.JSON())
				if !ok || v.Partial == whole || object.TextIn(o, "metadata", "name") != mapKey(i).Name || whole && object.TextIn(o, "data", "k") != "v" || whole && object.TextIn(o, "kind") != "ConfigMap" {
					t.Fatalf("%s %s: %s is known %t, as %.200s", accept, encoding, mapKey(i).Name, ok, v.JSON())
				}
			}
		}
	}
}

// Of a list that is broken off the items that came are known, and nothing waits for the rest.
func TestGlass_brokenLists(t *testing.T) {
	var leave context.CancelFunc
	served := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[`)
		for i := range 3 {
			fmt.Fprintf(w, `{"metadata":{"namespace":"default","name":"m%d","resourceVersion":"7"}},`, i)
		}
		_ = http.NewResponseController(w).Flush()
		<-served
		if r.URL.Query().Has("leave") {
			leave()
			<-r.Context().Done()
		}
		panic(http.ErrAbortHandler)
	}))
	defer s.Close()
	defer close(served)
	g, client := mustStart(t, glass.Config{Target: targetOf(s.URL)})
	for _, query := range []string{"", "?leave"} {
		var ctx context.Context
		ctx, leave = context.WithCancel(t.Context())
		r, _ := http.NewRequestWithContext(ctx, "GET", g.URL+mapsOfDefault+query, nil)
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		programtest.Eventually(t, "a reader that waits", func() bool { return listening() == 1 })
		served <- struct{}{}
		if _, err := io.ReadAll(resp.Body); err == nil {
			t.Errorf("%q: the client does not see that the list is broken", query)
		}
		resp.Body.Close()
		leave()
		programtest.Eventually(t, "its end", func() bool { return listening() == 0 })
		var f *flow.Flow
		programtest.Eventually(t, "the flow", func() bool {
			flows, _ := g.Log.Since(0, 0)
			f = flows[len(flows)-1]
			return f.Query == strings.TrimPrefix(query, "?")
		})
		if f.Page == nil || f.Page.Items != 3 || f.Page.Snapshot != 9 || len(f.Notes) != 1 || !strings.Contains(f.Notes[0], "first 3 items") {
			t.Errorf("%q: %+v, %q", query, f.Page, f.Notes)
		}
	}
	if _, ok := g.Seen.At(mapKey(2), 7); !ok {
		t.Error("an item that came is not known")
	}
}

// listening counts what reads lists.
func listening() int {
	var b bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&b, 2)
	return strings.Count(b.String(), "object.ReadList(")
}

// Objects of requests that are not kept are not kept either; the newest version is that of all.
func TestGlass_keepVersions(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	mustFill(t, p.URL, 2)
	g, client := mustStart(t, glass.Config{Target: targetOf(p.URL), Keep: func(f *flow.Flow) bool { return f.Target.Namespace != "default" }})
	ask(t, client, "GET", g.URL+mapsOfDefault, "")
	ask(t, client, "GET", g.URL+mapsOfDefault+"?watch=1&timeoutSeconds=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", "")
	ask(t, client, "PATCH", g.URL+mapsOfDefault+"/m1", `{"data":{"k":"2"}}`, "Content-Type", merge)
	for i := range 2 {
		if v, ok := g.Seen.At(mapKey(i), 0); ok {
			t.Errorf("%s is kept, at rv %d", mapKey(i).Name, v.Revision)
		}
	}
	time.Sleep(300 * time.Millisecond) // in which a change would come to the timeline
	commits, _ := g.Log.Commits(0)
	head, _ := g.Log.Head()
	if newest, _ := p.Log.Head(); head != newest || len(commits) != 0 {
		t.Errorf("the newest version is %d of %d, with %d changes", head, newest, len(commits))
	}
	ask(t, client, "GET", g.URL+"/api/v1/configmaps", "")
	if _, ok := g.Seen.At(mapKey(1), 0); !ok {
		t.Error("an object of a list that is kept is not")
	}
}

// The newest version on the screen is also that of a bookmark, and of a list.
func TestGlass_newest(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	mustFill(t, p.URL, 1)
	g, client := mustStart(t, glass.Config{Target: targetOf(p.URL)})
	for _, query := range []string{"?watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", ""} {
		programtest.MustCall(t, 201, "POST", p.URL+"/api/v1/namespaces", programtest.JSONType, programtest.NamedMap("n"+fmt.Sprint(len(query)))) // is not in the answer
		r, _ := http.NewRequestWithContext(t.Context(), "GET", g.URL+mapsOfDefault+query, nil)
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		programtest.Eventually(t, "the newest version by "+query, func() bool {
			head, _ := g.Log.Head()
			newest, _ := p.Log.Head()
			return head == newest
		})
		resp.Body.Close()
	}
}

// A list of custom resources names their kind after its items.
func TestGlass_customLists(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	programtest.MustCall(t, 201, "POST", p.URL+"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", programtest.JSONType, programtest.SoakDefinition)
	widgets := "/apis/soak.example.com/v1/namespaces/default/widgets"
	programtest.Eventually(t, "the custom resource", func() bool {
		code, _ := programtest.Call(t, "POST", p.URL+widgets, programtest.JSONType, `{"apiVersion":"soak.example.com/v1","kind":"Widget","metadata":{"name":"w"}}`)
		return code == 201
	})
	g, client := mustStart(t, glass.Config{Target: targetOf(p.URL)})
	ask(t, client, "GET", g.URL+widgets, "")
	flows, _ := g.Log.Since(0, 0)
	if f := flows[0]; f.Page == nil || f.Page.Items != 1 || f.Revision == 0 || len(f.Notes) > 0 {
		t.Errorf("page %+v at rv %d, notes %q", f.Page, f.Revision, f.Notes)
	}
	_, text := ask(t, &http.Client{Transport: g.Reach()}, "GET", g.URL+"/apis", "", "User-Agent", flow.UIAgent+"/objects")
	if !strings.Contains(string(text), `"kind":"Widget"`) {
		t.Errorf("the kinds that are known: %s", text)
	}
}
