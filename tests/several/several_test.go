package several_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"kubarium/app/program"
	"kubarium/etcdstore/etcdtest"
	"kubarium/flow"
	"kubarium/server/authz"
	"kubarium/server/controllers"
)

// patience is the time limit of anything that must happen, on a busy machine.
const patience = time.Minute

// A server is one of several, with a client for only that one.
type server struct {
	*program.Program
	api kubernetes.Interface
}

// start starts a server of a cluster.
func start(t testing.TB, c *etcdtest.Cluster, change ...func(*program.Config)) *server {
	t.Helper()
	config := program.Config{Listen: "127.0.0.1:0", History: 5 * time.Minute, Sync: "full",
		Store: program.Etcd{URL: "etcd://" + strings.Join(hosts(c), ",") + "/several"}}
	for _, f := range change {
		f(&config)
	}
	p, err := program.Start(context.Background(), config, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	select {
	case <-p.Bootstrapped():
	case <-time.After(patience):
		t.Fatal("bootstrap objects are missing")
	}
	return &server{p, kubernetes.NewForConfigOrDie(&rest.Config{Host: p.URL, QPS: -1})}
}

// hosts returns the members of a cluster as host and port.
func hosts(c *etcdtest.Cluster) []string {
	var all []string
	for _, url := range c.Endpoints() {
		all = append(all, strings.TrimPrefix(url, "http://"))
	}
	return all
}

// withControllers enables the controllers.
func withControllers(c *program.Config) { c.Controllers = controllers.All() }

// After one server acknowledges a write, each of them reads it at once, refuses stale versions, and sends it to
// watches, once and in order.
func TestSeveral(t *testing.T) {
	cluster := etcdtest.Start(t, 1)
	a, b := start(t, cluster), start(t, cluster)
	ctx := t.Context()
	told, err := b.api.CoreV1().ConfigMaps("default").Watch(ctx, metav1.ListOptions{LabelSelector: "of=several"})
	if err != nil {
		t.Fatal(err)
	}
	defer told.Stop()
	writers := []*server{a, b}
	var revisions []string
	obj, err := a.api.CoreV1().ConfigMaps("default").Create(ctx,
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "m", Labels: map[string]string{"of": "several"}}},
		metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		revisions = append(revisions, obj.ResourceVersion)
		by, other := writers[i%2].api.CoreV1().ConfigMaps("default"),
			writers[(i+1)%2].api.CoreV1().ConfigMaps("default")
		stale := obj.DeepCopy()
		obj.Data = map[string]string{"n": fmt.Sprint(i)}
		if obj, err = by.Update(ctx, obj, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		if got, err := other.Get(ctx, "m", metav1.GetOptions{}); err != nil ||
			got.ResourceVersion != obj.ResourceVersion {
			t.Errorf("the other reads %s, %v; acknowledged was %s", got.ResourceVersion, err, obj.ResourceVersion)
		}
		list, err := other.List(ctx, metav1.ListOptions{LabelSelector: "of=several"})
		if err != nil || len(list.Items) != 1 || list.Items[0].ResourceVersion != obj.ResourceVersion {
			t.Errorf("the other lists %d, %v", len(list.Items), err)
		}
		stale.Data = map[string]string{"n": "stale"}
		if _, err := other.Update(ctx, stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
			t.Errorf("a stale update through the other: %v", err)
		}
		patched, err := other.Patch(ctx, "m", types.MergePatchType, fmt.Appendf(nil, `{"data":{"p":"%d"}}`, i),
			metav1.PatchOptions{})
		if err != nil || patched.Data["n"] != fmt.Sprint(i) {
			t.Fatalf("a patch through the other is of %v, %v", patched.Data, err)
		}
		revisions, obj = append(revisions, obj.ResourceVersion), patched
	}
	revisions = append(revisions, obj.ResourceVersion)
	if err := b.api.CoreV1().ConfigMaps("default").Delete(ctx, "m", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.api.CoreV1().ConfigMaps("default").Get(ctx, "m", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the other still has it: %v", err)
	}
	for i, want := range revisions {
		e := next(t, told)
		if got := e.Object.(*corev1.ConfigMap).ResourceVersion; got != want || (e.Type == watch.Added) != (i == 0) {
			t.Fatalf("event %d is %s at %s, want %s", i, e.Type, got, want)
		}
	}
	if e := next(t, told); e.Type != watch.Deleted {
		t.Errorf("the last event is %s", e.Type)
	}
	for name, s := range map[string]*server{"a": a, "b": b} {
		own, others := 0, 0
		for _, c := range commits(s) {
			switch {
			case c.Resource != "configmaps" || c.Name != "m":
			case c.Outside:
				others++
			default:
				own++
			}
		}
		if own != 51 || others != 51 {
			t.Errorf("%s shows %d changes as its own and %d as from outside, want 51 of each", name, own, others)
		}
	}
}

func commits(s *server) []flow.Commit {
	all, _ := s.Log.Commits(0)
	return all
}

func next(t *testing.T, w watch.Interface) watch.Event {
	t.Helper()
	select {
	case e, ok := <-w.ResultChan():
		if !ok {
			t.Fatal("the watch has ended")
		}
		return e
	case <-time.After(patience):
		t.Fatal("no event came")
		panic("unreachable")
	}
}

// A change made directly in etcd reaches watches through any server, with the version before it, as one from outside.
func TestSeveral_Etcdctl(t *testing.T) {
	cluster := etcdtest.Start(t, 1)
	a, b := start(t, cluster), start(t, cluster)
	ctx := t.Context()
	client := cluster.Client(t)
	told, err := b.api.CoreV1().ConfigMaps("default").Watch(ctx, metav1.ListOptions{LabelSelector: "of=etcdctl"})
	if err != nil {
		t.Fatal(err)
	}
	defer told.Stop()
	made, err := a.api.CoreV1().ConfigMaps("default").Create(ctx,
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "m", Labels: map[string]string{"of": "etcdctl"}},
			Data: map[string]string{"by": "a"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	next(t, told)
	key := "/several/objects/configmaps/default/m"
	stored, err := client.Get(ctx, key)
	if err != nil || len(stored.Kvs) != 1 {
		t.Fatalf("%d keys, %v", len(stored.Kvs), err)
	}
	line, value, _ := strings.Cut(string(stored.Kvs[0].Value), "\n")
	if got := envelope(t, b); len(got) != 1 || got[0] != line {
		t.Errorf("/debug/rows reports the line %q, in etcd is %q", got, line)
	}
	put, err := client.Put(ctx, key, strings.Replace(value, `"by":"a"`, `"by":"etcdctl"`, 1))
	if err != nil {
		t.Fatal(err)
	}
	e := next(t, told)
	if m := e.Object.(*corev1.ConfigMap); e.Type != watch.Modified || m.Data["by"] != "etcdctl" || m.UID != made.UID ||
		m.ResourceVersion != fmt.Sprint(put.Header.Revision) {
		t.Errorf("%s %s at %s, put at %d", e.Type, m.Data, m.ResourceVersion, put.Header.Revision)
	}
	if got, err := a.api.CoreV1().ConfigMaps("default").Get(ctx, "m", metav1.GetOptions{}); err != nil ||
		got.Data["by"] != "etcdctl" {
		t.Errorf("%v, %v", got.Data, err)
	}
	if got := envelope(t, b); len(got) != 1 || got[0] != "" {
		t.Errorf("/debug/rows reports the line %q for a value that etcdctl put", got)
	}
	if _, err := client.Delete(ctx, key); err != nil {
		t.Fatal(err)
	}
	if e := next(t, told); e.Type != watch.Deleted {
		t.Errorf("%s", e.Type)
	}
	for name, s := range map[string]*server{"a": a, "b": b} {
		i := slices.IndexFunc(commits(s), func(c flow.Commit) bool { return c.Revision == put.Header.Revision })
		if i < 0 || !commits(s)[i].Outside {
			t.Errorf("%s does not show it as from outside", name)
		}
	}
}

// envelope returns a server's report of the line above the value of the ConfigMap m.
func envelope(t *testing.T, s *server) []string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		s.URL+"/debug/rows?resource=configmaps&namespace=default&name=m", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.Header["Kubarium-Envelope"]
}

// No address and no port is allocated twice by servers at the same time, and one that a server released can be
// allocated by another.
func TestSeveral_Services(t *testing.T) {
	cluster := etcdtest.Start(t, 1)
	servers := []*server{start(t, cluster), start(t, cluster), start(t, cluster)}
	ctx := t.Context()
	var mu sync.Mutex
	addresses, ports := map[string]string{}, map[int32]string{}
	var asking sync.WaitGroup
	for i, s := range servers {
		for j := range 2 {
			asking.Go(func() {
				for n := range 20 {
					name := fmt.Sprintf("s-%d-%d-%d", i, j, n)
					made, err := s.api.CoreV1().Services("default").Create(ctx, service(name, ""),
						metav1.CreateOptions{})
					if err != nil {
						t.Errorf("%s: %v", name, err)
						continue
					}
					mu.Lock()
					if other := addresses[made.Spec.ClusterIP]; other != "" {
						t.Errorf("%s has the address of %s", name, other)
					}
					if other := ports[made.Spec.Ports[0].NodePort]; other != "" {
						t.Errorf("%s has the port of %s", name, other)
					}
					addresses[made.Spec.ClusterIP], ports[made.Spec.Ports[0].NodePort] = name, name
					mu.Unlock()
				}
			})
		}
	}
	asking.Wait()
	const address = "10.96.0.77"
	if taken := addresses[address]; taken != "" {
		t.Skip("the address was drawn")
	}
	// All request the same: one gets it.
	won := make([]error, len(servers))
	for i, s := range servers {
		asking.Go(func() {
			_, won[i] = s.api.CoreV1().Services("default").Create(ctx, service(fmt.Sprint("want-", i), address),
				metav1.CreateOptions{})
		})
	}
	asking.Wait()
	winner := -1
	for i, err := range won {
		switch {
		case err == nil && winner >= 0:
			t.Errorf("%d and %d have the same address", winner, i)
		case err == nil:
			winner = i
		case !apierrors.IsInvalid(err):
			t.Errorf("%d: %v", i, err)
		}
	}
	if winner < 0 {
		t.Fatal("no server allocated the address")
	}
	if err := servers[winner].api.CoreV1().Services("default").Delete(ctx, fmt.Sprint("want-", winner),
		metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	// The other server knows of it a moment later, as with several kube-apiservers.
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		_, err := servers[(winner+1)%3].api.CoreV1().Services("default").Create(ctx, service("next", address), metav1.CreateOptions{})
		if err == nil {
			break
		}
		if !apierrors.IsInvalid(err) || time.Now().After(end) {
			t.Fatalf("an address that another has taken back: %v", err)
		}
	}
}

func service(name, ip string) *corev1.Service {
	return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeNodePort, ClusterIP: ip,
			Ports: []corev1.ServicePort{{Port: 80}}}}
}

