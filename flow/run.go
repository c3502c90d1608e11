package flow

import (
	"net/http"
	"strings"
)

// Run is the key of the run of kubectl that sent the request; "" for other clients.
//
// A run is one process of kubectl. Its requests have the same Kubectl-Session header, which is the key. Requests
// without it are known by their connection, the client's address and port: the /version that some builds of kubectl
// send first, and all of them with KUBECTL_COMMAND_HEADERS=false. A session that begins on a connection takes over the
// requests without one that came on it before: they are of the same run, although their key differs. Later requests
// on the same address and port are of another process.
func (c Client) Run() string {
	switch {
	case c.Session != "":
		return c.Session
	case isKubectl(c.UserAgent):
		return c.Remote
	}
	return ""
}

// Program is a key of the program that sent the request: the parts of one program share what its watches are sent,
// but often have names of their own ("kube-controller-manager/v1.37.0 (linux/amd64) kubernetes/0f1e2d3/shared-informers").
// It is the name up to the first slash, the host and the port; a run of kubectl, an actor of a lesson and the reader at
// the screen are programs of their own.
func (c Client) Program() string {
	if run := c.Run(); run != "" {
		return run
	}
	if strings.HasPrefix(c.UserAgent, LessonAgent) || byReader(c.UserAgent) {
		return c.UserAgent
	}
	name, _, _ := strings.Cut(c.UserAgent, "/")
	host := c.Remote
	if i := strings.LastIndexByte(host, ':'); i >= 0 {
		host = host[:i]
	}
	return name + "@" + host + c.Via
}

// isKubectl recognizes kubectl, and builds and wrappers of it such as "kubectl-1.37".
func isKubectl(agent string) bool { return strings.HasPrefix(agent, "kubectl") }

// Discovery reports whether the request asked only what the server serves, and was answered: for its version, its
// groups and resources, or its OpenAPI documents.
func (f *Flow) Discovery() bool {
	if f.Method != http.MethodGet || f.Target.Resource != "" || f.Status == 0 || f.Status >= 400 {
		return false
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(f.Path, "/"), "/")
	return first == "version" || first == "api" || first == "apis" || first == "openapi"
}
