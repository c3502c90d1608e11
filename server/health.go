package server

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/version"

	"kubarium/codecs"
	"kubarium/server/answer"
	"kubarium/server/route"
	"kubarium/server/storage"
)

// Kubernetes is the version of the API that is served.
const (
	kubernetesMajor = "1"
	kubernetesMinor = "37"
	// KubernetesVersion is the release whose behaviour is followed.
	KubernetesVersion = "v1.37.2"
)

// serveVersion answers /version as "kubectl version" reads it.
func (s *Server) serveVersion(q *Request) (*answer.Answer, error) {
	if q.Method != http.MethodGet {
		return nil, route.ErrNoMethod
	}
	if err := (codecs.Offer{Codecs: []*codecs.Codec{codecs.JSON}}).Route(q.Header.Get("Accept")); err != nil {
		return nil, err
	}
	return answer.Indented(version.Info{
		Major: kubernetesMajor, Minor: kubernetesMinor, EmulationMajor: kubernetesMajor, EmulationMinor: kubernetesMinor,
		MinCompatibilityMajor: kubernetesMajor, MinCompatibilityMinor: "36",
		GitVersion: KubernetesVersion + "+kubarium", GitTreeState: "clean",
		GoVersion: runtime.Version(), Compiler: runtime.Compiler, Platform: runtime.GOOS + "/" + runtime.GOARCH,
	})
}

// checks are the health checks by name, as /readyz?verbose lists them.
func (s *Server) checks() map[string]error {
	checks := map[string]error{"ping": nil, "log": nil, "storage": nil, "shutdown": s.closing.Err()}
	if s.o.Ready != nil {
		checks["storage"] = s.o.Ready()
	}
	return checks
}

// serveHealth answers /healthz, /livez and /readyz. Only readiness ends with the server's own end. A server whose
// etcd is away lives, as kube-apiserver does: to start it again would not help.
func (s *Server) serveHealth(q *Request) (*answer.Answer, error) {
	name := strings.Trim(q.URL.Path, "/")
	checks := s.checks()
	if name != "readyz" {
		delete(checks, "shutdown")
	}
	if name == "livez" && errors.Is(checks["storage"], storage.ErrUnreachable) {
		delete(checks, "storage")
	}
	var b strings.Builder
	failed := false
	for _, c := range sortedKeys(checks) {
		if err := checks[c]; err != nil {
			failed = true
			fmt.Fprintf(&b, "[-]%s failed: %v\n", c, err)
			continue
		}
		fmt.Fprintf(&b, "[+]%s ok\n", c)
	}
	_, verbose := q.Query["verbose"]
	switch {
	case failed:
		return answer.Text(http.StatusInternalServerError, b.String()+name+" check failed\n"), nil
	case verbose:
		return answer.Text(http.StatusOK, b.String()+name+" check passed\n"), nil
	}
	return answer.Text(http.StatusOK, "ok"), nil
}

// passed is the answer of one check that passes.
func passed() *answer.Answer {
	return &answer.Answer{Raw: []byte("ok"), ContentType: "text/plain; charset=utf-8"}
}

// serveHealthCheck answers one check.
func (s *Server) serveHealthCheck(q *Request) (*answer.Answer, error) {
	_, name, _ := strings.Cut(strings.Trim(q.URL.Path, "/"), "/")
	if err := s.checks()[name]; err != nil {
		return answer.Text(http.StatusInternalServerError, fmt.Sprintf("internal server error: %v\n", err)), nil
	}
	return passed(), nil
}

// serveMetrics answers /metrics in one of Prometheus' forms, compressed for those who take it.
func (s *Server) serveMetrics(q *Request) (*answer.Answer, error) {
	return &answer.Answer{Stream: func(w *answer.Response) {
		w.Reused = true
		w.Header().Set("Cache-Control", "no-cache, private")
		q.Flow.Enter("respond")
		s.metrics.ServeHTTP(w, q.Request)
		q.Flow.Leave("", nil)
	}}, nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
