package several_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"kubarium/etcdstore/etcdtest"
)

// within is how long kube-apiserver takes at most to answer a request or to give up.
const within = time.Minute

// Acknowledged writes stay and are sent once, in order, to watches through any server, while members are killed and cut
// off, leaders change, the history is compacted and servers are restarted; and all requests during that time are
// answered, or refused as kube-apiserver refuses them.
func TestSeveral_Faults(t *testing.T) {
	cluster := etcdtest.Start(t, 3)
	r := &run{t: t, cluster: cluster, stop: make(chan struct{})}
	for i := range r.servers {
		r.servers[i].Store(start(t, cluster))
	}
	var following, writing sync.WaitGroup
	for i := range r.servers {
		f := &follower{run: r, server: i, begun: make(chan struct{})}
		r.followers = append(r.followers, f)
		following.Go(f.follow)
		<-f.begun
	}
	for i := range 6 {
		w := &writer{run: r, name: fmt.Sprint("w-", i), server: i % len(r.servers)}
		r.writers = append(r.writers, w)
		writing.Go(w.write)
	}
	for i, m := range cluster.Members() {
		r.progress("before")
		m.Kill()
		r.progress("with " + m.Name() + " killed")
		m.Restart()
		cluster.Await()
		next := cluster.Members()[(i+1)%3]
		next.Cut()
		r.progress("with " + next.Name() + " cut off")
		next.Mend()
		cluster.Await()
		cluster.MoveLeader(m)
		r.progress("with " + m.Name() + " as the leader")
		r.compact()
		r.progress("after a compaction")
		if i < len(r.servers) {
			old := r.servers[i].Load()
			if err := old.Close(); err != nil {
				t.Error(err)
			}
			r.servers[i].Store(start(t, cluster))
			r.progress("after a restart")
		}
	}
	close(r.stop)
	writing.Wait()
	r.end()
	for _, f := range r.followers {
		await(t, "a follower has had all", func() bool { return f.had("end") })
	}
	r.ended.Store(true)
	for i := range r.servers {
		_ = r.servers[i].Load().Close() // which ends the watches
	}
	following.Wait()
	r.compare()
}

// A run is the state of the test: writers, followers, and faults.
type run struct {
	t         *testing.T
	cluster   *etcdtest.Cluster
	servers   [2]atomic.Pointer[server]
	writers   []*writer
	followers []*follower
	acked     atomic.Int64
	stop      chan struct{}
	ended     atomic.Bool
}

const label = "of=faults"

// progress waits until some more writes have been acknowledged.
func (r *run) progress(when string) {
	r.t.Helper()
	from := r.acked.Load()
	await(r.t, "nothing is acknowledged "+when, func() bool { return r.acked.Load() >= from+30 })
}

// compact compacts in etcd everything that all followers have received, as another client of it would.
func (r *run) compact() {
	r.t.Helper()
	at := int64(1) << 62
	for _, f := range r.followers {
		at = min(at, f.at())
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	if _, err := r.cluster.Client(r.t).Compact(ctx, at); err != nil {
		r.t.Errorf("compact at %d: %v", at, err)
	}
}

// end writes the last object, which all watches receive after all others.
func (r *run) end() {
	r.t.Helper()
	await(r.t, "the last write", func() bool {
		_, err := r.servers[0].Load().api.CoreV1().ConfigMaps("default").Create(r.t.Context(), configMap("end", "1"),
			metav1.CreateOptions{})
		return err == nil || apierrors.IsAlreadyExists(err)
	})
}

func configMap(name, value string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"of": "faults"}},
		Data: map[string]string{"n": value}}
}

// compare compares events with acknowledged writes.
func (r *run) compare() {
	first := r.followers[0]
	for i, f := range r.followers {
		if !slices.IsSortedFunc(f.events, func(a, b told) int { return int(a.revision - b.revision) }) {
			r.t.Errorf("follower %d received events out of order", i)
		}
		for j := 1; j < len(f.events); j++ {
			if f.events[j].revision == f.events[j-1].revision {
				r.t.Errorf("follower %d received %v twice", i, f.events[j])
			}
		}
		if !slices.Equal(f.events, first.events) {
			r.t.Errorf("follower %d received %d events, and the first %d others", i, len(f.events), len(first.events))
		}
	}
	was := map[told]bool{}
	for _, e := range first.events {
		was[e] = true
	}
	n := 0
	for _, w := range r.writers {
		for _, a := range w.acked {
			n++
			if !was[a] {
				r.t.Errorf("%v was acknowledged, and no follower received it", a)
			}
		}
	}
	r.t.Logf("%d writes were acknowledged, %d events received, %d requests refused", n, len(first.events), r.refused())
}

func (r *run) refused() (n int) {
	for _, w := range r.writers {
		n += w.refused
	}
	return n
}

// told is an event, or an acknowledged write.
type told struct {
	kind     watch.EventType
	name     string
	value    string // of a deletion, the last one
	revision int64
}

