package program_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	applyapps "k8s.io/client-go/applyconfigurations/apps/v1"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	applymeta "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/dynamic"
	clientfeatures "k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	watchtools "k8s.io/client-go/tools/watch"
	"k8s.io/client-go/util/retry"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
	"kubarium/flow"
)

var deployments = appsv1.SchemeGroupVersion.WithResource("deployments")

// protobuf is the configuration of a client that writes and reads Protobuf and nothing else.
func protobuf(p *program.Program) *rest.Config {
	return &rest.Config{Host: p.URL, QPS: -1, ContentConfig: rest.ContentConfig{
		ContentType: runtime.ContentTypeProtobuf, AcceptContentTypes: runtime.ContentTypeProtobuf}}
}

// checkForm proves by the flows that all bodies, both ways, were of one form, but for patches and for what has no body.
func checkForm(t *testing.T, p *program.Program, form string) {
	t.Helper()
	flows, _ := p.Log.Since(0, 0)
	seen := 0
	for _, f := range flows {
		sent, got := f.RequestHeader.Get("Content-Type"), f.ResponseHeader.Get("Content-Type")
		if f.Phase == flow.WatchOpened || f.Client.Own() || !strings.Contains(f.RequestHeader.Get("Accept"), form) {
			continue
		}
		seen++
		if !strings.HasPrefix(got, form) || f.Method != "PATCH" && sent != "" && sent != form {
			t.Errorf("%s %s: sent %q, got %q", f.Method, f.Path, sent, got)
		}
	}
	if seen < 10 {
		t.Errorf("only %d requests in %s", seen, form)
	}
}

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// A typed clientset that speaks Protobuf does every verb.
func TestClients_protobuf(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	client := kubernetes.NewForConfigOrDie(protobuf(p))
	ctx := t.Context()
	ds := client.AppsV1().Deployments("default")
	one := must[*appsv1.Deployment](t)
	labels := map[string]string{"a": "b"}
	d := one(ds.Create(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "d"}, Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}},
	}}, metav1.CreateOptions{}))
	w := must[watch.Interface](t)(ds.Watch(ctx, metav1.ListOptions{ResourceVersion: d.ResourceVersion, AllowWatchBookmarks: true}))
	defer w.Stop()
	stale := d.DeepCopy()
	d.Labels = labels
	d = one(ds.Update(ctx, d, metav1.UpdateOptions{FieldManager: "updater"}))
	stale.Labels = map[string]string{"late": "yes"}
	if _, err := ds.Update(ctx, stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("stale update: %v", err)
	}
	d.Status.ReadyReplicas, d.Status.Replicas = 1, 1
	one(ds.UpdateStatus(ctx, d, metav1.UpdateOptions{}))
	d = one(ds.Patch(ctx, "d", types.StrategicMergePatchType, []byte(`{"spec":{"template":{"spec":{"containers":[{"name":"c","image":"j"}]}}}}`), metav1.PatchOptions{}))
	if d.Generation != 2 || d.Status.ReadyReplicas != 1 || d.Spec.Template.Spec.Containers[0].Image != "j" {
		t.Errorf("%+v", d)
	}
	s := must[*autoscalingv1.Scale](t)(ds.GetScale(ctx, "d", metav1.GetOptions{}))
	s.Spec.Replicas = 4
	if s = must[*autoscalingv1.Scale](t)(ds.UpdateScale(ctx, "d", s, metav1.UpdateOptions{})); s.Spec.Replicas != 4 {
		t.Errorf("%+v", s)
	}
	if _, err := ds.Apply(ctx, applyapps.Deployment("d", "default").WithSpec(applyapps.DeploymentSpec().WithReplicas(5)), metav1.ApplyOptions{FieldManager: "applier"}); !apierrors.IsConflict(err) {
		t.Errorf("apply: %v", err)
	}
	d = one(ds.Apply(ctx, applyapps.Deployment("d", "default").WithSpec(applyapps.DeploymentSpec().WithReplicas(5)), metav1.ApplyOptions{FieldManager: "applier", Force: true}))
	extracted := must[*applyapps.DeploymentApplyConfiguration](t)(applyapps.ExtractDeployment(d, "applier"))
	if extracted.Spec == nil || extracted.Spec.Replicas == nil || *extracted.Spec.Replicas != 5 || extracted.Spec.Template != nil {
		t.Errorf("extracted %+v", extracted.Spec)
	}
	if l := must[*appsv1.DeploymentList](t)(ds.List(ctx, metav1.ListOptions{LabelSelector: "a=b"})); len(l.Items) != 1 {
		t.Errorf("%d deployments", len(l.Items))
	}
	if err := ds.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "a=b"}); err != nil {
		t.Error(err)
	}
	if _, err := ds.Get(ctx, "d", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("after the deletion: %v", err)
	}
	var seen []watch.EventType
	for e := range w.ResultChan() {
		if seen = append(seen, e.Type); e.Type == watch.Deleted || e.Type == watch.Error {
			break
		}
	}
	if fmt.Sprint(seen) != "[MODIFIED MODIFIED MODIFIED MODIFIED MODIFIED DELETED]" {
		t.Errorf("events %v", seen)
	}
	checkForm(t, p, runtime.ContentTypeProtobuf)
}