// No object is created in a namespace that is being deleted, through any server, and it goes when it is empty.
func TestSeveral_Namespaces(t *testing.T) {
	cluster := etcdtest.Start(t, 1)
	a, b := start(t, cluster, withControllers), start(t, cluster, withControllers)
	ctx := t.Context()
	for n := range 5 {
		name := fmt.Sprint("ns-", n)
		if _, err := a.api.CoreV1().Namespaces().Create(ctx,
			&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		var writing, begun sync.WaitGroup
		for i, s := range []*server{a, b, a, b} {
			begun.Add(1)
			writing.Go(func() {
				first := sync.OnceFunc(begun.Done)
				defer first()
				for j := 0; ; j++ {
					_, err := s.api.CoreV1().ConfigMaps(name).Create(ctx,
						&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("m-%d-%d", i, j)}},
						metav1.CreateOptions{})
					if err == nil {
						first()
						continue
					}
					if !apierrors.IsForbidden(err) && !apierrors.IsNotFound(err) || j == 0 {
						t.Errorf("create %d through %d: %v", j, i, err)
					}
					return
				}
			})
		}
		begun.Wait()
		if err := b.api.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
		writing.Wait()
		await(t, "the namespace goes", func() bool {
			_, err := a.api.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
			return apierrors.IsNotFound(err)
		})
		left, err := cluster.Client(t).Get(ctx, "/several/objects/configmaps/"+name+"/", clientv3.WithPrefix())
		if err != nil || left.Count != 0 {
			t.Errorf("%d ConfigMaps are left, %v", left.Count, err)
		}
	}
}