// A writer creates, updates and deletes an object of its own, through one server and then another.
type writer struct {
	*run
	name    string
	server  int
	acked   []told
	refused int
}

func (w *writer) write() {
	value := "" // that the object has; "" for none
	for n := 1; ; n++ {
		select {
		case <-w.stop:
			return
		default:
		}
		if n%10 == 0 {
			w.server = (w.server + 1) % len(w.servers)
		}
		api := w.servers[w.server].Load().api.CoreV1().ConfigMaps("default")
		ctx, cancel := context.WithTimeout(w.t.Context(), within)
		next := strconv.Itoa(n)
		var err error
		var obj *corev1.ConfigMap
		kind := watch.Modified
		switch {
		case value == "":
			kind = watch.Added
			obj, err = api.Create(ctx, configMap(w.name, next), metav1.CreateOptions{})
		case n%7 == 0:
			kind, next = watch.Deleted, ""
			err = api.Delete(ctx, w.name, metav1.DeleteOptions{})
		default:
			obj, err = api.Update(ctx, configMap(w.name, next), metav1.UpdateOptions{})
		}
		if err != nil {
			w.refuse(ctx, err)
			value = w.look()
			cancel()
			continue
		}
		cancel()
		w.run.acked.Add(1)
		value = next
		if kind != watch.Deleted {
			revision, err := strconv.ParseInt(obj.ResourceVersion, 10, 64)
			if err != nil {
				w.t.Error(err)
			}
			w.acked = append(w.acked, told{kind, w.name, value, revision})
		}
	}
}

// refuse checks that a request was refused as kube-apiserver refuses it: by a timeout, by an error of etcd, or because
// its server ended.
func (w *writer) refuse(ctx context.Context, err error) {
	w.refused++
	if ctx.Err() != nil {
		w.t.Errorf("%s: no answer within %s", w.name, within)
		return
	}
	var status apierrors.APIStatus
	if !asStatus(err, &status) {
		return // the connection has ended
	}
	s := status.Status()
	if s.Code != http.StatusInternalServerError && s.Code != http.StatusGatewayTimeout &&
		s.Code != http.StatusServiceUnavailable && s.Code != http.StatusTooManyRequests {
		w.t.Errorf("%s: %d %s %s", w.name, s.Code, s.Reason, s.Message)
	}
}

// look finds the result of a write without an answer.
func (w *writer) look() string {
	for {
		ctx, cancel := context.WithTimeout(w.t.Context(), within)
		got, err := w.servers[w.server].Load().api.CoreV1().ConfigMaps("default").Get(ctx, w.name, metav1.GetOptions{})
		switch {
		case err == nil:
			cancel()
			return got.Data["n"]
		case apierrors.IsNotFound(err):
			cancel()
			return ""
		}
		w.refuse(ctx, err)
		cancel()
		w.server = (w.server + 1) % len(w.servers)
	}
}

// A follower watches through one server, and resumes when its watch ends, as informers do.
type follower struct {
	*run
	server int
	begun  chan struct{}

	mu       sync.Mutex // guards the rest
	events   []told
	position int64
}

func (f *follower) follow() {
	begun := sync.OnceFunc(func() { close(f.begun) })
	for !f.ended.Load() {
		api := f.servers[f.server].Load().api.CoreV1().ConfigMaps("default")
		if f.at() == 0 {
			list, err := api.List(f.t.Context(), metav1.ListOptions{LabelSelector: label})
			if err != nil || len(list.Items) > 0 {
				f.t.Errorf("%d are there, %v", len(list.Items), err)
			}
			f.move(list.ResourceVersion)
		}
		w, err := api.Watch(f.t.Context(), metav1.ListOptions{LabelSelector: label, ResourceVersion: fmt.Sprint(f.at()),
			AllowWatchBookmarks: true})
		if err != nil {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		begun()
		for e := range w.ResultChan() {
			if !f.take(e) {
				break
			}
		}
		w.Stop()
	}
}

// take notes an event; it returns false if the watch must begin again.
func (f *follower) take(e watch.Event) bool {
	m, ok := e.Object.(*corev1.ConfigMap)
	if !ok {
		f.t.Errorf("follower %d: %s %v", f.server, e.Type, e.Object)
		return false
	}
	revision := f.move(m.ResourceVersion)
	if e.Type != watch.Bookmark {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.events = append(f.events, told{e.Type, m.Name, m.Data["n"], revision})
	}
	return true
}

func (f *follower) move(resourceVersion string) int64 {
	revision, err := strconv.ParseInt(resourceVersion, 10, 64)
	if err != nil {
		f.t.Error(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.position = revision
	return revision
}

func (f *follower) at() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.position
}

func (f *follower) had(name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.events, func(e told) bool { return strings.HasPrefix(e.name, name) })
}

func asStatus(err error, status *apierrors.APIStatus) bool {
	s, ok := err.(apierrors.APIStatus)
	if ok {
		*status = s
	}
	return ok
}
