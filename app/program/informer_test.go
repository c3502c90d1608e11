package program_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	clientfeatures "k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
)

var configMaps = corev1.SchemeGroupVersion.WithResource("configmaps")

// Informers of every sort that client-go has, in both of its ways to begin, hold what a fresh list shows: after writes
// by many at once, after a cut, after a compaction that they slept through, and after a restart of the server; and
// none of them ever sees a version of an object go back.
func TestInformers(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for reflectors that back off, some ten seconds")
	}
	for _, streaming := range []bool{false, true} {
		t.Run(fmt.Sprintf("WatchList=%v", streaming), func(t *testing.T) {
			featurestesting.SetFeatureDuringTest(t, clientfeatures.WatchListClient, streaming)
			s := startAgain(t)
			wire := &wire{}
			watched := s.informers(t, wire)
			s.writeAll(t, 0)
			s.agree(t, watched, "after writes")

			s.writing(t, 1, func() {
				for range 3 {
					wire.cut(false)
					time.Sleep(50 * time.Millisecond)
				}
			})
			s.agree(t, watched, "after cuts during writes")

			// Once it has had an event, a watch that ends is resumed from its version; before, and within a second of
			// its opening, client-go takes its end for a fault and lists again, which meets no 410.
			s.writeAll(t, 2)
			s.agree(t, watched, "after writes to the watches of now")
			wire.cut(true)
			s.writeAll(t, 3)
			programtest.Send(t, programtest.NewClient(), "POST", s.p.URL+"/debug/compact", nil)
			wire.mend()
			s.agree(t, watched, "after a compaction")
			s.checkHow(t, streaming)

			s.restart(t)
			s.writeAll(t, 4)
			s.agree(t, watched, "after a restart")
		})
	}
}

// A restartable is a Program that can be started again at the same address.
type restartable struct {
	config program.Config
	p      *program.Program
}

func startAgain(t *testing.T) *restartable {
	s := &restartable{config: program.Config{Listen: programtest.FreeAddress(t), DB: filepath.Join(t.TempDir(), "k.db"), History: 5 * time.Minute, Sync: "normal"}}
	s.start(t)
	t.Cleanup(func() { s.close(t) })
	return s
}

func (s *restartable) start(t *testing.T) {
	t.Helper()
	var err error
	if s.p, err = program.Start(context.Background(), s.config, programtest.Discard()); err != nil {
		t.Fatal(err)
	}
}

func (s *restartable) close(t *testing.T) {
	t.Helper()
	if err := s.p.Close(); err != nil {
		t.Error(err)
	}
}

func (s *restartable) restart(t *testing.T) {
	t.Helper()
	s.close(t)
	s.start(t)
}

// A watched is an informer and the last version that it told of each object.
type watched struct {
	name     string
	metadata bool // whether it holds no more than metadata
	informer cache.SharedIndexInformer

	mu   sync.Mutex
	last map[string]int64
	back []string // versions that went back
}

// informers starts one informer of each sort on all ConfigMaps.
func (s *restartable) informers(t *testing.T, w *wire) []*watched {
	config := rest.Config{Host: s.p.URL, Dial: w.dial, QPS: -1}
	asProtobuf := config
	asProtobuf.ContentType = runtime.ContentTypeProtobuf
	asProtobuf.AcceptContentTypes = runtime.ContentTypeProtobuf
	typed := func(c rest.Config) cache.SharedIndexInformer {
		return informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&c), 0).Core().V1().ConfigMaps().Informer()
	}
	all := []*watched{
		{name: "JSON", informer: typed(config)},
		{name: "Protobuf", informer: typed(asProtobuf)},
		{name: "dynamic", informer: dynamicinformer.NewDynamicSharedInformerFactory(dynamic.NewForConfigOrDie(&config), 0).ForResource(configMaps).Informer()},
		{name: "metadata", metadata: true, informer: metadatainformer.NewSharedInformerFactory(metadata.NewForConfigOrDie(&config), 0).ForResource(configMaps).Informer()},
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	t.Cleanup(running.Wait)
	t.Cleanup(cancel)
	for _, i := range all {
		i.follow(t)
		running.Go(func() { i.informer.RunWithContext(ctx) })
	}
	return all
}

