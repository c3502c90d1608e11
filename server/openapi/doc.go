// Package openapi publishes the schemas of what is served: the documents of /openapi/v3, the swagger of /openapi/v2, and
// single definitions for the field manager. What is built in was copied from k8s.io/kubernetes at development time
// (tools/documents) and is embedded compressed; what custom resources add comes from a Source and follows it within one
// request. Nothing is read or built before it is asked for. It knows neither HTTP nor objects.
package openapi

//go:generate go run -C ../../tools/documents . ../../server/openapi/published
