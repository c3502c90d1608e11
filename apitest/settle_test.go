package apitest_test

import (
	"context"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/apitest"
)

// Settle returns when nobody asks any more, and fails a test while somebody does, whom it names.
func TestServer_Settle(t *testing.T) {
	said := hear(t, func(h testing.TB) {
		s := apitest.Start(h)
		maps := mustDial(t, s.Config).Resource(configMaps).Namespace("default")
		mustCreate(t, maps, configMap("a"))
		s.Settle(t.Context())
		asking, stop := context.WithCancel(t.Context())
		defer stop()
		go func() {
			for asking.Err() == nil {
				_, _ = maps.Get(asking, "a", metav1.GetOptions{})
				time.Sleep(20 * time.Millisecond)
			}
		}()
		ctx, end := context.WithTimeout(t.Context(), 2*time.Second)
		defer end()
		s.Settle(ctx)
	})
	if len(said) != 1 || !strings.Contains(said[0], "not settled after ") || !strings.Contains(said[0], "get configmaps default/a, ") {
		t.Errorf("%q", said)
	}
}