// follow remembers the versions that the informer tells.
func (w *watched) follow(t *testing.T) {
	w.last = map[string]int64{}
	_, err := w.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    w.saw,
		UpdateFunc: func(_, obj any) { w.saw(obj) },
		DeleteFunc: w.saw,
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (w *watched) saw(obj any) {
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = gone.Obj
	}
	o, err := meta.Accessor(obj)
	if err != nil {
		panic(err)
	}
	version, _ := strconv.ParseInt(o.GetResourceVersion(), 10, 64)
	key := o.GetNamespace() + "/" + o.GetName()
	w.mu.Lock()
	defer w.mu.Unlock()
	if version < w.last[key] {
		w.back = append(w.back, fmt.Sprintf("%s from %d to %d", key, w.last[key], version))
	}
	w.last[key] = version
}

// held is what the informer's store holds, by namespace and name.
func (w *watched) held(t *testing.T) map[string]map[string]any {
	t.Helper()
	held := map[string]map[string]any{}
	for _, o := range w.informer.GetStore().List() {
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		w.put(t, held, text)
	}
	return held
}

// put adds an object as JSON, without what lists leave out, and without what the informer does not hold.
func (w *watched) put(t *testing.T, held map[string]map[string]any, text []byte) {
	t.Helper()
	var o map[string]any
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatal(err)
	}
	delete(o, "kind")
	delete(o, "apiVersion")
	if w.metadata {
		delete(o, "data")
		delete(o, "spec")
	}
	m := o["metadata"].(map[string]any)
	held[fmt.Sprint(m["namespace"], "/", m["name"])] = o
}

// agree waits until every informer holds what a fresh list shows, and checks that no version went back on the way.
func (s *restartable) agree(t *testing.T, all []*watched, when string) {
	t.Helper()
	s.agreeOn(t, "/api/v1/configmaps", all, when)
}

// agreeOn is agree for the objects at a path.
func (s *restartable) agreeOn(t *testing.T, path string, all []*watched, when string) {
	t.Helper()
	var list struct{ Items []json.RawMessage }
	if err := json.Unmarshal(programtest.Send(t, programtest.NewClient(), "GET", s.p.URL+path, nil), &list); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(3 * time.Minute) // a reflector may wait for one before it begins again
	for _, w := range all {
		want := map[string]map[string]any{}
		for _, item := range list.Items {
			w.put(t, want, item)
		}
		for !reflect.DeepEqual(w.held(t), want) && time.Now().Before(deadline) {
			time.Sleep(20 * time.Millisecond)
		}
		if got := w.held(t); !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: the %s informer holds %d objects, the list %d; %s", when, w.name, len(got), len(want), firstDifference(got, want))
		}
		w.mu.Lock()
		if len(w.back) > 0 {
			t.Errorf("%s: versions went back for the %s informer: %v", when, w.name, w.back)
		}
		w.mu.Unlock()
	}
}

func firstDifference(got, want map[string]map[string]any) string {
	keys := maps.Clone(want)
	maps.Copy(keys, got)
	for k := range keys {
		if !reflect.DeepEqual(got[k], want[k]) {
			return fmt.Sprintf("%s is %v, want %v", k, got[k], want[k])
		}
	}
	return "no difference any more"
}

// checkHow proves by the flows that the informers began as they were told to, and that the compaction made them begin
// again.
func (s *restartable) checkHow(t *testing.T, streaming bool) {
	t.Helper()
	flows, missed := s.p.Log.Since(0, 0)
	streams, expired := 0, 0
	for _, f := range flows {
		if strings.Contains(f.Query, "sendInitialEvents=true") {
			streams++
		}
		if f.Status == http.StatusGone || f.Watch != nil && strings.Contains(f.Message, "expired") {
			expired++
		}
	}
	if missed.All() > 0 || streaming != (streams >= 4) || expired == 0 {
		t.Errorf("of %d flows (%+v missed) %d were streaming lists and %d met a 410", len(flows), missed, streams, expired)
	}
}

