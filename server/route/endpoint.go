package route

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/registry"
)

// An Endpoint is what serves a request: a handler, and what it is about.
type Endpoint struct {
	Handler Handler
	// Verb is the route's, or what a proxy takes the method for.
	Verb   string
	Target registry.Target // of a resource; without a Kind for a page
	// Virtual is the resource that is not stored, for Ask alone.
	Virtual *registry.Virtual
	// GroupVersion is that of a page of discovery; without a version for Group.
	GroupVersion schema.GroupVersion
	// Warnings go with every answer of the handler, an error as well.
	Warnings []string
}

// A Handler names one of the handlers that a server has. The zero value is none.
type Handler int

// The verbs of what is stored, and of its subresources.
const (
	Get Handler = iota + 1
	List
	Watch
	Create
	Update
	Patch
	Delete
	DeleteCollection
	GetScale
	UpdateScale
	PatchScale
)

// Actions and questions, which are not stored.
const (
	Ask   Handler = iota + PatchScale + 1 // a create of an Endpoint's Virtual
	Token                                 // that of a ServiceAccount
	Binding
	Eviction
	PodNode // log, exec, attach and portforward
	Proxy
	GetComponent
	ListComponents
	WatchComponents // which is refused
)

// Pages: what is not a resource.
const (
	Paths Handler = iota + WatchComponents + 1
	CoreVersions
	Groups
	Group
	Resources
	Version
	KeySet
	OpenID
	Health
	HealthCheck
	Metrics
	OpenAPIV2
	OpenAPIV3Index
	OpenAPIV3
	Debug      // apart from the API, and never found here
	Aggregated // whatever an APIService leads to another server; never found here either

	Handlers // one more than there are
)

// by says which handler answers: the last step of finding.
func (e *Endpoint) by(h Handler) error {
	e.Handler = h
	return nil
}