// The metadata client sees and changes metadata alone, of built-in kinds in Protobuf and of ones own in JSON.
func TestClients_metadata(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	programtest.MustCall(t, 201, "POST", p.URL+"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", programtest.JSONType, twoVersions)
	gears := schema.GroupVersionResource{Group: "example.com", Version: "v2", Resource: "gears"}
	programtest.Eventually(t, "the kind", func() bool {
		code, _ := programtest.Call(t, "GET", p.URL+"/apis/example.com/v2/namespaces/default/gears", "", "")
		return code == 200
	})
	programtest.MustCall(t, 201, "POST", p.URL+"/api/v1/namespaces/default/configmaps", programtest.JSONType, `{"metadata":{"name":"a","labels":{"l":"x"}},"data":{"k":"v"}}`)
	programtest.MustCall(t, 201, "POST", p.URL+"/apis/example.com/v1/namespaces/default/gears", programtest.JSONType, `{"apiVersion":"example.com/v1","kind":"Gear","metadata":{"name":"a","labels":{"l":"x"}},"spec":{"size":1}}`)
	client := metadata.NewForConfigOrDie(&rest.Config{Host: p.URL, QPS: -1})
	ctx := t.Context()
	for _, r := range []schema.GroupVersionResource{configMaps, gears} {
		c := client.Resource(r).Namespace("default")
		one := must[*metav1.PartialObjectMetadata](t)
		got := one(c.Get(ctx, "a", metav1.GetOptions{}))
		if got.Name != "a" || got.Labels["l"] != "x" || got.ResourceVersion == "" {
			t.Errorf("%s: %+v", r.Resource, got)
		}
		l := must[*metav1.PartialObjectMetadataList](t)(c.List(ctx, metav1.ListOptions{LabelSelector: "l=x", Limit: 1}))
		if len(l.Items) != 1 || l.ResourceVersion == "" || l.Items[0].UID != got.UID {
			t.Errorf("%s: %+v", r.Resource, l)
		}
		w := must[watch.Interface](t)(c.Watch(ctx, metav1.ListOptions{ResourceVersion: l.ResourceVersion}))
		got = one(c.Patch(ctx, "a", types.MergePatchType, []byte(`{"metadata":{"annotations":{"n":"1"}}}`), metav1.PatchOptions{FieldManager: "m"}))
		e := <-w.ResultChan()
		seen, ok := e.Object.(*metav1.PartialObjectMetadata)
		if !ok || e.Type != watch.Modified || seen.ResourceVersion != got.ResourceVersion || seen.Annotations["n"] != "1" {
			t.Errorf("%s: %s %+v, patched to %s", r.Resource, e.Type, e.Object, got.ResourceVersion)
		}
		w.Stop()
		version := l.ResourceVersion
		if err := c.Delete(ctx, "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &version}}); !apierrors.IsConflict(err) {
			t.Errorf("%s: %v", r.Resource, err)
		}
		if err := c.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: "metadata.name=a"}); err != nil {
			t.Error(err)
		}
		if _, err := c.Get(ctx, "a", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("%s: %v", r.Resource, err)
		}
	}
}

