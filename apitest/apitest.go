// Package apitest gives a Go test its own Kubernetes API server within milliseconds, and the record of its requests.
//
//	func TestReconcile(t *testing.T) {
//		s := apitest.Start(t, apitest.Options{CRDPaths: []string{"config/crd"}})
//		startManager(t, s.Config)
//		s.Moment("sync")
//		...
//		s.Settle(t.Context())
//		s.AtMost(2, "verb:update sub:status since:sync")
//		s.None("verb:list limit:0 since:sync")
//	}
//
// The servers are Kubarium's and run in one child process, which the first test that needs one starts, and which ends
// with the test binary. It is the program kubarium: from the variable KUBARIUM, from PATH, or a tool that go builds, of
// kubarium.mod next to the go.mod of the test's module (go get -tool -modfile=kubarium.mod), of a module in the folder
// kubarium there, or of the test's module itself. This package links no server.
//
// A server is separate from all others, has a temporary database, and ends with its test. Its defaults are those of
// envtest: RBAC is on, no controllers run, and pods need no ServiceAccount; Options.Args can change that.
package apitest

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
)

// Options configure the server of a test. The zero value is a server without custom resources.
type Options struct {
	// CRDs are CustomResourceDefinitions, CRDPaths files and folders of files with them (.yaml, .yml, .json), in which
	// other objects are ignored. They are served when Start returns.
	CRDs     []runtime.Object
	CRDPaths []string
	// Args are flags of kubarium serve: "--controllers=*", "--runtime-config=api/all=true".
	Args []string
	// Nodes are simulated nodes, 0 to 100. With them Kubernetes' own controllers of workloads and its scheduler run, and Pods
	// go to Running, without containers.
	Nodes int
	// FeatureGates are Kubernetes' own. They apply to a process: servers with other gates run in another child.
	FeatureGates map[string]bool
}

// A Server is an API server that ends with its test.
type Server struct {
	// Config is for the user admin, of system:masters. It has no limit of queries per second.
	Config *rest.Config
	// URL is the plain port on the loopback interface, which needs no credentials: for curl, for kubarium --server, and
	// for a browser (/debug/flows).
	URL string

	t     testing.TB
	child *child
	id    string
	ca    []byte
}

// startWithin is the time limit of a start, even on very busy machines.
const startWithin = time.Minute

// Start starts a server; it fails the test if it cannot.
func Start(t testing.TB, options ...Options) *Server {
	t.Helper()
	var o Options
	switch len(options) {
	case 0:
	case 1:
		o = options[0]
	default:
		t.Fatal("apitest: Start takes one Options")
	}
	ctx, end := context.WithTimeout(t.Context(), startWithin)
	defer end()
	s, err := start(ctx, t, o)
	if err != nil {
		t.Fatalf("apitest: %v", err)
	}
	return s
}

func start(ctx context.Context, t testing.TB, o Options) (*Server, error) {
	definitions, err := o.definitions()
	if err != nil {
		return nil, err
	}
	c, err := childWith(o.FeatureGates)
	if err != nil {
		return nil, err
	}
	var made struct {
		ID         string
		URL        string
		CA         string
		Privileged string
		User       user
	}
	args := o.Args
	if o.Nodes != 0 {
		args = append([]string{fmt.Sprintf("--nodes=%d", o.Nodes)}, args...)
	}
	err = c.call(ctx, http.MethodPost, c.url+"/servers", map[string]any{"args": args, "definitions": definitions}, &made)
	if err != nil {
		return nil, err
	}
	s := &Server{URL: made.Privileged, t: t, child: c, id: made.ID, ca: []byte(made.CA)}
	s.Config = s.config(made.URL, made.User)
	t.Cleanup(s.end)
	return s, nil
}

// end ends the server. The test's own context has ended already.
func (s *Server) end() {
	ctx, end := context.WithTimeout(context.Background(), startWithin)
	defer end()
	if err := s.child.call(ctx, http.MethodDelete, s.child.url+"/servers/"+s.id, nil, nil); err != nil {
		s.t.Errorf("apitest: end the server: %v", err)
	}
}

// ask sends a request to the server's debug paths.
func (s *Server) ask(method, path string, query url.Values, body, answer any) {
	s.t.Helper()
	address := s.URL + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	if err := s.child.call(context.Background(), method, address, body, answer); err != nil {
		s.t.Fatalf("apitest: %v", err)
	}
}