func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what + ": not within a minute")
		}
	}
}

// One of the servers runs the controllers; when it ends another does, at once.
func TestSeveral_Leader(t *testing.T) {
	cluster := etcdtest.Start(t, 1)
	a := start(t, cluster, withControllers)
	leader := func(s *server) string {
		lease, err := s.api.CoordinationV1().Leases("kube-system").Get(t.Context(), "kubarium-controllers",
			metav1.GetOptions{})
		if err != nil || lease.Spec.HolderIdentity == nil {
			return ""
		}
		return *lease.Spec.HolderIdentity
	}
	await(t, "the first leads", func() bool { return leader(a) != "" })
	first := leader(a)
	b := start(t, cluster, withControllers)
	if now := leader(b); now != first {
		t.Errorf("%s leads, and before %s", now, first)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if now := leader(b); now == first {
		t.Error("the Lease was not given back")
	}
	await(t, "the second leads", func() bool { now := leader(b); return now != "" && now != first })
	await(t, "its controllers run", func() bool {
		name := fmt.Sprint("ns-", time.Now().UnixNano())
		if _, err := b.api.CoreV1().Namespaces().Create(t.Context(),
			&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		_, err := b.api.CoreV1().ServiceAccounts(name).Get(t.Context(), "default", metav1.GetOptions{})
		return err == nil
	})
}

// A user that one server authenticates, by a token or by a certificate, the others authenticate too.
func TestSeveral_Credentials(t *testing.T) {
	cluster := etcdtest.Start(t, 1)
	secure := func(c *program.Config) { c.Secure.Listen, c.Modes = "127.0.0.1:0", authz.Modes{} }
	a, b := start(t, cluster, secure, withControllers), start(t, cluster, secure, withControllers)
	if string(a.CA) != string(b.CA) || len(a.CA) == 0 {
		t.Fatal("they have different CAs")
	}
	ctx := t.Context()
	var token string
	await(t, "there is an account", func() bool {
		r, err := a.api.CoreV1().ServiceAccounts("default").CreateToken(ctx, "default",
			&authenticationv1.TokenRequest{}, metav1.CreateOptions{})
		if err == nil {
			token = r.Status.Token
		}
		return err == nil
	})
	for name, s := range map[string]*server{"a": a, "b": b} {
		c := kubernetes.NewForConfigOrDie(&rest.Config{Host: s.Secure, BearerToken: token,
			TLSClientConfig: rest.TLSClientConfig{CAData: a.CA}})
		who, err := c.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{},
			metav1.CreateOptions{})
		if err != nil || who.Status.UserInfo.Username != "system:serviceaccount:default:default" {
			t.Errorf("%s: %q, %v", name, who.Status.UserInfo.Username, err)
		}
	}
	await(t, "both are endpoints, or one if they share an address", func() bool {
		e, err := b.api.CoreV1().Endpoints("default").Get(ctx, "kubernetes", metav1.GetOptions{}) //nolint:staticcheck // what it is deprecated for is what is looked at
		return err == nil && len(e.Subsets) == 1 && len(e.Subsets[0].Addresses) > 0
	})
}

// A request that is too large for etcd is refused as kube-apiserver refuses it.
func TestSeveral_Large(t *testing.T) {
	cluster := etcdtest.Start(t, 1)
	a := start(t, cluster)
	for _, size := range []int{1536<<10 - 400, 1536 << 10, 2 << 20} {
		_, err := a.api.CoreV1().PodTemplates("default").Create(t.Context(), &corev1.PodTemplate{
			ObjectMeta: metav1.ObjectMeta{Name: "large"},
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c",
				Image: "i", Args: []string{strings.Repeat("x", size)}}}}},
		}, metav1.CreateOptions{})
		if !apierrors.IsRequestEntityTooLargeError(err) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}
