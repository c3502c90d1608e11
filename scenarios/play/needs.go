package play

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"kubarium/scenarios"
	"kubarium/scenarios/client"
	"kubarium/scenarios/expr"
)

// lacks returns what the lesson needs and the server does not have, "needs the …, which this server does not serve"; "" if it has
// all. A path is served if a GET of it is answered with 200, or with 405: something is there, for another method.
func lacks(ctx context.Context, c *client.Client) (string, error) {
	for _, need := range c.Lesson.Needs {
		if !strings.HasPrefix(need, "/") {
			continue
		}
		if what, err := lacksPath(ctx, c, need); what != "" || err != nil {
			return what, err
		}
	}
	return unfit(ctx, c)
}

// cannot makes an error of what the server lacks for a lesson.
func cannot(l *scenarios.Lesson, missing string, err error) error {
	if err == nil && missing != "" {
		err = fmt.Errorf("%s cannot be played: it %s", l.Name, missing)
	}
	return err
}

// unfit returns why the lesson cannot be played against this server, whatever it serves; "" if it can.
func unfit(ctx context.Context, c *client.Client) (string, error) {
	if len(c.Lesson.Servers) > 0 && !onThisMachine(c.Server) {
		return "needs a server on this machine, since it brings servers with it that must be reached", nil
	}
	if slices.Contains(c.Lesson.Needs, scenarios.NeedNodes) {
		if what, err := lacksNodes(ctx, c); what != "" || err != nil {
			return what, err
		}
	}
	if slices.Contains(c.Lesson.Needs, scenarios.NeedRBAC) {
		return lacksRBAC(ctx, c)
	}
	return "", nil
}

// lacksNodes looks for a ready node.
func lacksNodes(ctx context.Context, c *client.Client) (string, error) {
	a, err := c.Send(ctx, client.Manager, &scenarios.Request{Method: http.MethodGet, Path: "/api/v1/nodes"})
	if err != nil {
		return "", err
	}
	items, _ := expr.Lookup(a.Object, "items")
	nodes, _ := items.([]any)
	for _, node := range nodes {
		if ready, _ := expr.Lookup(node, "status.conditions[type=Ready].status"); ready == "True" {
			return "", nil
		}
	}
	return "needs a node on which Pods run (--nodes 1), and this server has none that is ready", nil
}

func lacksPath(ctx context.Context, c *client.Client, path string) (string, error) {
	a, err := c.Send(ctx, client.Manager, &scenarios.Request{Method: http.MethodGet, Path: path})
	if err != nil || a.Status == http.StatusOK || a.Status == http.StatusMethodNotAllowed {
		return "", err
	}
	return "needs " + needed(path), nil
}

// ofKubarium are the paths below /debug/ that only a Kubarium server has, with what they are for.
var ofKubarium = map[string]string{
	scenarios.GatePath: "gate for requests",
	"/debug/compact":   "compaction on demand",
	"/debug/flows":     "record of requests",
	"/debug/rows":      "way to change stored rows",
}

// needed says in words what a server lacks that does not serve a path.
func needed(path string) string {
	bare, _, _ := strings.Cut(path, "?")
	ref, ok := scenarios.RefOf(bare)
	switch what := ofKubarium[bare]; {
	case what != "":
		return "the " + what + " of Kubarium (" + bare + "), which this server does not serve"
	case ok && ref.Name != "":
		return "the controllers of a cluster: this server has no " + ref.String() + " in the namespace " + ref.Namespace
	case ok:
		return "the resource " + ref.GroupResource() + ", which this server does not serve"
	case strings.HasPrefix(bare, "/apis/"):
		return "the API group " + strings.TrimPrefix(bare, "/apis/") + ", which this server does not serve"
	}
	return bare + ", which this server does not serve"
}

// lacksRBAC asks whether a user without any role may delete nodes. Where roles decide, the answer is no.
func lacksRBAC(ctx context.Context, c *client.Client) (string, error) {
	if what, err := lacksPath(ctx, c, "/apis/rbac.authorization.k8s.io/v1"); what != "" || err != nil {
		return what, err
	}
	a, err := c.Send(ctx, client.Manager, &scenarios.Request{Method: http.MethodPost, Path: "/apis/authorization.k8s.io/v1/subjectaccessreviews", Body: map[string]any{
		"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
		"spec": map[string]any{"user": "nobody.example.com", "resourceAttributes": map[string]any{"verb": "delete", "resource": "nodes"}},
	}})
	if err != nil {
		return "", err
	}
	allowed, _ := expr.Lookup(a.Object, "status.allowed")
	switch {
	case a.Status != http.StatusCreated:
		return "", fmt.Errorf("ask who may do what: %s", a.Brief())
	case allowed == true:
		return "needs roles that decide (--authorization-mode RBAC): on this server everybody may do everything", nil
	}
	return "", nil
}

// onThisMachine reports whether the server at an address can reach the loopback interface of the player's machine.
func onThisMachine(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
