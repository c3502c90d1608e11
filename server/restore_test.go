package server_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"k8s.io/apiserver/pkg/authorization/authorizer"

	"kubarium/server"
	"kubarium/server/authz"
	"kubarium/server/storage"
)

// A watch that begins behind a restore is one that was allowed behind it.
func TestServer_Restore_watch(t *testing.T) {
	var store storage.Store
	var snapshots storage.Snapshots
	asked := 0
	url, _ := mustServe(t, func(o *server.Options) {
		store, snapshots = o.Registry.Store, o.Registry.Store.(storage.Snapshots)
		guard, err := authz.New(authz.Modes{authz.ModeAlwaysDeny}, nil)
		if err != nil {
			t.Fatal(err)
		}
		o.Registry.Authorizer, guard.Authorizer = guard, authorizer.AuthorizerFunc(func(ctx context.Context, _ authorizer.Attributes) (authorizer.Decision, string, error) {
			if asked++; asked > 1 {
				return authorizer.DecisionAllow, "", nil
			}
			_, err := snapshots.Restore(ctx, "s")
			return authorizer.DecisionAllow, "", err
		})
	})
	if _, err := snapshots.SaveSnapshot(t.Context(), "s", storage.SaveNew); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Write(t.Context(), storage.Write{Op: storage.OpCreate, Key: storage.NewKey("namespaces", "", "later"), Value: []byte(`{"metadata":{"name":"later"}}`)}); err != nil {
		t.Fatal(err)
	}
	code, text := send(t, url, request{method: "GET", path: "/api/v1/namespaces?watch=true&timeoutSeconds=1"})
	if code != http.StatusOK || asked != 2 || strings.Contains(text, "later") {
		t.Errorf("allowed %d times, %d %s", asked, code, text)
	}
}
