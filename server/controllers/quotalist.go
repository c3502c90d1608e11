package controllers

import (
	"context"
	"encoding/json"
	"errors"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
)

// lister gives the official evaluators a way to list what they count.
func (c *counter) lister(gvr schema.GroupVersionResource) (cache.GenericLister, error) {
	return lister{c, gvr.GroupResource()}, nil
}

// A lister lists one resource, a namespace at a time, whenever it is asked: nothing is kept between two counts.
type lister struct {
	*counter
	resource schema.GroupResource
}

var errByNamespace = errors.New("quotas are counted by namespace")

func (l lister) List(labels.Selector) ([]runtime.Object, error) { return nil, errByNamespace }
func (l lister) Get(string) (runtime.Object, error)             { return nil, errByNamespace }
func (l lister) ByNamespace(namespace string) cache.GenericNamespaceLister {
	return namespaceLister{l, namespace}
}

type namespaceLister struct {
	lister
	namespace string
}

func (l namespaceLister) Get(string) (runtime.Object, error) { return nil, errByNamespace }

// List returns the objects of the namespace: whole where more is counted than that they are there.
func (l namespaceLister) List(labels.Selector) (all []runtime.Object, err error) {
	ctx := context.Background()
	in, err := l.served(ctx, l.resource)
	if err != nil {
		return nil, err
	}
	client := l.counting(in)
	_, failed := client.list(ctx, pathOf(in, l.namespace), func(text json.RawMessage) {
		var obj runtime.Object = &metav1.PartialObjectMetadata{}
		if of := whole[in.GroupResource()]; of != nil {
			obj = of()
		}
		if e := json.Unmarshal(text, obj); e != nil {
			err = e
		}
		all = append(all, obj)
	})
	return all, errors.Join(err, failed)
}

// whole are the resources of which a quota counts more than that their objects are there, so that a change may matter.
var whole = map[schema.GroupResource]func() runtime.Object{
	{Resource: "pods"}:                                        func() runtime.Object { return &corev1.Pod{} },
	{Resource: "services"}:                                    func() runtime.Object { return &corev1.Service{} },
	{Resource: "persistentvolumeclaims"}:                      func() runtime.Object { return &corev1.PersistentVolumeClaim{} },
	{Group: resourcev1.GroupName, Resource: "resourceclaims"}: func() runtime.Object { return &resourcev1.ResourceClaim{} },
}

// counting is the client that reads as much of a resource's objects as is counted.
func (c *counter) counting(in schema.GroupVersionResource) Client {
	client := c.Client
	if whole[in.GroupResource()] == nil {
		client.Accept = metadataList
	}
	return client
}
