package program_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	clientfeatures "k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"kubarium/app/program"
	"kubarium/app/program/programtest"
)

var gadgets = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "gadgets"}

// gadgetDefinition defines Gadgets, whose spec has these properties, told in JSON.
func gadgetDefinition(t testing.TB, spec string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	text := `{"metadata":{"name":"gadgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
		"names":{"plural":"gadgets","singular":"gadget","kind":"Gadget","listKind":"GadgetList","shortNames":["gd"]},
		"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{
			"type":"object","properties":{"spec":{"type":"object","properties":{` + spec + `}},
			"status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}]}}`
	var crd apiextensionsv1.CustomResourceDefinition
	if err := json.Unmarshal([]byte(text), &crd); err != nil {
		t.Fatal(err)
	}
	return &crd
}

// define creates the definition of Gadgets and waits until it is established.
func define(t testing.TB, config *rest.Config, spec string) {
	t.Helper()
	client := apiextensions.NewForConfigOrDie(config).ApiextensionsV1().CustomResourceDefinitions()
	if _, err := client.Create(t.Context(), gadgetDefinition(t, spec), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	programtest.Eventually(t, "an established definition", func() bool {
		crd, err := client.Get(t.Context(), "gadgets.example.com", metav1.GetOptions{})
		return err == nil && apihelpers.IsCRDConditionTrue(crd, apiextensionsv1.Established)
	})
}

func gadget(name string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": map[string]any{"name": name}, "spec": spec,
	}}
}

// What client-go knows of a custom resource it knows from discovery as soon as the definition is established.
func TestDefinitions_discovery(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	config := &rest.Config{Host: p.URL, QPS: -1}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(discovery.NewDiscoveryClientForConfigOrDie(config)))
	kind := schema.GroupKind{Group: gadgets.Group, Kind: "Gadget"}
	if m, err := mapper.RESTMapping(kind); err == nil {
		t.Fatalf("found %v before it is defined", m.Resource)
	}
	define(t, config, `"size":{"type":"integer"}`)
	begin := time.Now()
	programtest.Eventually(t, "a mapping", func() bool {
		mapper.Reset()
		m, err := mapper.RESTMapping(kind)
		return err == nil && m.Resource == gadgets && m.Scope.Name() == "namespace"
	})
	t.Logf("found %v after it was seen established", time.Since(begin))
	if r, err := mapper.ResourceFor(schema.GroupVersionResource{Resource: "gadgets"}); err != nil || r != gadgets {
		t.Errorf("gadgets are %v, %v", r, err)
	}
}

