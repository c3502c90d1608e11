package scenarios

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"

	"kubarium/scenarios/expr"
)

// NeedRBAC is the need of a lesson in which roles decide who may do what.
const NeedRBAC = "RBAC"

// Lacks says what the lesson needs and the server does not have, "" if it has all. A path is served if a GET of it is answered
// with 200, or with 405: something is there, for another method.
func (p *Player) Lacks(ctx context.Context) (string, error) {
	for _, need := range p.Lesson.Needs {
		if need == NeedRBAC {
			continue
		}
		if what, err := p.lacksPath(ctx, need); what != "" || err != nil {
			return what, err
		}
	}
	return p.unfit(ctx)
}

// unfit says why the lesson can never be played against this server, whatever its API; "" if it can.
func (p *Player) unfit(ctx context.Context) (string, error) {
	if len(p.Lesson.Servers) > 0 && !onThisMachine(p.Server) {
		return "the server does not run on this machine, so it cannot reach those that the lesson brings with it", nil
	}
	if slices.Contains(p.Lesson.Needs, NeedRBAC) {
		return p.lacksRBAC(ctx)
	}
	return "", nil
}

func (p *Player) lacksPath(ctx context.Context, path string) (string, error) {
	a, err := p.send(ctx, manager, &Request{Method: http.MethodGet, Path: path})
	if err != nil || a.Status == http.StatusOK || a.Status == http.StatusMethodNotAllowed {
		return "", err
	}
	return "the server does not serve " + path, nil
}

// lacksRBAC asks whether somebody whom no role can mean may do something. Where roles decide, they may not.
func (p *Player) lacksRBAC(ctx context.Context) (string, error) {
	if what, err := p.lacksPath(ctx, "/apis/rbac.authorization.k8s.io/v1"); what != "" || err != nil {
		return what, err
	}
	a, err := p.send(ctx, manager, &Request{Method: http.MethodPost, Path: "/apis/authorization.k8s.io/v1/subjectaccessreviews", Body: map[string]any{
		"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
		"spec": map[string]any{"user": "nobody.example.com", "resourceAttributes": map[string]any{"verb": "delete", "resource": "nodes"}},
	}})
	if err != nil {
		return "", err
	}
	allowed, _ := expr.Lookup(a.object, "status.allowed")
	switch {
	case a.Status != http.StatusCreated:
		return "", fmt.Errorf("ask who may do what: %s", a.brief())
	case allowed == true:
		return "everybody may do everything there: it needs a server with --authorization-mode RBAC", nil
	}
	return "", nil
}

// onThisMachine tells whether the server at an address can reach the loopback interface of the player's machine.
func onThisMachine(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
