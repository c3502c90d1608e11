package controllers

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/codecs"
)

// remove begins to delete the objects of a definition that is being deleted, unless that is under way.
func (c *definer) remove(ctx context.Context, d *definition) {
	if !slices.Contains(d.Finalizers, apiextensionsv1.CustomResourceCleanupFinalizer) || !c.busy.take(d.Name) {
		return
	}
	c.wg.Go(func() {
		defer c.busy.release(d.Name)
		for wait := 20 * time.Millisecond; ctx.Err() == nil; wait = min(2*wait, 5*time.Second) {
			if c.removeOnce(ctx, d.Name) {
				return
			}
			sleep(ctx, wait)
		}
	})
}

// removeOnce deletes the objects of a kind, and lets the definition go when none are left. It returns true when there
// is nothing more to do.
func (c *definer) removeOnce(ctx context.Context, name string) bool {
	d, err := c.get(ctx, name)
	if err != nil {
		return isNotFound(err)
	}
	if d.DeletionTimestamp == nil || !slices.Contains(d.Finalizers, apiextensionsv1.CustomResourceCleanupFinalizer) {
		return true
	}
	if !conditionTrue(d, apiextensionsv1.Established) {
		return c.letGo(ctx, d, "NeverEstablished", "resource was never established")
	}
	c.say(ctx, d, condition(apiextensionsv1.Terminating, apiextensionsv1.ConditionTrue, "InstanceDeletionInProgress", "CustomResource deletion is in progress"))
	left, err := c.deleteObjects(ctx, d)
	if err != nil {
		c.say(ctx, d, condition(apiextensionsv1.Terminating, apiextensionsv1.ConditionTrue, "InstanceDeletionFailed", fmt.Sprintf("could not issue all deletes: %v", err)))
		return false
	}
	if left > 0 {
		return false
	}
	return c.letGo(ctx, d, "InstanceDeletionCompleted", "removed all instances")
}

// say sets the condition Terminating, if it says something new.
func (c *definer) say(ctx context.Context, d *definition, cond apiextensionsv1.CustomResourceDefinitionCondition) {
	crd := &apiextensionsv1.CustomResourceDefinition{Status: d.Status}
	if old := apihelpers.FindCRDCondition(crd, cond.Type); apihelpers.IsCRDConditionEquivalent(old, &cond) {
		return
	}
	setDefinitionCondition(crd, cond)
	d.Status = crd.Status
	c.write(ctx, d)
}

// letGo removes the finalizer, with a condition about the deletion of the objects.
func (c *definer) letGo(ctx context.Context, d *definition, reason, message string) bool {
	crd := &apiextensionsv1.CustomResourceDefinition{Status: d.Status}
	setDefinitionCondition(crd, condition(apiextensionsv1.Terminating, apiextensionsv1.ConditionFalse, reason, message))
	d.Status = crd.Status
	d.Finalizers = slices.DeleteFunc(slices.Clone(d.Finalizers), func(f string) bool { return f == apiextensionsv1.CustomResourceCleanupFinalizer })
	return c.write(ctx, d)
}

// deleteObjects deletes the objects of a kind, namespace by namespace, and returns how many remain, which finalizers hold.
func (c *definer) deleteObjects(ctx context.Context, d *definition) (left int, err error) {
	at, err := d.resource()
	if err != nil {
		return 0, err
	}
	list := func() (metav1.PartialObjectMetadataList, error) {
		var l metav1.PartialObjectMetadataList
		brief := c.Client
		brief.Accept = metadataList
		return l, brief.do(ctx, http.MethodGet, pathOf(at, ""), nil, &l)
	}
	l, err := list()
	if err != nil {
		return 0, err
	}
	namespaces := map[string]bool{}
	for _, o := range l.Items {
		if namespaces[o.Namespace] || o.DeletionTimestamp != nil {
			continue
		}
		namespaces[o.Namespace] = true
		if err := c.do(ctx, http.MethodDelete, pathOf(at, o.Namespace), nil, nil); err != nil {
			return len(l.Items), err
		}
	}
	if len(namespaces) > 0 {
		l, err = list()
	}
	return len(l.Items), err
}

// resource is the one that has the objects of an established kind: in any version that is served, or, while the definition is
// being deleted, in the stored one.
func (d *definition) resource() (schema.GroupVersionResource, error) {
	versions, err := d.versions()
	if err != nil {
		return schema.GroupVersionResource{}, err
	}
	served, stored := "", ""
	for _, v := range versions {
		if v.Served {
			served = v.Name
		}
		if v.Storage {
			stored = v.Name
		}
	}
	return schema.GroupVersionResource{Group: d.group, Version: cmp.Or(served, stored), Resource: d.names.Plural}, nil
}

// A definedVersion is a version without its schema.
type definedVersion struct {
	Name    string `json:"name"`
	Served  bool   `json:"served"`
	Storage bool   `json:"storage"`
}

func (d *definition) versions() (all []definedVersion, err error) {
	err = json.Unmarshal(codecs.Member(d.spec, "versions"), &all)
	return all, err
}

// servedVersions are the group versions that the definition serves; none if its versions cannot be read.
func (d *definition) servedVersions() []schema.GroupVersion {
	if d.served == nil {
		d.served = []schema.GroupVersion{}
		versions, _ := d.versions()
		for _, v := range versions {
			if v.Served {
				d.served = append(d.served, schema.GroupVersion{Group: d.group, Version: v.Name})
			}
		}
	}
	return d.served
}