// A definition whose conversion webhook has no valid certificates is not established until it has, and says so as kube-apiserver
// 1.37 does.
func TestDefinitions_badBundle(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	client := apiextensions.NewForConfigOrDie(&rest.Config{Host: p.URL, QPS: -1}).ApiextensionsV1().CustomResourceDefinitions()
	crd, url := gadgetDefinition(t, `"size":{"type":"integer"}`), "https://127.0.0.1:1/"
	crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.WebhookConverter, Webhook: &apiextensionsv1.WebhookConversion{
		ConversionReviewVersions: []string{"v1"}, ClientConfig: &apiextensionsv1.WebhookClientConfig{URL: &url, CABundle: []byte("x")},
	}}
	crd, err := client.Create(t.Context(), crd, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	established := func(want apiextensionsv1.CustomResourceDefinitionCondition) func() bool {
		return func() bool {
			if crd, err = client.Get(t.Context(), "gadgets.example.com", metav1.GetOptions{}); err != nil {
				t.Fatal(err)
			}
			c := apihelpers.FindCRDCondition(crd, apiextensionsv1.Established)
			return c != nil && c.Status == want.Status && c.Reason == want.Reason && c.Message == want.Message
		}
	}
	programtest.Eventually(t, "a bad bundle", established(apiextensionsv1.CustomResourceDefinitionCondition{
		Status: apiextensionsv1.ConditionFalse, Reason: "InvalidCABundle", Message: "The conversion webhook CABundle is invalid",
	}))
	if code, body := programtest.Call(t, "GET", p.URL+"/apis/example.com/v1", "", ""); code != 404 {
		t.Errorf("discovery has it: %d %s", code, body)
	}
	crd.Spec.Conversion.Webhook.ClientConfig.CABundle = nil
	if _, err := client.Update(t.Context(), crd, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	programtest.Eventually(t, "an established definition", established(apiextensionsv1.CustomResourceDefinitionCondition{
		Status: apiextensionsv1.ConditionTrue, Reason: "InitialNamesAccepted", Message: "the initial names have been accepted",
	}))
}

// client-go's dynamic client does with a custom resource what it does with any.
func TestDefinitions_dynamicClient(t *testing.T) {
	p := programtest.MustStart(t, "normal")
	config := &rest.Config{Host: p.URL, QPS: -1}
	define(t, config, `"size":{"type":"integer","maximum":10,"default":1},"color":{"type":"string"}`)
	client, ctx := dynamic.NewForConfigOrDie(config).Resource(gadgets).Namespace("default"), t.Context()
	size := func(o *unstructured.Unstructured) int64 {
		n, _, _ := unstructured.NestedInt64(o.Object, "spec", "size")
		return n
	}
	made, err := client.Create(ctx, gadget("a", map[string]any{"dropped": true}), metav1.CreateOptions{})
	if err != nil || size(made) != 1 || made.GetGeneration() != 1 {
		t.Fatalf("created %v, %v", made, err)
	}
	if _, has, _ := unstructured.NestedFieldNoCopy(made.Object, "spec", "dropped"); has {
		t.Error("an unknown field has been kept")
	}
	_, err = client.Create(ctx, gadget("b", map[string]any{"size": int64(11)}), metav1.CreateOptions{})
	if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "spec.size in body should be less than or equal to 10") {
		t.Errorf("too large a size: %v", err)
	}
	_, err = client.Create(ctx, gadget("b", map[string]any{"nope": true}), metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	if !apierrors.IsBadRequest(err) || !strings.Contains(err.Error(), `unknown field "spec.nope"`) {
		t.Errorf("an unknown field: %v", err)
	}
	next := made.DeepCopy()
	next.Object["spec"] = map[string]any{"size": int64(2)}
	if next, err = client.Update(ctx, next, metav1.UpdateOptions{}); err != nil || size(next) != 2 || next.GetGeneration() != 2 {
		t.Errorf("updated to %v, %v", next, err)
	}
	made.Object["spec"] = map[string]any{"size": int64(3)}
	if _, err = client.Update(ctx, made, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("an update of what has changed: %v", err)
	}
	next, err = client.Patch(ctx, "a", types.MergePatchType, []byte(`{"spec":{"size":4}}`), metav1.PatchOptions{})
	if err != nil || size(next) != 4 {
		t.Errorf("patched to %v, %v", next, err)
	}
	next.Object["status"] = map[string]any{"phase": "Ready"}
	next.Object["spec"] = map[string]any{"size": int64(9)}
	next, err = client.UpdateStatus(ctx, next, metav1.UpdateOptions{})
	if err != nil || size(next) != 4 || next.GetGeneration() != 3 {
		t.Errorf("its status updated to %v, %v", next, err)
	}
	_, err = client.Apply(ctx, "a", gadget("a", map[string]any{"size": int64(5)}), metav1.ApplyOptions{FieldManager: "other"})
	if !apierrors.IsConflict(err) || !strings.Contains(err.Error(), ".spec.size") {
		t.Errorf("applied what another has: %v", err)
	}
	next, err = client.Apply(ctx, "a", gadget("a", map[string]any{"size": int64(5)}), metav1.ApplyOptions{FieldManager: "other", Force: true})
	if err != nil || size(next) != 5 {
		t.Errorf("applied by force: %v, %v", next, err)
	}
	if err := client.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
	if l, err := client.List(ctx, metav1.ListOptions{}); err != nil || len(l.Items) != 0 || l.GetKind() != "GadgetList" {
		t.Errorf("left are %v, %v", l, err)
	}
}

// Informers on a custom resource hold what a fresh list shows: after writes, after a change of the schema that makes all
// objects look different, after the kind has gone and come again, and after a restart.
func TestDefinitions_informers(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for reflectors that back off, some ten seconds")
	}
	for _, streaming := range []bool{false, true} {
		t.Run(fmt.Sprintf("WatchList=%v", streaming), func(t *testing.T) {
			featurestesting.SetFeatureDuringTest(t, clientfeatures.WatchListClient, streaming)
			s := &restartable{config: program.Config{Listen: programtest.FreeAddress(t), DB: filepath.Join(t.TempDir(), "k.db"), History: 5 * time.Minute, Sync: "normal"}}
			s.start(t)
			t.Cleanup(func() { s.close(t) })
			config := &rest.Config{Host: s.p.URL, QPS: -1}
			define(t, config, `"size":{"type":"integer"},"color":{"type":"string"}`)
			informers := gadgetInformers(t, config)
			s.writeGadgets(t, 0)
			s.agreeOn(t, gadgetsPath, informers, "after writes")

			client := apiextensions.NewForConfigOrDie(config).ApiextensionsV1().CustomResourceDefinitions()
			crd, err := client.Get(t.Context(), "gadgets.example.com", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			crd.Spec = gadgetDefinition(t, `"size":{"type":"integer"},"shape":{"type":"string","default":"round"}`).Spec
			if _, err := client.Update(t.Context(), crd, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			programtest.Eventually(t, "the new schema", func() bool {
				_, text := programtest.Call(t, "GET", s.p.URL+gadgetsPath, "", "")
				return strings.Contains(text, `"shape":"round"`) && !strings.Contains(text, `"color"`)
			})
			s.agreeOn(t, gadgetsPath, informers, "after a change of the schema")
			s.writeGadgets(t, 1)
			s.agreeOn(t, gadgetsPath, informers, "after writes under the new schema")

			s.restart(t)
			s.writeGadgets(t, 2)
			s.agreeOn(t, gadgetsPath, informers, "after a restart")

			if err := client.Delete(t.Context(), "gadgets.example.com", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			programtest.Eventually(t, "the end of the definition", func() bool {
				code, _ := programtest.Call(t, "GET", s.p.URL+gadgetsPath, "", "")
				return code == 404
			})
			define(t, config, `"size":{"type":"integer"}`)
			s.writeGadgets(t, 3)
			s.agreeOn(t, gadgetsPath, informers, "after the kind came again")
		})
	}
}

const gadgetsPath = "/apis/example.com/v1/gadgets"

// gadgetInformers starts a dynamic and a metadata informer on all Gadgets.
func gadgetInformers(t *testing.T, config *rest.Config) []*watched {
	all := []*watched{
		{name: "dynamic", informer: dynamicinformer.NewDynamicSharedInformerFactory(dynamic.NewForConfigOrDie(config), 0).ForResource(gadgets).Informer()},
		{name: "metadata", metadata: true, informer: metadatainformer.NewSharedInformerFactory(metadata.NewForConfigOrDie(config), 0).ForResource(gadgets).Informer()},
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

// writeGadgets creates, changes and deletes Gadgets.
func (s *restartable) writeGadgets(t *testing.T, round int) {
	t.Helper()
	url := s.p.URL + "/apis/example.com/v1/namespaces/default/gadgets"
	for i := range 20 {
		name := fmt.Sprintf("g%d", (i+7*round)%30)
		body := fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":%q},"spec":{"color":"red"}}`, name)
		if code, text := programtest.Call(t, "POST", url, programtest.JSONType, body); code != 201 && code != 409 {
			t.Errorf("create %s: %d %s", name, code, text)
		}
		programtest.MustCall(t, 200, "PATCH", url+"/"+name, programtest.MergeType, fmt.Sprintf(`{"spec":{"size":%d}}`, 100*round+i))
		if i%5 == 0 {
			programtest.MustCall(t, 200, "DELETE", url+"/"+name, "", "")
		}
	}
}
