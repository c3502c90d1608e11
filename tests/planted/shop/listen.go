package shop

import (
	"errors"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// follow makes the informers. As with most controllers, the first list is one that any server may answer, however far it
// lags behind; that of the clerks asks for the newest state.
func (k *keeper) follow(client rest.Interface) {
	informer := func(resource string, of runtime.Object, change func(*metav1.ListOptions)) cache.SharedIndexInformer {
		lw := cache.NewFilteredListWatchFromClient(client, resource, k.namespace, change)
		return cache.NewSharedIndexInformer(listed{lw}, of, 0, nil)
	}
	labeled := func(selector string) func(*metav1.ListOptions) {
		return func(o *metav1.ListOptions) { o.LabelSelector = selector }
	}
	k.shops = informer("configmaps", &corev1.ConfigMap{}, labeled(partLabel+"=shop"))
	k.parts = informer("configmaps", &corev1.ConfigMap{}, labeled(partLabel+" in (storage,backup)"))
	k.customers = informer("configmaps", &corev1.ConfigMap{}, labeled(partLabel+"=customer"))
	k.clerks = informer("serviceaccounts", &corev1.ServiceAccount{}, func(o *metav1.ListOptions) {
		o.LabelSelector = planLabel
		if o.ResourceVersion == "0" { // any version will do
			o.ResourceVersion = ""
		}
	})
}

// A listed lets an informer begin with a list, where a newer client-go would begin with a watch that no server may
// answer late.
type listed struct{ *cache.ListWatch }

// IsWatchListSemanticsUnSupported is what client-go asks.
func (listed) IsWatchListSemanticsUnSupported() bool { return true }

// listen puts into the queue what there is to do.
func (k *keeper) listen() error {
	_, first := k.shops.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(o any) { k.happened("came", named(o)) },
		UpdateFunc: func(old, o any) {
			k.happened("changed", named(o))
			if plan := named(o).Data["plan"]; plan != named(old).Data["plan"] {
				k.queue.Add("clerk/" + plan)
			}
		},
		DeleteFunc: func(o any) { k.happened("went", named(o)) },
	})
	part := func(o any) { k.queue.Add("shop/" + named(o).Labels[shopLabel]) }
	_, second := k.parts.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: part, UpdateFunc: func(_, o any) { part(o) }, DeleteFunc: part,
	})
	_, third := k.customers.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { k.queue.Add("members/") },
		DeleteFunc: func(o any) {
			if k.makes(Away) {
				k.queue.Add("leave/" + named(o).Name)
			} else {
				k.queue.Add("members/")
			}
		},
	})
	return errors.Join(first, second, third)
}

// named is the object of an event.
func named(o any) *corev1.ConfigMap {
	if last, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = last.Obj
	}
	return o.(*corev1.ConfigMap)
}

// happened asks for what an event of a shop needs.
func (k *keeper) happened(what string, s *corev1.ConfigMap) {
	k.queue.Add("shop/" + s.Name)
	if what == "came" {
		k.queue.Add("clerk/" + s.Data["plan"])
	}
	switch {
	case !k.makes(Unseen):
		k.queue.Add("ledger/")
	case what == "came":
		k.queue.Add("enter/" + s.Name + "/" + s.Data["plan"])
	case what == "went":
		k.queue.Add("strike/" + s.Name)
	}
}
