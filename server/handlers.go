package server

import (
	"kubarium/server/answer"
	"kubarium/server/route"
)

// A handler does the work of one endpoint and returns its answer.
type handler func(s *Server, q *Request) (*answer.Answer, error)

// handlers are all there are, by their names.
var handlers = [route.Handlers]handler{
	route.Get: (*Server).serveGet, route.List: (*Server).serveList, route.Watch: (*Server).serveWatch,
	route.Create: (*Server).serveCreate, route.Update: (*Server).serveUpdate, route.Patch: (*Server).servePatch,
	route.Delete: (*Server).serveDelete, route.DeleteCollection: (*Server).serveDeleteCollection,
	route.GetScale: (*Server).serveGetScale, route.UpdateScale: (*Server).serveUpdateScale, route.PatchScale: (*Server).servePatchScale,

	route.Ask: (*Server).serveAsk, route.Token: (*Server).serveToken, route.Binding: (*Server).serveBinding,
	route.Eviction: (*Server).serveEviction, route.PodNode: (*Server).servePodNode, route.Proxy: (*Server).serveProxy,
	route.GetComponent: (*Server).serveComponent, route.ListComponents: (*Server).serveComponents,
	route.WatchComponents: (*Server).serveNoWatch,

	route.Debug: (*Server).serveDebug, route.Paths: (*Server).servePaths,
	route.CoreVersions: (*Server).serveCoreVersions, route.Groups: (*Server).serveGroups,
	route.Group: (*Server).serveGroup, route.Resources: (*Server).serveResources,
	route.Version: (*Server).serveVersion, route.KeySet: (*Server).serveKeySet, route.OpenID: (*Server).serveOpenID,
	route.Health: (*Server).serveHealth, route.HealthCheck: (*Server).serveHealthCheck, route.Metrics: (*Server).serveMetrics,
	route.Aggregated: (*Server).serveAggregated,
	route.OpenAPIV2:  (*Server).serveOpenAPIV2, route.OpenAPIV3Index: (*Server).serveOpenAPIV3Index, route.OpenAPIV3: (*Server).serveOpenAPIV3,
}