// The dynamic client does every verb on built-in kinds and on ones own, in JSON and in CBOR.
func TestClients_dynamic(t *testing.T) {
	for _, cbor := range []bool{false, true} {
		t.Run(fmt.Sprintf("CBOR=%v", cbor), func(t *testing.T) {
			featurestesting.SetFeatureDuringTest(t, clientfeatures.ClientsAllowCBOR, cbor)
			featurestesting.SetFeatureDuringTest(t, clientfeatures.ClientsPreferCBOR, cbor)
			p := programtest.MustStart(t, "normal")
			programtest.MustCall(t, 201, "POST", p.URL+"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", programtest.JSONType, twoVersions)
			programtest.Eventually(t, "the kind", func() bool {
				code, _ := programtest.Call(t, "GET", p.URL+"/apis/example.com/v1/namespaces/default/gears", "", "")
				return code == 200
			})
			client := dynamic.NewForConfigOrDie(&rest.Config{Host: p.URL, QPS: -1})
			template := map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "b"}},
				"spec": map[string]any{"containers": []any{map[string]any{"name": "c", "image": "i"}}}}
			dynamicVerbs(t, client.Resource(deployments).Namespace("default"), "apps/v1", "Deployment", "replicas", map[string]any{
				"replicas": int64(1), "selector": map[string]any{"matchLabels": map[string]any{"a": "b"}}, "template": template}, "readyReplicas")
			dynamicVerbs(t, client.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "gears"}).Namespace("default"),
				"example.com/v1", "Gear", "size", map[string]any{"size": int64(1)}, "seen")
			if cbor {
				checkForm(t, p, "application/cbor")
			}
		})
	}
}

// dynamicVerbs does every verb on an object whose spec has a number called by field, its status one called seen.
func dynamicVerbs(t *testing.T, c dynamic.ResourceInterface, apiVersion, kind, field string, spec map[string]any, seen string) {
	t.Helper()
	ctx := t.Context()
	one := must[*unstructured.Unstructured](t)
	object := func(rest map[string]any) *unstructured.Unstructured {
		o := map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": "a"}}
		for k, v := range rest {
			o[k] = v
		}
		return &unstructured.Unstructured{Object: o}
	}
	number := func(u *unstructured.Unstructured, path ...string) int64 {
		n, _, err := unstructured.NestedInt64(u.Object, path...)
		if err != nil {
			t.Error(err)
		}
		return n
	}
	made := one(c.Create(ctx, object(map[string]any{"spec": spec}), metav1.CreateOptions{}))
	w := must[watch.Interface](t)(c.Watch(ctx, metav1.ListOptions{ResourceVersion: made.GetResourceVersion()}))
	defer w.Stop()
	if err := unstructured.SetNestedField(made.Object, int64(2), "spec", field); err != nil {
		t.Fatal(err)
	}
	made = one(c.Update(ctx, made, metav1.UpdateOptions{}))
	if err := unstructured.SetNestedField(made.Object, int64(1), "status", seen); err != nil {
		t.Fatal(err)
	}
	if kind == "Deployment" {
		_ = unstructured.SetNestedField(made.Object, int64(1), "status", "replicas")
	}
	made = one(c.UpdateStatus(ctx, made, metav1.UpdateOptions{}))
	if number(made, "spec", field) != 2 || number(made, "status", seen) != 1 {
		t.Errorf("%v", made.Object)
	}
	made = one(c.Patch(ctx, "a", types.JSONPatchType, fmt.Appendf(nil, `[{"op":"replace","path":"/spec/%s","value":3}]`, field), metav1.PatchOptions{}))
	if number(made, "spec", field) != 3 || made.GetGeneration() != 3 {
		t.Errorf("%v", made.Object)
	}
	configuration := object(map[string]any{"spec": map[string]any{field: int64(4)}})
	if _, err := c.Apply(ctx, "a", configuration, metav1.ApplyOptions{FieldManager: "applier"}); !apierrors.IsConflict(err) {
		t.Errorf("apply: %v", err)
	}
	one(c.Apply(ctx, "a", configuration, metav1.ApplyOptions{FieldManager: "applier", Force: true}))
	made = one(c.ApplyStatus(ctx, "a", object(map[string]any{"status": map[string]any{seen: int64(1)}}), metav1.ApplyOptions{FieldManager: "applier"}))
	if number(made, "spec", field) != 4 {
		t.Errorf("%v", made.Object)
	}
	if l := must[*unstructured.UnstructuredList](t)(c.List(ctx, metav1.ListOptions{})); len(l.Items) != 1 || l.Items[0].GetKind() != kind || l.Items[0].GetUID() != made.GetUID() {
		t.Errorf("%+v", l)
	}
	uid := made.GetUID()
	if err := c.Delete(ctx, "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}}); err != nil {
		t.Error(err)
	}
	last := ""
	for e := range w.ResultChan() {
		u, ok := e.Object.(*unstructured.Unstructured)
		if !ok {
			t.Fatalf("%s %+v", e.Type, e.Object)
		}
		if u.GetResourceVersion() <= last && len(u.GetResourceVersion()) <= len(last) {
			t.Errorf("version %s after %s", u.GetResourceVersion(), last)
		}
		if last = u.GetResourceVersion(); e.Type == watch.Deleted {
			break
		}
	}
}

