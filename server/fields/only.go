package fields

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Only lists the fields that a door writes which leaves all others alone; nil for a door that is not so narrow.
func Only(kind schema.GroupKind, subresource string) []*fieldpath.SetMatcher {
	if kind != (schema.GroupKind{Kind: "Pod"}) {
		return nil
	}
	switch any := fieldpath.MatchAnyPathElement(); subresource {
	case "ephemeralcontainers":
		return []*fieldpath.SetMatcher{fieldpath.MakePrefixMatcherOrDie("spec", "ephemeralContainers")}
	case "resize":
		return []*fieldpath.SetMatcher{
			fieldpath.MakePrefixMatcherOrDie("spec", "resources"),
			fieldpath.MakePrefixMatcherOrDie("spec", "containers", any, "resources"),
			fieldpath.MakePrefixMatcherOrDie("spec", "containers", any, "resizePolicy"),
			fieldpath.MakePrefixMatcherOrDie("spec", "initContainers", any, "resources"),
			fieldpath.MakePrefixMatcherOrDie("spec", "initContainers", any, "resizePolicy"),
		}
	}
	return nil
}

// onlyFilter lets the owners of these fields alone be kept.
func onlyFilter(gv schema.GroupVersion, only []*fieldpath.SetMatcher) map[fieldpath.APIVersion]fieldpath.Filter {
	return map[fieldpath.APIVersion]fieldpath.Filter{fieldpath.APIVersion(gv.String()): fieldpath.NewIncludeMatcherFilter(only...)}
}