// writeAll has four writers create, change and delete ConfigMaps of two namespaces at once.
func (s *restartable) writeAll(t *testing.T, round int) {
	t.Helper()
	var writers sync.WaitGroup
	for n := range 4 {
		writers.Go(func() { s.write(t, n, round) })
	}
	writers.Wait()
}

// writing does something in the middle of writeAll.
func (s *restartable) writing(t *testing.T, round int, do func()) {
	t.Helper()
	var both sync.WaitGroup
	both.Go(func() { s.writeAll(t, round) })
	do()
	both.Wait()
}

// write is one writer: its objects share names with those of other rounds, so that deleted ones come again.
func (s *restartable) write(t *testing.T, writer, round int) {
	url := s.p.URL + "/api/v1/namespaces/" + []string{"default", "kube-public"}[writer%2] + "/configmaps"
	for i := range 25 {
		name := fmt.Sprintf("w%d-%d", writer, (i+7*round)%40)
		if code, text := programtest.Call(t, "POST", url, "application/json", string(programtest.ConfigMap(name))); code != 201 && code != 409 {
			t.Errorf("create %s: %d %s", name, code, text)
		}
		data := fmt.Sprintf(`{"data":{"round":"%d","i":"%d"}}`, round, i)
		if code, text := programtest.Call(t, "PATCH", url+"/"+name, "application/merge-patch+json", data); code != 200 {
			t.Errorf("patch %s: %d %s", name, code, text)
		}
		if i%5 != 0 {
			continue
		}
		if code, text := programtest.Call(t, "DELETE", url+"/"+name, "", ""); code != 200 {
			t.Errorf("delete %s: %d %s", name, code, text)
		}
	}
}

// A wire is the connections of a client, which can be cut.
type wire struct {
	mu    sync.Mutex
	down  bool
	conns []net.Conn
}

func (w *wire) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.down {
		return nil, syscall.ECONNREFUSED // what makes a reflector try the same watch again, not begin anew
	}
	c, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err == nil {
		w.conns = append(w.conns, c)
	}
	return c, err
}

// cut closes all connections; stay keeps new ones from being made.
func (w *wire) cut(stay bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = stay
	for _, c := range w.conns {
		c.Close()
	}
	w.conns = nil
}

func (w *wire) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = false
}

// client-go's pager sees one state, page by page, while others write; when that state is compacted under it, it falls
// back to a whole list.
func TestPager(t *testing.T) {
	s := startAgain(t)
	s.writeAll(t, 0)
	client := kubernetes.NewForConfigOrDie(&rest.Config{Host: s.p.URL, QPS: -1}).CoreV1().ConfigMaps("")
	for _, compacts := range []bool{false, true} {
		t.Run(fmt.Sprintf("compacted=%v", compacts), func(t *testing.T) {
			before, err := client.List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			pages, whole := 0, false
			p := pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
				l, err := client.List(ctx, o)
				pages++
				whole = o.Limit == 0
				if pages == 2 {
					s.writeAll(t, pages)
				}
				if pages == 2 && compacts {
					programtest.Send(t, programtest.NewClient(), "POST", s.p.URL+"/debug/compact", nil)
				}
				return l, err
			})
			p.PageSize = 10
			got, paged, err := p.ListWithAlloc(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			want := before
			if compacts {
				if want, err = client.List(t.Context(), metav1.ListOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			items, err := meta.ExtractList(got)
			if err != nil {
				t.Fatal(err)
			}
			if len(items) != len(want.Items) || pages < 3 || whole != compacts || !paged {
				t.Fatalf("%d objects in %d requests (whole %v, paged %v), want %d", len(items), pages, whole, paged, len(want.Items))
			}
			for i := range items {
				if have := items[i].(*corev1.ConfigMap); !reflect.DeepEqual(have, &want.Items[i]) {
					t.Errorf("item %d is %s at %s, want %s at %s", i, have.Name, have.ResourceVersion, want.Items[i].Name, want.Items[i].ResourceVersion)
				}
			}
		})
	}
}
