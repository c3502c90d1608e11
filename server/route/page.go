package route

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// findPage finds one of the few paths that are not resources.
func (s *Served) findPage(r *Route, e *Endpoint) error {
	if strings.HasPrefix(r.Path, "//") {
		return ErrNoPath
	}
	path := strings.Trim(r.Path, "/")
	if h := plainPage(path); h != 0 {
		return e.by(h)
	}
	if h := exactPage(strings.TrimPrefix(r.Path, "/")); h != 0 {
		return e.by(h)
	}
	switch parts := strings.Split(path, "/"); {
	case parts[0] == "version", parts[0] == "api" && !s.Serves("", parts[1]):
		return ErrNoResource
	case parts[0] == "api":
		e.GroupVersion.Version = parts[1]
		return e.by(Resources)
	case parts[0] == "apis" && len(parts) == 2 && (s.Serves(parts[1], "") || s.Lists != nil && s.Lists(parts[1])):
		e.GroupVersion.Group = parts[1]
		return e.by(Group)
	case parts[0] == "apis" && len(parts) == 3 && s.Serves(parts[1], parts[2]):
		e.GroupVersion = schema.GroupVersion{Group: parts[1], Version: parts[2]}
		return e.by(Resources)
	case parts[0] == "apis" && len(parts) == 3 && s.BuiltIn(parts[1]):
		return ErrNoResource
	}
	return ErrNoPath
}

// plainPage is the handler of a path in whose end a slash does not matter, or 0.
func plainPage(path string) Handler {
	switch path {
	case "":
		return Paths
	case "api":
		return CoreVersions
	case "version":
		return Version
	case "openid/v1/jwks":
		return KeySet
	case ".well-known/openid-configuration":
		return OpenID
	}
	return 0
}

// exactPage is the handler of a path that must be written just so, or 0.
func exactPage(path string) Handler {
	switch {
	case path == "apis", path == "apis/":
		return Groups
	case path == "healthz", path == "livez", path == "readyz":
		return Health
	case isHealthCheck(path):
		return HealthCheck
	case path == "metrics":
		return Metrics
	case path == "index.html":
		return Paths
	case path == "openapi/v2":
		return OpenAPIV2
	case path == "openapi/v3":
		return OpenAPIV3Index
	case strings.HasPrefix(path, "openapi/v3/"):
		return OpenAPIV3
	}
	return 0
}

// isHealthCheck reports whether a path names one check, such as livez/ping.
func isHealthCheck(path string) bool {
	root, name, found := strings.Cut(path, "/")
	return found && (root == "healthz" || root == "livez" || root == "readyz") &&
		slices.Contains([]string{"ping", "log", "storage", "shutdown"}, name)
}