// Writers who retry on conflict lose no update, as client-go's own helper does it.
func TestClients_retryOnConflict(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	cms := kubernetes.NewForConfigOrDie(protobuf(p)).CoreV1().ConfigMaps("default")
	must[*corev1.ConfigMap](t)(cms.Apply(t.Context(), applycore.ConfigMap("a", "default").WithData(map[string]string{"x": "y"}), metav1.ApplyOptions{FieldManager: "m"}))
	var writers sync.WaitGroup
	for i := range 8 {
		writers.Go(func() {
			for j := range 5 {
				backoff := retry.DefaultBackoff
				backoff.Steps = 100
				err := retry.RetryOnConflict(backoff, func() error {
					cm, err := cms.Get(t.Context(), "a", metav1.GetOptions{})
					if err != nil {
						return err
					}
					cm.Data[fmt.Sprintf("w%d-%d", i, j)] = "x"
					_, err = cms.Update(t.Context(), cm, metav1.UpdateOptions{})
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	if cm := must[*corev1.ConfigMap](t)(cms.Get(t.Context(), "a", metav1.GetOptions{})); len(cm.Data) != 41 {
		t.Errorf("%d of 41 keys", len(cm.Data))
	}
}

// A RetryWatcher lives through cuts without a gap, and tells of the 410 that a compaction means.
func TestClients_retryWatcher(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	wire := &wire{}
	cms := kubernetes.NewForConfigOrDie(&rest.Config{Host: p.URL, QPS: -1, Dial: wire.dial}).CoreV1().ConfigMaps("default")
	url := p.URL + "/api/v1/namespaces/default/configmaps"
	programtest.MustCall(t, 201, "POST", url, programtest.JSONType, `{"metadata":{"name":"a"}}`)
	list := must[*corev1.ConfigMapList](t)(cms.List(t.Context(), metav1.ListOptions{}))
	w := must[*watchtools.RetryWatcher](t)(watchtools.NewRetryWatcherWithContext(t.Context(), list.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.FieldSelector = fields.OneTermEqualSelector("metadata.name", "a").String()
			return cms.Watch(ctx, o)
		}}))
	defer w.Stop()
	for i := range 30 {
		programtest.MustCall(t, 200, "PATCH", url+"/a", programtest.MergeType, fmt.Sprintf(`{"data":{"n":"%d"}}`, i))
		if i%10 == 5 {
			wire.cut(false)
		}
	}
	for i := range 30 {
		e, ok := <-w.ResultChan()
		if cm, is := e.Object.(*corev1.ConfigMap); !ok || !is || cm.Data["n"] != fmt.Sprint(i) {
			t.Fatalf("event %d is %s %+v", i, e.Type, e.Object)
		}
	}
	wire.cut(true)
	programtest.MustCall(t, 200, "PATCH", url+"/a", programtest.MergeType, `{"data":{"n":"unseen"}}`)
	programtest.MustCall(t, 201, "POST", url, programtest.JSONType, `{"metadata":{"name":"b"}}`)
	programtest.MustCall(t, 200, "POST", p.URL+"/debug/compact", "", "")
	wire.mend()
	e := <-w.ResultChan()
	if err := apierrors.FromObject(e.Object); e.Type != watch.Error || !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
		t.Errorf("%s %+v", e.Type, e.Object)
	}
}

// Candidates elect one leader by a Lease; when it goes, another one follows.
func TestClients_leaderElection(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	client := kubernetes.NewForConfigOrDie(protobuf(p))
	led := make(chan string, 10)
	var leading sync.Mutex
	candidate := func(ctx context.Context, id string) {
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: &resourcelock.LeaseLock{LeaseMeta: metav1.ObjectMeta{Namespace: "default", Name: "lock"}, Client: client.CoordinationV1(),
				LockConfig: resourcelock.ResourceLockConfig{Identity: id}},
			LeaseDuration: 60 * time.Second, RenewDeadline: 40 * time.Second, RetryPeriod: 100 * time.Millisecond, ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(ctx context.Context) {
					if !leading.TryLock() {
						t.Error("two leaders")
						return
					}
					led <- id
					<-ctx.Done()
					leading.Unlock()
				},
				OnStoppedLeading: func() {},
			},
		})
	}
	stop := map[string]context.CancelCauseFunc{}
	var all sync.WaitGroup
	for _, id := range []string{"x", "y", "z"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		stop[id] = cancel
		all.Go(func() { candidate(ctx, id) })
	}
	seen := map[string]bool{}
	for range 3 {
		select {
		case id := <-led:
			if seen[id] {
				t.Errorf("%s led twice", id)
			}
			seen[id] = true
			stop[id](errors.New("enough"))
		case <-time.After(time.Minute):
			t.Fatalf("leaders so far: %v", seen)
		}
	}
	all.Wait()
}

