package authz_test

import (
	"testing"

	"k8s.io/apiserver/pkg/authentication/user"

	"kubarium/flow"
	"kubarium/server/authz"
)

// What the station costs a request: nothing to speak of with AlwaysAllow, and with RBAC and the bindings that every cluster has
// as long as it takes to look at all bindings where none allows.
func BenchmarkAuthorizer_CheckRequest(b *testing.B) {
	a := mustRBAC(b)
	for _, c := range []struct {
		name string
		a    *authz.Authorizer
		who  user.Info
	}{{"AlwaysAllow", authz.AlwaysAllow(), joe}, {"master", a, root}, {"allowed", a, ann}, {"refused", a, joe}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			get := asked(b, "GET", "/api/v1/namespaces/default/configmaps/mine")
			for b.Loop() {
				_ = c.a.CheckRequest(b.Context(), get, c.who)
			}
		})
		b.Run(c.name+"/recorded", func(b *testing.B) { // on a flow, which notes the rule
			b.ReportAllocs()
			get := asked(b, "GET", "/api/v1/namespaces/default/configmaps/mine")
			f := flow.NewLog(flow.Limits{}).Begin(nil)
			ctx := flow.With(b.Context(), f)
			for b.Loop() {
				f.Flow.Rights, f.Flow.Stations = nil, f.Flow.Stations[:0]
				_ = c.a.CheckRequest(ctx, get, c.who)
			}
		})
	}
}
