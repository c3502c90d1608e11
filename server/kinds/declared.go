package kinds

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
)

// AsDeclared reports whether the declared rules of a built-in kind find nothing wrong with an object in its internal
// form that is created, with a nil old one, or updated. It asks what official code asks (apiserver,
// rest.ValidateDeclarativelyWithMigrationChecks), but copies nothing. false means that there are faults, or that only
// official code can decide.
func AsDeclared(ctx context.Context, obj, old runtime.Object, c rest.DeclarativeValidationConfig) (fine bool) {
	defer func() {
		if recover() != nil {
			fine = false // official code makes it a fault
		}
	}()
	info, ok := request.RequestInfoFrom(ctx)
	if !ok || info.Subresource != "" {
		return false
	}
	gv := schema.GroupVersion{Group: info.APIGroup, Version: info.APIVersion}
	if c.SubresourceGVKMapper != nil {
		gv = c.SubresourceGVKMapper.GroupVersionKind(gv).GroupVersion()
	}
	is, err := convert.ConvertToVersion(obj, gv)
	if err != nil {
		return false
	}
	if old == nil {
		return len(Scheme.Validate(ctx, c.Options, is)) == 0
	}
	was, err := convert.ConvertToVersion(old, gv)
	return err == nil && len(Scheme.ValidateUpdate(ctx, c.Options, is, was)) == 0
}
