package apitest_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kubarium/apitest"
)

// Rules act on the requests that they mean, as often as they say, until they are removed; other rules stay.
func TestServer_Faults(t *testing.T) {
	s := apitest.Start(t)
	maps := mustDial(t, s.Config).Resource(configMaps).Namespace("default")
	m := mustCreate(t, maps, configMap("a"))
	n := 0
	update := func() error {
		n++
		m.Object["data"] = map[string]any{"n": fmt.Sprint(n)}
		got, err := maps.Update(t.Context(), m, metav1.UpdateOptions{})
		if err == nil {
			m = got
		}
		return err
	}
	remove := func() error { return maps.Delete(t.Context(), "a", metav1.DeleteOptions{}) }
	undo := s.Faults("refuse 409 after 1 once on verb:update res:configmaps", "refuse 500 on verb:delete res:configmaps")
	s.Faults("refuse 429 on verb:list res:configmaps # it stays")
	if err := update(); err != nil {
		t.Error("the first update:", err)
	}
	if err := update(); !apierrors.IsConflict(err) {
		t.Error("the second update:", err)
	}
	if err := update(); err != nil {
		t.Error("the third update:", err)
	}
	if err := remove(); !apierrors.IsInternalError(err) {
		t.Error("the delete:", err)
	}
	s.AtMost(1, "fault:yes code:409 verb:update")
	s.AtLeast(2, "fault:yes")
	undo()
	undo() // it does nothing
	if err := remove(); err != nil {
		t.Error("the delete after undo:", err)
	}
	if _, err := maps.List(t.Context(), metav1.ListOptions{}); !apierrors.IsTooManyRequests(err) {
		t.Error("the other rule:", err)
	}
}

// What a rule holds goes on when it is removed.
func TestServer_Faults_Undo(t *testing.T) {
	s := apitest.Start(t)
	maps := mustDial(t, s.Config).Resource(configMaps).Namespace("default")
	undo := s.Faults("hold on verb:create res:configmaps")
	done := make(chan error, 1)
	go func() {
		_, err := maps.Create(t.Context(), configMap("a"), metav1.CreateOptions{})
		done <- err
	}()
	for end := time.Now().Add(time.Minute); held(t, s) == "[]"; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no request is held")
		}
	}
	select {
	case err := <-done:
		t.Fatal("it was not held:", err)
	default:
	}
	undo()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// held are the requests that a server holds, as JSON.
func held(t testing.TB, s *apitest.Server) string {
	t.Helper()
	resp, err := http.Get(s.URL + "/debug/held")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// A rule that is not valid fails the test, and the others are not added.
func TestServer_Faults_Errors(t *testing.T) {
	said := hear(t, func(t testing.TB) {
		s := apitest.Start(t)
		defer func() {
			if _, err := mustDial(t, s.Config).Resource(configMaps).Namespace("default").List(t.Context(), metav1.ListOptions{}); err != nil {
				t.Errorf("a rule was added: %v", err)
			}
		}()
		s.Faults("refuse 500", "refuse 99")
	})
	if len(said) != 1 || said[0] != `apitest: faults: line 2: refuse needs a status between 400 and 599, not "99"` {
		t.Errorf("%q", said)
	}
}
