package customresource

import (
	"context"
	"fmt"
	"sync/atomic"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	kubeversion "k8s.io/apimachinery/pkg/version"
	"k8s.io/apiserver/pkg/registry/rest"

	"kubarium/server/kinds"
)

// A kind has what the rows of one definition share.
type kind struct {
	crd       *apiextensionsv1.CustomResourceDefinition // without schemas
	text      text
	form      string
	versions  map[string]*version
	storage   *kinds.Kind
	converter func() (managedfields.TypeConverter, error)
	webhooks  *webhooks   // for those that hasWebhook
	outdated  atomic.Bool // an object was found in a version that is gone
}

// row makes the row of one version.
func (k *kind) row(v *version) *kinds.Kind {
	names := k.crd.Status.AcceptedNames
	row := &kinds.Kind{
		GroupVersionKind: schema.GroupVersionKind{Group: k.crd.Spec.Group, Version: v.Name, Kind: names.Kind},
		Resource:         names.Plural,
		Singular:         names.Singular,
		ListKind:         names.ListKind,
		ShortNames:       names.ShortNames,
		Categories:       names.Categories,
		Namespaced:       k.crd.Spec.Scope == apiextensionsv1.NamespaceScoped,
		Key:              k.crd.Spec.Group + "/" + names.Plural,
		Subresources:     map[string]rest.RESTUpdateStrategy{},
		Dynamic:          true,
		Remote:           k.hasWebhook(),
		Unreadable:       k.outdated.Load,
		Warnings:         k.warnings(v),
	}
	if v.Subresources != nil && v.Subresources.Scale != nil {
		row.Scale = scale(v.Subresources.Scale)
	}
	row.Forms = forms{v, k.selectable(), context.Background()}
	if row.Remote {
		row.For = func(ctx context.Context) kinds.Forms { return forms{v, row.Forms.(forms).look, ctx} }
	}
	row.Printer = v.printer()
	var status rest.RESTUpdateStrategy
	if row.Strategy, status = v.strategies(row); status != nil {
		row.Subresources["status"] = status
	}
	v.row = row
	return row
}

// warnings go with every answer of a deprecated version.
func (k *kind) warnings(v *version) []string {
	switch {
	case !v.Deprecated:
		return nil
	case v.DeprecationWarning != nil:
		return []string{*v.DeprecationWarning}
	}
	text := fmt.Sprintf("%s/%s %s is deprecated", k.crd.Spec.Group, v.Name, k.crd.Spec.Names.Kind)
	newer := ""
	for _, other := range k.crd.Spec.Versions {
		if other.Served && !other.Deprecated && kubeversion.CompareKubeAwareVersionStrings(v.Name, other.Name) < 0 &&
			(newer == "" || kubeversion.CompareKubeAwareVersionStrings(newer, other.Name) < 0) {
			newer = other.Name
		}
	}
	if newer != "" {
		text += fmt.Sprintf("; use %s/%s %s", k.crd.Spec.Group, newer, k.crd.Spec.Names.Kind)
	}
	return []string{text}
}