// Field paths of an owner reference in an apply configuration arrive as they were meant.
func TestClients_applyOwners(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	cms := kubernetes.NewForConfigOrDie(protobuf(p)).CoreV1().ConfigMaps("default")
	owner := must[*corev1.ConfigMap](t)(cms.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "owner-"}}, metav1.CreateOptions{}))
	if !strings.HasPrefix(owner.Name, "owner-") || len(owner.Name) != len("owner-")+5 {
		t.Error(owner.Name)
	}
	reference := applymeta.OwnerReference().WithAPIVersion("v1").WithKind("ConfigMap").WithName(owner.Name).WithUID(owner.UID)
	child := must[*corev1.ConfigMap](t)(cms.Apply(t.Context(), applycore.ConfigMap("child", "default").WithOwnerReferences(reference).WithFinalizers("example.com/held"),
		metav1.ApplyOptions{FieldManager: "m"}))
	if len(child.OwnerReferences) != 1 || child.OwnerReferences[0].UID != owner.UID || len(child.Finalizers) != 1 {
		t.Errorf("%+v", child)
	}
	child = must[*corev1.ConfigMap](t)(cms.Apply(t.Context(), applycore.ConfigMap("child", "default"), metav1.ApplyOptions{FieldManager: "m"}))
	if len(child.OwnerReferences) != 0 || len(child.Finalizers) != 0 {
		t.Errorf("given up, and still there: %+v", child)
	}
}
