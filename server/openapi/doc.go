// Package openapi publishes the schemas of the built-in kinds: the documents of /openapi/v3, one a group version, the
// swagger of /openapi/v2, and single definitions for the field manager. All of it was generated at development time from
// k8s.io/api and is embedded compressed; nothing is read before it is asked for. It knows neither HTTP nor objects.
package openapi

//go:generate ./generate/generate.sh
